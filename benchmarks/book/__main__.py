"""`python -m benchmarks.book [CODE …]`: takes the catalogue's pictures from the trainings that the lab has kept."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.book.chosen import Shown, shown_for
from benchmarks.book.curves import drawing
from benchmarks.book.renders import collage
from diagnostics.catalogue import Pattern, load_catalogue
from diagnostics.verdict import NOT_AVAILABLE
from runs.series import Series
from runs.writers.atomic import write_text
from tests.lab.faults import FAULTS

BOOK = Path(__file__).resolve().parents[2] / "resources" / "book"
LISTED, PICTURES = BOOK / "pictures.json", BOOK / "pictures"
# The curve that shows a pattern best, by its code or by the family of its code; quality tells most of the others.
CURVES: Mapping[str, tuple[str, ...]] = {
    "DF": ("num_gaussians",), "MF": ("num_gaussians",), "CK-7": ("lr/xyz",), "OF-08": ("lr/xyz",), "N-01": ("lr/xyz",),
    "N-26": ("num_gaussians",), "N-37": ("num_gaussians",), "S-01": ("num_gaussians",), "M-10": ("num_gaussians",),
    "OF-05": ("loss/ssim",), "OF-07": ("loss/total",), "N-35": ("loss/l1",),
}
USUAL = ("test/psnr", "train/psnr", "loss/l1")
TITLES: Mapping[str, str] = {
    "num_gaussians": "Number of Gaussians", "lr/xyz": "Learning rate of the means", "test/psnr": "PSNR of the held-out views, dB",
    "train/psnr": "PSNR of the training views, dB", "loss/l1": "L1 loss", "loss/ssim": "SSIM as logged",
    "loss/total": "Total loss",
}
MUCH_DB = 3.0  # a loss that one sees
DRAWN = ("viewport", "images", "inspector")  # panels in which a pattern is seen in the Gaussians themselves


def main(wanted: list[str]) -> None:
    known: dict[str, Any] = json.loads(LISTED.read_text("utf-8")) if LISTED.is_file() else {}
    PICTURES.mkdir(parents=True, exist_ok=True)
    for pattern in load_catalogue().values():
        if wanted and pattern.code not in wanted:
            continue
        shown = shown_for(pattern.code)
        entries = [] if shown is None else _pictures(pattern, shown)
        print(pattern.code, [entry["file"] for entry in entries], flush=True)
        known.pop(pattern.code, None)
        if entries:
            known[pattern.code] = entries
    write_text(LISTED, json.dumps(dict(sorted(known.items())), indent=1, ensure_ascii=False) + "\n")


def _pictures(pattern: Pattern, shown: Shown) -> list[dict[str, str]]:
    """Renders where it is seen in them or cost much; the curve where it is seen there, or nowhere else."""
    seen = pattern.panel in DRAWN or pattern.kind == "file"
    lost = shown.sick_db is None or (shown.healthy_db is not None and shown.healthy_db - shown.sick_db > MUCH_DB)
    render = _render(pattern, shown) if seen or lost else None
    curve = None if seen and render is not None else _curve(pattern, shown)
    return [entry for entry in (curve, render) if entry is not None]


def _render(pattern: Pattern, shown: Shown) -> dict[str, str] | None:
    made = collage(shown)
    if made is None:
        return None
    name = f"{pattern.code.lower()}.webp"
    Image.fromarray(made.pixels).save(PICTURES / name, quality=82, method=6)
    left = "; ".join(made.parts)
    return {"file": name, "alt": f"{pattern.title}: {left}", "caption": f"From left to right: {left}. {_trained(shown)}"}


def _curve(pattern: Pattern, shown: Shown) -> dict[str, str] | None:
    names = (*CURVES.get(pattern.code, CURVES.get(pattern.code.rpartition("-")[0], ())), *USUAL)
    known = (shown.sick.series, shown.healthy.series)
    name = next((one for one in names if all(_is_curve(series.get(one)) for series in known)), None)
    if name is None or _same(shown.sick.series[name], shown.healthy.series[name]):
        return None  # a curve that is that of a sound training shows nothing
    file = f"{pattern.code.lower()}.svg"
    title = f"{TITLES[name]} over the iterations"
    write_text(PICTURES / file, drawing(shown.sick.series[name], shown.healthy.series[name], f"{pattern.title}. {title}"))
    return {"file": file, "alt": title, "caption": f"{title}. {_trained(shown)}"}


def _is_curve(series: Series | None) -> bool:
    return series is not None and len(series) > 2


def _same(series: Series, sound: Series) -> bool:
    """Up to where the shorter one ends."""
    length = min(len(series), len(sound))
    return bool(np.allclose(series.values[:length], sound.values[:length], rtol=1e-3, equal_nan=True))


def _trained(shown: Shown) -> str:
    """Which training this is; its score beside that of the sound one."""
    fault, strength = FAULTS[shown.case.name], shown.case.strength
    by = f" ({strength:g})" if len(fault.strengths) > 1 else ""
    scores = [NOT_AVAILABLE if value is None else f"{value:.1f} dB" for value in (shown.sick_db, shown.healthy_db)]
    return (f"A training of our lab on the scene “{shown.case.scene}” with one fault, {fault.name.replace('-', ' ')}{by}: "
            f"{scores[0]} over the held-out views at its end, where the sound one has {scores[1]}.")


if __name__ == "__main__":
    main(sys.argv[1:])
