"""MonoGS: a SLAM system's folder of config.yml, plot/trj_*.json, psnr/*/final_result.json and one final cloud.

Numbers of a SLAM run are frames of a recording, not steps of an optimiser: they stand where other runs have iterations.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from runs.advice import FOREIGN
from runs.cameras import Camera
from runs.canonical import RAW, make_series, merge
from runs.checkpoints import Checkpoint
from runs.errors import RunError, UnreadableFile
from runs.formats.small_files import MIB, as_number, read_json
from runs.formats.yaml_file import read_yaml
from runs.notes import NoteBook
from runs.run import Run, Trainer
from runs.series import Series
from runs.settings import Setting, Settings
from runs.trainers.shared.family import Family
from runs.trainers.shared.logged import Logged
from runs.trainers.shared.saved import checkpoint_of, splat_files
from runs.trainers.shared.sources import few_sources
from runs.trainers.slam.poses import Lens, Trajectory

CONFIG = "config.yml"
FINAL_CLOUD = Path("point_cloud", "final", "point_cloud.ply")
SECTIONS = frozenset({"Dataset", "Training", "Results", "opt_params"})
MOST_POSES = 1_000_000
SCORES = {"mean_psnr": "psnr", "mean_ssim": "ssim", "mean_lpips": "lpips"}
NO_LENS = "stores no lens of the camera (Dataset.Calibration), so its poses cannot be shown as cameras"


def recognise(folder: Path) -> Trainer | None:
    """By its settings, beside the final cloud or the trajectories that come before it."""
    if not (folder / FINAL_CLOUD).is_file() and not any((folder / "plot").glob("trj_*.json")):
        return None
    stored = NoteBook().attempt(read_config, folder / CONFIG, Settings())
    sections = {name.partition(".")[0] for name in stored}
    return Trainer("monogs", 0.9, "config.yml has Dataset, Training, Results and opt_params") if sections >= SECTIONS else None


def read(path: Path, trainer: Trainer, data: Path | None) -> Run:
    """Headers and names now, everything else on first use."""
    book = NoteBook()
    folder = MonoGSFolder(path, book)
    return Run(path, trainer, folder.saved, (), data, few_sources(
        Logged(path, book), cameras=lambda: folder.cameras, settings=lambda: folder.settings, series=lambda: folder.series,
    ), book, data is not None)


def read_config(path: Path) -> Settings:
    """The settings of config.yml, sections as prefixes ("opt_params.iterations"). Raises UnreadableFile or RefusedFile."""
    stored = read_yaml(path)
    if not isinstance(stored, Mapping):
        raise UnreadableFile(f"this settings file holds no YAML mapping; {FOREIGN}", path)
    return Settings({name: Setting(name, value, path.name) for name, value in _flat(stored, "")})


def _flat(stored: Mapping[Any, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in stored.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def read_trajectory(path: Path) -> Trajectory:
    """One plot/trj_*.json: lists of camera-to-world matrices. Raises UnreadableFile or RefusedFile."""
    stored = read_json(path)
    lists = [stored.get(key) for key in ("trj_id", "trj_est", "trj_gt")] if isinstance(stored, dict) else [None]
    try:
        frames, estimated, true = (np.array(values, np.float64) for values in lists)
        shapes = {estimated.shape, true.shape}
        if shapes != {(len(frames), 4, 4)} or frames.ndim != 1 or not np.isfinite(frames).all() or len(frames) > MOST_POSES:
            raise ValueError("the lists do not belong together")
        return Trajectory(tuple(int(frame) for frame in frames), estimated, true)
    except (ValueError, TypeError, OverflowError) as error:
        raise UnreadableFile(f"this trajectory holds no list of frames with two matrices each; {FOREIGN}", path) from error


@dataclass(frozen=True, eq=False)
class MonoGSFolder:
    """The files of one folder, each read once."""

    path: Path
    book: NoteBook

    @cached_property
    def settings(self) -> Settings:
        """None is found by INRIA's names: iterations and intervals of its own trainer are in the file, and not used here."""
        return self.book.attempt(read_config, self.path / CONFIG, Settings())

    @cached_property
    def trajectory(self) -> Trajectory | None:
        """The last one written."""
        files = {path: _number(path) for path in (self.path / "plot").glob("trj_*.json")}
        found = sorted((number, path) for path, number in files.items() if number is not None)
        return self.book.attempt(read_trajectory, found[-1][1], None) if found else None

    @property
    def frames(self) -> int:
        """How many frames of the recording were seen, as far as the trajectory tells; 0 without one."""
        return 0 if self.trajectory is None or not self.trajectory.frames else max(0, *self.trajectory.frames) + 1

    @cached_property
    def saved(self) -> tuple[Checkpoint, ...]:
        """The final cloud: it is written once, so it stands at the last frame."""
        path = self.path / FINAL_CLOUD
        files = splat_files([path], self.book) if path.is_file() else []
        return tuple(replace(checkpoint_of(self.frames, file), label="final") for file in files)

    @cached_property
    def cameras(self) -> tuple[Camera, ...]:
        """The keyframes, as they were estimated."""
        if self.trajectory is None:
            return ()
        says = self.trajectory.error_note(any_scale=self.settings.value("Dataset.sensor_type") == "monocular")
        if says:
            self.book.add(str(self.path / "plot"), says)
        lens = self._lens()
        if lens is None:
            self.book.add(str(self.path / CONFIG), NO_LENS)
        return () if lens is None else self.trajectory.cameras(lens)

    def _lens(self) -> Lens | None:
        names = ("fx", "fy", "cx", "cy", "width", "height")
        values = [as_number(self.settings.value(f"Dataset.Calibration.{name}")) for name in names]
        numbers = [value for value in values if value is not None and 0 < value < 1e6]
        if len(numbers) < len(names):
            return None
        fx, fy, cx, cy, width, height = numbers
        return Lens(fx, fy, cx, cy, (round(width), round(height)))

    @cached_property
    def series(self) -> Mapping[str, Series]:
        """Scores of frames that were no keyframes: of the final cloud, and under another name before its colours were refined."""
        after, before = (self._scores(part) for part in ("after_opt", "before_opt"))
        named = {f"test/{name}": value for name, value in after.items()}
        earlier = {f"{RAW}before_opt/{name}": value for name, value in before.items()}
        return merge(*({name: make_series(name, [self.frames], [value], "psnr/*/final_result.json")}
                       for name, value in (named | earlier).items()), Logged(self.path, self.book).series)

    def _scores(self, part: str) -> dict[str, float]:
        path = self.path / "psnr" / part / "final_result.json"
        try:
            stored = read_json(path, MIB) if path.is_file() else {}
        except RunError as error:
            self.book.add_error(error)
            return {}
        read = {name: as_number(stored.get(key)) for key, name in SCORES.items()} if isinstance(stored, dict) else {}
        return {name: value for name, value in read.items() if value is not None}


def _number(path: Path) -> float | None:
    """The place of a trajectory among the others."""
    match = re.fullmatch(r"trj_(final|\d{1,12})\.json", path.name)
    return None if match is None else float("inf") if match[1] == "final" else float(match[1])


FAMILY = Family("MonoGS", recognise, read)
