"""SplaTAM: a SLAM system's folder of params.npz, paramsN.npz, eval/*.txt and config.py, which is never run.

Numbers of a SLAM run are frames of a recording, not steps of an optimiser: they stand where other runs have iterations.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from runs.arrays import Array
from runs.cameras import Camera
from runs.canonical import RAW, make_series, merge
from runs.checkpoints import Checkpoint
from runs.errors import RunError
from runs.formats.npz import npz_names
from runs.formats.small_files import MIB, read_small
from runs.formats.splat_file import SplatFile
from runs.notes import NoteBook
from runs.run import Run, Trainer
from runs.series import Series
from runs.trainers.shared.family import Family
from runs.trainers.shared.logged import Logged
from runs.trainers.shared.saved import LEFT_OUT, checkpoints
from runs.trainers.shared.signs import head_of
from runs.trainers.shared.sources import few_sources
from runs.trainers.slam.poses import Trajectory
from runs.trainers.slam.splatam_saved import FINAL, NUMBERED, checked, lens, look, trajectory

SIGNS = {"means3D", "cam_unnorm_rots"}
CONFIG = "config.py"
IS_CODE = "is a program, so its settings are not read: open it in an editor to see them"
NO_LENS = "holds no lens of the camera, which SplaTAM stores when it ends; cameras are shown then"
# eval/NAME.txt, one value per evaluated frame: frames that also trained, measured where the recording has depth.
SCORES = {"psnr": "train/psnr", "lpips": "train/lpips", "ssim": f"{RAW}train/ms_ssim", "l1": f"{RAW}train/depth_l1",
          "rmse": f"{RAW}train/depth_rmse"}


def recognise(folder: Path) -> Trainer | None:
    """By the arrays in its files."""
    if not folder.is_dir():
        return None
    for path in [folder / FINAL, *_numbered(folder).values()]:
        if head_of(path).startswith(b"PK") and set(_names(path)) >= SIGNS:
            return Trainer("splatam", 0.95, f"{path.name} holds means3D and cam_unnorm_rots")
    return None


def _names(path: Path) -> tuple[str, ...]:
    try:
        return npz_names(path)
    except RunError:
        return ()


def _numbered(folder: Path) -> dict[int, Path]:
    """Frame -> file, by frame."""
    found = {int(match[1]): path for path in folder.glob("params*.npz") if (match := NUMBERED.fullmatch(path.name))}
    return dict(sorted(found.items()))


def read(path: Path, trainer: Trainer, data: Path | None) -> Run:
    """Descriptions of arrays now, numbers on first use."""
    book = NoteBook()
    folder = SplatamFolder(path, book)
    if (path / CONFIG).is_file():
        book.add(str(path / CONFIG), IS_CODE)
    return Run(path, trainer, folder.saved, (), data, few_sources(
        Logged(path, book), cameras=lambda: folder.cameras, series=lambda: folder.series,
    ), book, data is not None)


@dataclass(frozen=True, eq=False)
class SplatamFolder:
    """The files of one folder, each read once."""

    path: Path
    book: NoteBook

    @cached_property
    def saved(self) -> tuple[Checkpoint, ...]:
        """One per saved frame, counted as frames done; the final save comes after the last of them."""
        numbered = [(frame + 1, file) for frame, path in _numbered(self.path).items() for file in self._look(path)]
        found = [replace(one, label=f"frame {one.iteration - 1:,}") for one in checkpoints(numbered, self.book)]
        final = [replace(one, label="final") for file in self._look(self.path / FINAL)
                 for one in checkpoints([(self.frames, file)], self.book)]
        ends = {one.iteration for one in final}
        return tuple(sorted([*(one for one in found if one.iteration not in ends), *final], key=lambda one: one.iteration))

    def _look(self, path: Path) -> Iterator[SplatFile]:
        try:
            if path.is_file():
                yield look(path)
        except RunError as error:
            self.book.add(str(path), f"{LEFT_OUT}{error.says}")

    @cached_property
    def _last(self) -> tuple[Path, Mapping[str, Array]] | None:
        """The arrays of the final save, else of the last one that can be read."""
        for path in (self.path / FINAL, *reversed(_numbered(self.path).values())):
            try:
                if path.is_file():
                    return path, checked(path)
            except RunError:
                continue  # noted where it was looked at
        return None

    @cached_property
    def trajectory(self) -> Trajectory | None:
        try:
            return None if self._last is None else trajectory(self._last[1])
        except RunError as error:
            self.book.add_error(error)
            return None

    @property
    def frames(self) -> int:
        return 0 if self.trajectory is None else len(self.trajectory.frames)

    @cached_property
    def cameras(self) -> tuple[Camera, ...]:
        """All frames, as they were estimated, in the world of the first one."""
        if self._last is None or self.trajectory is None:
            return ()
        path, arrays = self._last
        says, seen = self.trajectory.error_note(any_scale=False), lens(arrays)
        for note in (says, NO_LENS if seen is None else None):
            if note:
                self.book.add(str(path), note)
        return () if seen is None else self.trajectory.cameras(seen)

    @cached_property
    def series(self) -> Mapping[str, Series]:
        """Means of eval/*.txt at the last frame."""
        means = {name: self._mean(self.path / "eval" / f"{file}.txt") for file, name in SCORES.items()}
        known = ((name, mean) for name, mean in means.items() if mean is not None)
        scores = ({name: make_series(name, [self.frames], [mean], "eval/*.txt")} for name, mean in known)
        return merge(*scores, Logged(self.path, self.book).series)

    def _mean(self, path: Path) -> float | None:
        """The mean of one number per line; None where the file is absent or holds something else."""
        text = self.book.attempt(lambda file: read_small(file, 16 * MIB), path, b"")
        try:
            values = np.array(text.split(), np.float64)
        except ValueError:
            self.book.add(str(path), "is not one number per line, so it is not read; evaluate the run again")
            return None
        return float(values.mean()) if len(values) else None


FAMILY = Family("SplaTAM", recognise, read)
