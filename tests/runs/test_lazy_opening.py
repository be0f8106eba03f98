"""Opening a run must cost its headers, however large it is: a folder of thirty million Gaussians opens before a user waits."""

import io
import mmap
import os
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import pytest

from runs.formats.splat_formats import HEAD_BYTES
from runs.open_run import open_run, reopen
from tests.support.files import inria_columns, random_gaussians, write_inria_run, write_ply

ITERATIONS = range(1000, 31_000, 1000)
COUNT = 1_000_000
ROW_BYTES = 248  # SH degree 3, with normals
HEADER_BYTES = 8192  # what is read at once; INRIA's header takes 1.5 KB of it


def write_large_run(folder: Path) -> Path:
    """Thirty saves of a million splats of degree 3: real headers, and rows that take no space on the disk."""
    write_inria_run(folder, iterations=())
    small = write_ply(folder / "small.ply", inria_columns(random_gaussians(1)))
    header, _, _ = small.read_bytes().partition(b"end_header\n")
    header = header.replace(b"element vertex 1\n", b"element vertex %d\n" % COUNT) + b"end_header\n"
    small.unlink()
    for iteration in ITERATIONS:
        path = folder / "point_cloud" / f"iteration_{iteration}" / "point_cloud.ply"
        path.parent.mkdir(parents=True)
        with path.open("wb") as file:
            file.write(header)
            file.truncate(len(header) + COUNT * ROW_BYTES)
    return folder


class Counted(io.FileIO):
    """A file that counts the bytes which leave it."""

    taken: ClassVar[Counter[int]] = Counter()

    def readinto(self, buffer: Any) -> int:
        got = super().readinto(buffer)
        self.taken[os.fstat(self.fileno()).st_ino] += got
        return got

    def read(self, size: int | None = -1, /) -> bytes:
        got = super().read(-1 if size is None else size)
        self.taken[os.fstat(self.fileno()).st_ino] += len(got)
        return got


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """Bytes read of each PLY by its inode; a mapped one counts with its whole size."""
    really_open, really_map = Path.open, mmap.mmap
    monkeypatch.setattr(Counted, "taken", Counter())

    def opened(path: Path, mode: str = "r", *rest: Any, **options: Any) -> Any:
        if path.suffix == ".ply" and mode == "rb":
            return Counted(path) if options.get("buffering") == 0 else io.BufferedReader(Counted(path))
        return really_open(path, mode, *rest, **options)

    def mapped(number: int, *rest: Any, **options: Any) -> mmap.mmap:
        found = really_map(number, *rest, **options)
        Counted.taken[os.fstat(number).st_ino] += len(found)
        return found

    monkeypatch.setattr(Path, "open", opened)
    monkeypatch.setattr(mmap, "mmap", mapped)
    return Counted.taken


def test_thirty_million_gaussians_open_by_their_headers(tmp_path: Path, taken: Counter[int]) -> None:
    """7.4 GB lie there; a few kilobytes of each file are read, none is mapped, and using one file touches only that one."""
    folder = write_large_run(tmp_path)
    run = reopen(open_run(folder))
    assert run.iterations == tuple(ITERATIONS)
    assert {(c.count, c.sh_degree) for c in run.checkpoints} == {(COUNT, 3)}
    assert run.settings.value("sh_degree") == 1
    assert (run.cameras, dict(run.series), run.events, run.notes) == ((), {}, (), ())
    ours = {checkpoint.path.stat().st_ino for checkpoint in run.checkpoints}  # threads of other tests may map files of their own
    assert {taken[inode] for inode in ours} == {2 * (HEAD_BYTES + HEADER_BYTES)}  # opened and looked at again
    used = run.checkpoints[7]
    assert used.gaussians.extra_names == ()
    assert used.gaussians.means.shape == (COUNT, 3)
    assert [inode for inode in ours if taken[inode] > 2 * (HEAD_BYTES + HEADER_BYTES)] == [used.path.stat().st_ino]
    assert taken[used.path.stat().st_ino] > COUNT * ROW_BYTES  # so the counting would have shown a mapping
