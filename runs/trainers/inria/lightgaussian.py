"""LightGaussian's importance scores: `imp_score.npz`, one number per Gaussian of the last save."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from runs.arrays import F32, Array
from runs.checkpoints import Checkpoint
from runs.errors import RunError, UnreadableFile
from runs.formats.npz import read_npz
from runs.formats.splat_file import Stamp
from runs.gaussians import Gaussians
from runs.notes import NoteBook
from runs.storage import present

FILE, NAME = "imp_score.npz", "imp_score"
NO_SCORES = "holds no list of numbers, so no importance is shown; compute the scores again"


def with_importance(folder: Path, saves: tuple[Checkpoint, ...], book: NoteBook) -> tuple[Checkpoint, ...]:
    """The saves, the last with its scores as a property of each Gaussian where there are as many as Gaussians."""
    path = folder / FILE
    if not saves or not path.is_file():
        return saves
    try:
        count, stamp = len(_scores(path)), Stamp.of(path.stat())
    except RunError as error:
        book.add_error(error)
        return saves
    last = saves[-1]
    if count != last.count:
        book.add(str(path), f"holds {count:,} scores and the last save {last.count:,} Gaussians, so they are left out; compute "
                 "them again for this save")
        return saves
    return (*saves[:-1], replace(last, read=ReadScored(last.read, path, stamp)))


@dataclass(frozen=True)
class ReadScored:
    """Reads Gaussians and their scores; equal to another one that would read the same unchanged files."""

    read: Callable[[], Gaussians]
    path: Path
    stamp: Stamp

    def __call__(self) -> Gaussians:
        """Raises UnreadableFile or RefusedFile."""
        stored = self.read()

        def load(name: str) -> F32:
            return self._column(stored.count) if name == NAME else stored.load(name)

        return Gaussians(stored.count, stored.sh_degree, load, (*stored.extra_names, NAME))

    def _column(self, count: int) -> F32:
        scores = np.array(present(_scores(self.path)), np.float32).reshape(-1)
        if len(scores) != count:
            raise UnreadableFile("this file changed after it was looked at; open the run again", self.path)
        return scores


def _scores(path: Path) -> Array:
    """[N] or [N, 1]. Raises UnreadableFile or RefusedFile."""
    arrays = read_npz(path)
    first = next(iter(arrays), None)
    scores = None if first is None else arrays[first]
    if scores is None or scores.dtype.kind not in "fiu" or scores.ndim not in (1, 2) or scores.shape[1:] not in ((), (1,)):
        raise UnreadableFile(NO_SCORES, path)
    return scores
