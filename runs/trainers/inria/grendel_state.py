"""Training states of Grendel-GS: one chkpnt per process, an INRIA tuple each, joined in order of rank."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from runs.advice import FOREIGN, UNFINISHED
from runs.arrays import F32
from runs.checkpoints import AdamGroup, TrainingState
from runs.errors import UnreadableFile
from runs.formats.splat_file import Stamp
from runs.formats.torch_file import is_unfinished
from runs.notes import NoteBook
from runs.storage import present
from runs.trainers.inria.state import read_state
from runs.trainers.shared.saved import LEFT_OUT
from runs.trainers.shared.shards import Ranks, joined

Files = tuple[tuple[Path, Stamp], ...]  # in order of rank


def rank_states(ranks: Ranks, book: NoteBook) -> Files:
    """The finished files of one save; unfinished ones are noted and left out."""
    found = []
    for _, path in sorted(ranks.files.items()):
        if is_unfinished(path):
            book.add(str(path), f"{LEFT_OUT}this checkpoint is not whole; {UNFINISHED}")
        else:
            found.append((path, Stamp.of(path.stat())))
    return tuple(found)


@dataclass(frozen=True)
class ReadRanks:
    """Reads one state from the files of its ranks; equal to another one that would read the same unchanged files."""

    iteration: int  # of the folder
    files: Files
    expected: int  # processes

    def __call__(self) -> TrainingState:
        """Raises UnreadableFile or RefusedFile."""
        parts = [read_state(path) for path, _ in self.files]
        first = parts[0]
        if len({(part.iteration, part.gaussians.sh_degree) for part in parts}) > 1:
            raise UnreadableFile(f"the ranks of this state are of different iterations or SH degrees; {FOREIGN}", first.path)
        lost = self.expected - len(parts)
        missing = [*dict.fromkeys(says for part in parts for says in part.missing)]
        return replace(
            first, iteration=self.iteration, kind=f"{first.kind} of {len(parts)} ranks",
            gaussians=joined([part.gaussians for part in parts]), adam=_adam(parts), statistics=_statistics(parts),
            missing=(*missing, *([f"the Gaussians of {lost} of {self.expected} processes"] if lost else [])),
            # The file names the iteration that a resume begins with: that of the folder and one batch.
            iterations_per_step=max(first.iteration - self.iteration, 1),
        )


def _adam(parts: Sequence[TrainingState]) -> dict[str, AdamGroup]:
    """Groups that every rank has, with the moments of all."""
    shared = [name for name in parts[0].adam if all(name in part.adam for part in parts)]
    return {name: _group([part.adam[name] for part in parts]) for name in shared}


def _group(groups: Sequence[AdamGroup]) -> AdamGroup:
    steps = [group.step for group in groups if group.step is not None]
    return replace(
        groups[0], step=max(steps, default=None), exp_avg=_rows([group.exp_avg for group in groups]),
        exp_avg_sq=_rows([group.exp_avg_sq for group in groups]),
    )


def _rows(arrays: Sequence[F32 | None]) -> F32 | None:
    stored = [present(array) for array in arrays if array is not None]
    return np.concatenate(stored) if stored and len(stored) == len(arrays) else None


def _statistics(parts: Sequence[TrainingState]) -> dict[str, F32]:
    shared = [name for name in parts[0].statistics if all(name in part.statistics for part in parts)]
    return {name: np.concatenate([part.statistics[name] for part in parts]) for name in shared}
