"""The saved files of a run: splat files and resumable states, of which only headers and names are read."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from runs.checkpoints import Checkpoint, TrainingState
from runs.errors import RunError
from runs.formats.splat_file import SplatFile, Stamp
from runs.formats.splat_formats import look_at
from runs.notes import NoteBook, counted
from runs.trainers.shared.filtered import with_filter

LEFT_OUT = "left out: "


@dataclass(frozen=True)
class ReadState:
    """Reads one resumable state; equal to another one if that would read the same unchanged file."""

    path: Path
    stamp: Stamp
    reader: Callable[[Path], TrainingState]

    def __call__(self) -> TrainingState:
        return self.reader(self.path)


def splat_files(
    paths: Iterable[Path], book: NoteBook, look: Callable[[Path], SplatFile] = look_at,
) -> list[SplatFile]:
    """A look at each readable file of splats; what cannot be read is noted and left out.

    A reservation that several files share is told once.
    """
    files = []
    shared: dict[str, list[Path]] = {}
    for path in paths:
        try:
            file = with_filter(look(path))
        except RunError as error:
            book.add(str(path), f"{LEFT_OUT}{error.says}")
            continue
        for says in file.notes:
            shared.setdefault(says, []).append(path)
        files.append(file)
    for says, of in shared.items():
        book.add(str(of[0]), says if len(of) == 1 else f"{says} (so do {counted(len(of) - 1, 'other file')})")
    return files


def checkpoints(files: Iterable[tuple[int, SplatFile]], book: NoteBook) -> tuple[Checkpoint, ...]:
    """One checkpoint per iteration, in their order; a second file of one iteration is noted and left out."""
    found: dict[int, Checkpoint] = {}
    for iteration, file in sorted(files, key=lambda pair: (pair[0], pair[1].path)):
        if iteration in found:
            book.add(str(file.path), f"{LEFT_OUT}{found[iteration].path} is of the same iteration; move one of them away")
        else:
            found[iteration] = checkpoint_of(iteration, file)
    return tuple(found.values())


def checkpoint_of(iteration: int, file: SplatFile) -> Checkpoint:
    return Checkpoint(
        iteration, file.path, file.count, file.sh_degree, file.stamp.size_bytes, file.read,
        holds=file.holds, keeps_rows=file.keeps_rows, antialiased=file.antialiased,
    )


def numbered(paths: Iterable[Path], pattern: str) -> Iterator[tuple[int, Path]]:
    """The iteration in each name that matches `pattern` as a whole."""
    for path in paths:
        match = re.fullmatch(pattern, path.name)
        if match:
            yield int(match[1]), path
