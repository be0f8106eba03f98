"""What most users have, a folder of INRIA's trainer without any option, raises no alarm where the training is sound."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.diagnose import diagnose
from runs.arrays import Array
from runs.open_run import open_run
from tests.support.data import shared_data
from tests.support.retold import Folders, change_photos, change_rows, columns, names_of, saves, set_columns
from tests.support.stock import LAST, SAVES, Told, events_of, stock_run, text_log

Retell = Callable[[Told, Folders], None]
STOCK = (0, 6_000, 12_000, 15_000, LAST)  # start, the second and the fourth reset, end of densification, end


def synthetic() -> Told:
    """Seen all around, on black: densified from 100 to 1,200 of 2,000."""
    return Told(shared_data("runs", "synth-a"), STOCK, (0, 500, 1_000, 1_200, 2_000), {7_000: 600, LAST: 2_000})


def captured() -> Told:
    """A real hand-held capture: densified from 200 to 1,800 of 3,000."""
    return Told(shared_data("runs", "fox-a"), STOCK, (0, 750, 1_500, 1_800, 3_000), {7_000: 900, LAST: 3_000})


@dataclass(frozen=True)
class Options:
    """How the trainer was called, and what happened to its folder."""

    settings: dict[str, Any]
    saves: tuple[int, ...] = SAVES
    events: bool = True
    then: Retell | None = None


def old_names(_: Told, folders: Folders) -> None:
    """The trainer of 2023 wrote image names without their ending."""
    file = folders.run / "cameras.json"
    entries = [{**camera, "img_name": Path(camera["img_name"]).stem} for camera in json.loads(file.read_text("utf-8"))]
    file.write_text(json.dumps(entries), "utf-8")


def printed(told: Told, folders: Folders) -> None:
    (folders.run / "train.log").write_text(text_log(told), "utf-8")


def continued(told: Told, folders: Folders) -> None:
    """From a checkpoint at 7,000, after the first attempt had come to 9,000."""
    (folders.run / "events.out.tfevents.1.host.1.0").write_bytes(events_of(told, last=9_000))
    (folders.run / "events.out.tfevents.2.host.2.0").write_bytes(events_of(told, first=7_000, started=1e6))


def exposed(_: Told, folders: Folders) -> None:
    """Each photo brighter or darker by some 15 %, in each channel a little differently: what exposure.json makes good."""
    rng = np.random.default_rng(5)
    names = sorted(path.name for path in (folders.data / "images").iterdir())
    matrices: list[list[list[float]]] = []

    def change(pixels: Array) -> Array:
        gains, offsets = np.exp(rng.normal(0, 0.15) + rng.normal(0, 0.05, 3)), rng.normal(0, 0.025, 3)
        matrices.append(np.column_stack([np.diag(gains), offsets]).tolist())
        return np.clip(pixels * gains + 255 * offsets, 0, 255).round()

    change_photos(folders.data, change, compress_level=1)
    (folders.run / "exposure.json").write_text(json.dumps(dict(zip(names, matrices, strict=True))), "utf-8")


def doubled(_: Told, folders: Folders) -> None:
    """Rendered at half the photos' size, where the folder of halved photos is not at hand."""
    change_photos(folders.data, lambda pixels: pixels.repeat(2, axis=0).repeat(2, axis=1), compress_level=1)


def capped(_: Told, folders: Folders) -> None:
    """MCMC while it refines: as many Gaussians as at the end, two fifths of them dead and about to be moved, no resets."""
    early, late = saves(folders.run)
    early.write_bytes(late.read_bytes())

    def change(table: Array) -> Array:
        rng = np.random.default_rng(3)
        names = names_of(table)
        set_columns(table, names, columns(table, names) + rng.normal(0, 2e-3, (len(table), len(names))))
        table["opacity"][rng.permutation(len(table))[: 2 * len(table) // 5]] = np.log(0.004 / 0.996)
        return table

    change_rows(early, change)


BEFORE_2024 = {"train_test_exp": None, "depths": None}
MCMC = {"cap_max": 4_851, "scale_reg": 0.01, "opacity_reg": 0.01, "noise_lr": 5e5, "init_type": "sfm", **BEFORE_2024}
WAYS: dict[str, Options] = {
    "as it comes": Options({"eval": False}),
    "with held-out views": Options({}),
    "without TensorBoard": Options({}, events=False),
    "only the last save": Options({}, (LAST,)),
    "only the first save, no TensorBoard": Options({}, SAVES[:1], False),
    "the trainer of 2023": Options(BEFORE_2024, then=old_names),
    "printed text": Options({}, events=False, then=printed),
    "continued": Options({}, events=False, then=continued),
    "compensated exposure": Options({"train_test_exp": True}, then=exposed),
    "half resolution": Options({"resolution": 2}, then=doubled),
    "MCMC": Options(MCMC, events=False, then=capped),
}


def findings(told: Told, scene: str, options: Options, to: Path, *, with_data: bool) -> list[str]:
    folders = Folders(told.run, shared_data("scenes", scene)).copied(to)
    run = stock_run(told, to / "stock", saves=options.saves, events=options.events, **options.settings)
    if options.then is not None:
        options.then(told, Folders(run, folders.data))
    diagnosis = diagnose(open_run(run, folders.data if with_data else None))
    return [f"{found.pattern.code} {found.finding.says}" for found in diagnosis.findings]


@pytest.mark.parametrize("way", WAYS)
def test_a_sound_stock_run_raises_no_alarm(way: str, tmp_path: Path) -> None:
    """Of two saves and a loss little can be told; what cannot be told is no fault."""
    assert findings(synthetic(), "synth1", WAYS[way], tmp_path, with_data=True) == []


@pytest.mark.parametrize("way", ["as it comes", "only the last save", "the trainer of 2023"])
def test_without_its_photos_neither(way: str, tmp_path: Path) -> None:
    """The recorded source path is another machine's: this is how a run is opened first."""
    assert findings(synthetic(), "synth1", WAYS[way], tmp_path, with_data=False) == []


def test_a_sound_stock_run_of_a_real_capture_raises_no_alarm(tmp_path: Path) -> None:
    """At 7,000 it has just come back from a reset, 8 dB below its end."""
    assert findings(captured(), "fox", WAYS["as it comes"], tmp_path, with_data=True) == []
