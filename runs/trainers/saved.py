"""The saved files of a run: splat files and resumable states, of which only headers and names are read."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from runs.advice import UNFINISHED
from runs.checkpoints import Checkpoint, StateFile, TrainingState
from runs.errors import RunError
from runs.formats.ply import gaussians_of, read_splat_header
from runs.formats.ply_columns import SplatHeader
from runs.formats.ply_header import Stamp
from runs.formats.torch_file import is_unfinished
from runs.gaussians import Gaussians
from runs.notes import NoteBook
from runs.trainers.inria_state import read_state

LEFT_OUT = "left out: "


@dataclass(frozen=True)
class ReadSplats:
    """Reads the Gaussians of one file; equal to another one if that would read the same unchanged file."""

    header: SplatHeader

    def __call__(self) -> Gaussians:
        return gaussians_of(self.header)


@dataclass(frozen=True)
class ReadState:
    """Reads one resumable state; equal to another one if that would read the same unchanged file."""

    path: Path
    stamp: Stamp

    def __call__(self) -> TrainingState:
        return read_state(self.path)


def splat_headers(files: Iterable[Path], book: NoteBook) -> Iterator[SplatHeader]:
    """The header of each readable splat file; what cannot be read is noted and left out."""
    for path in files:
        try:
            header = read_splat_header(path)
        except RunError as error:
            book.add(str(path), f"{LEFT_OUT}{error.says}")
            continue
        for says in header.notes:
            book.add(str(path), says)
        yield header


def checkpoints(headers: Iterable[tuple[int, SplatHeader]], book: NoteBook) -> tuple[Checkpoint, ...]:
    """One checkpoint per iteration, in their order; a second file of one iteration is noted and left out."""
    found: dict[int, Checkpoint] = {}
    for iteration, header in sorted(headers, key=lambda pair: (pair[0], pair[1].path)):
        if iteration in found:
            book.add(str(header.path), f"{LEFT_OUT}{found[iteration].path} is of the same iteration; move one of them away")
        else:
            found[iteration] = Checkpoint(
                iteration, header.path, header.count, header.sh_degree, header.size_bytes, ReadSplats(header),
            )
    return tuple(found.values())


def state_files(folder: Path, book: NoteBook) -> tuple[StateFile, ...]:
    """Every finished chkpntN.pth in `folder`, by iteration."""
    found = []
    files = (path for path in folder.glob("chkpnt*.pth") if path.is_file())
    for iteration, path in sorted(numbered(files, r"chkpnt(\d{1,12})\.pth")):
        if is_unfinished(path):
            book.add(str(path), f"{LEFT_OUT}this checkpoint is not whole; {UNFINISHED}")
        else:
            found.append(StateFile(iteration, path, ReadState(path, Stamp.of(path.stat()))))
    return tuple(found)


def numbered(paths: Iterable[Path], pattern: str) -> Iterator[tuple[int, Path]]:
    """The iteration in each name that matches `pattern` as a whole."""
    for path in paths:
        match = re.fullmatch(pattern, path.name)
        if match:
            yield int(match[1]), path
