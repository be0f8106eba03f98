"""Results of probes built in memory: of any number of curves, pictures and words."""

from dataclasses import replace
from typing import Any

import numpy as np

from diagnostics.catalogue import Source
from diagnostics.probes.answer import Answer, Curve, Judged, Result, Shot, Tried
from diagnostics.probes.registry import Page
from diagnostics.verdict import EvidenceRow, Finding, Fix

# A page that resources do not hold, so that wording there changes no test here.
MADE_UP = Page(
    "made-up", 1, "Made-up probe", "Does it hold?", "It is drawn twice.", "A save.", "Why it holds.", ("needle-gaussians",),
    {"bar": "twice the noise"}, (Source("Someone 2020", "https://example.org/"),))


def shot(title: str, width: int = 60, height: int = 45) -> Shot:
    rows, columns = np.mgrid[:height, :width]
    return Shot(title, np.stack([columns, rows, rows * 0 + 90], -1).astype(np.uint8))


def curve(name: str, *values: float, unit: str = "dB") -> Curve:
    return Curve(name, unit, tuple(range(0, 10 * len(values), 10)), values)


FINDING = Finding(
    "2 of 10 views stay below the bar of 30 dB: a.png at 21.2 dB and b.png at 22.9 dB",
    (EvidenceRow("PSNR of a.png", 21.2, 30.0, "dB", 7000, "made-up probe"),), cameras=("a.png", "b.png"),
    cause="These cameras do not stand where their poses say", fixes=(Fix("Estimate these poses again", "both fit", risk="time"),))
ANSWER = Answer(
    "One view alone reaches 41.2 dB, ten together 27.3 dB.",
    (Judged("needle-gaussians", FINDING), Judged("exposure-varies"), Judged("of-the-future", None, ("no photo of c.png",))),
    (EvidenceRow("PSNR of one view alone", 41.2, 30.0, "dB"), EvidenceRow("share of dark pixels", 0.034, None, "share", 7000)),
    (shot("a.png after 300 steps"), shot("b.png after 300 steps")), (), 7000,
    {"views": 10, "pictures": "60 × 45 px", "seeds": [1, 2]},
    (Tried("AF-01", "opacity_reset_interval", 1000, "It removed 87 % of the floaters; PSNR +0.6 ± 0.2 dB", True),))


def result(probe: str = "made-up", answer: Answer = ANSWER, **changes: Any) -> Result:
    given: dict[str, Any] = {
        "curves": (curve("PSNR of a.png", 12.0, 18.0, 21.2), curve("PSNR of b.png", 11.0, float("nan"), 22.9)), "seconds": 94.6,
        "peak_bytes": 812 << 20, "finished_at": "2026-03-01T12:00:30+01:00", "product": "splatdoctor 9.9",
    }
    return Result(probe, "/runs/garden", answer, **(given | changes))


def left_open(probe: str, *missing: str, pattern: str = "needle-gaussians") -> Result:
    answer = Answer(f"The question stays open: {'; '.join(missing)}.", (Judged(pattern, None, missing),), missing=missing)
    return result(probe, answer, curves=())


def with_pages(*pages: Page) -> dict[str, Page]:
    return {page.name: page for page in (MADE_UP, *pages)}


def other_page(name: str, **changes: Any) -> Page:
    return replace(MADE_UP, name=name, **changes)
