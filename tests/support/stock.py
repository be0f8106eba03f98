"""Healthy trainings retold as the folders that INRIA's trainer leaves without any option: few saves, few logs, no settings."""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from runs.arrays import I64
from tests.support.event_writer import event, simple_value, version_event

SAVES = (7_000, 30_000)
LAST = SAVES[-1]
EVERY = 10  # the trainer logs each iteration; fewer keep the test quick
# What the trainer of 2024-10 stores, every option at its default except eval.
STORED: Mapping[str, Any] = {
    "sh_degree": 3, "source_path": "/data/scene", "model_path": "./output/1a2b3c4d", "images": "images", "depths": "",
    "resolution": -1, "white_background": False, "train_test_exp": False, "data_device": "cuda", "eval": True,
}


@dataclass(frozen=True)
class Told:
    """Where a training of its own schedule stands when the stock one, with its own, has come as far."""

    run: Path
    stock: tuple[int, ...]  # iterations: start, two resets, end of densification, end
    own: tuple[int, ...]
    saves: Mapping[int, int]  # own iteration of each stock save

    def at(self, iterations: I64) -> I64:
        return np.interp(iterations, self.stock, self.own).round().astype(np.int64)


def stock_run(told: Told, to: Path, *, saves: tuple[int, ...] = SAVES, events: bool = True, **settings: Any) -> Path:
    """The folder; `settings` replace stored ones, None leaves one out."""
    for iteration in saves:
        folder = to / "point_cloud" / f"iteration_{iteration}"
        folder.mkdir(parents=True)
        shutil.copyfile(told.run / f"point_cloud/iteration_{told.saves[iteration]}/point_cloud.ply", folder / "point_cloud.ply")
    for name in ("cameras.json", "input.ply"):
        shutil.copyfile(told.run / name, to / name)
    stored = {name: value for name, value in {**STORED, **settings}.items() if value is not None}
    (to / "cfg_args").write_text(f"Namespace({', '.join(f'{name}={value!r}' for name, value in stored.items())})", "utf-8")
    if events:
        (to / "events.out.tfevents.1.host.1.0").write_bytes(events_of(told, evaluated=bool(stored.get("eval"))))
    return to


def events_of(told: Told, *, evaluated: bool = True, first: int = EVERY, last: int = LAST, started: float = 0.0) -> bytes:
    """An event file from `first` to `last`, `started` at a wall time."""
    log = {entry["it"]: entry for entry in _log(told)}
    steps = np.arange(first, last + 1, EVERY)
    parts = [version_event()]
    for step, own in zip(steps.tolist(), told.at(steps).tolist(), strict=True):
        entry = log[max(own, 1)]
        values = {"train_loss_patches/l1_loss": entry["l1"], "train_loss_patches/total_loss": entry["loss"], "iter_time": 12.0}
        values |= _evaluation(log[told.saves[step]], evaluated) if step in told.saves else {}
        parts.append(event(step, started + step, [simple_value(tag, value) for tag, value in values.items()]))
    return b"".join(parts)


def text_log(told: Told, *, last: int = LAST) -> str:
    """What the trainer prints until `last`: the progress bar overwrites itself in one line."""
    log = {entry["it"]: entry for entry in _log(told)}
    lines = ["Optimizing ./output/1a2b3c4d", f"Number of points at initialisation :  {log[1]['n']} [29/11 18:00:03]"]
    bars: list[str] = []
    for step in range(EVERY, last + 1, EVERY):
        bars.append(f"Training progress:  {100 * step // LAST}%|## | {step}/{LAST} [00:50<05:00, 52.31it/s, Loss=0.0512345]")
        if step in told.saves:
            lines += ["\r".join(bars), *_printed(step, log[told.saves[step]])]
            bars = []
    return "\n".join([*lines, "\r".join(bars)])


def _log(told: Told) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in (told.run / "metrics.jsonl").read_text("utf-8").splitlines())


def _evaluation(entry: Mapping[str, Any], evaluated: bool) -> dict[str, float]:
    splits = ("test", "train") if evaluated else ("train",)
    scores = {f"{split}/loss_viewpoint - psnr": entry["eval"][split] for split in splits}
    return {**scores, "total_points": entry["n"]}


def _printed(step: int, entry: Mapping[str, Any]) -> Iterator[str]:
    for split in ("test", "train"):
        yield f"\n[ITER {step}] Evaluating {split}: L1 0.0321 PSNR {entry['eval'][split]} [29/11 18:05:00]"
    yield f"\n[ITER {step}] Saving Gaussians [29/11 18:05:01]"
