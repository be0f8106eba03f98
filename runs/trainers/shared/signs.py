"""Signs of a trainer in the first bytes of its splat files: the comments that exporters leave in a PLY header."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from runs.storage import ensure

HEAD_BYTES = 1_024  # the comments stand before the properties
MOST_FILES = 200  # that are looked into, of one folder


def head_of(path: Path, size: int = HEAD_BYTES) -> bytes:
    """The first bytes of a file; none where it cannot be read."""
    with suppress(OSError):
        ensure(path, 0, size)
        with path.open("rb", buffering=0) as file:
            return file.read(size)
    return b""


def plys_with(folder: Path, *comments: bytes) -> Iterator[Path]:
    """The PLY files in a folder whose header has one of the comments, in order of name; lazily."""
    return (path for path in plys_of(folder)[:MOST_FILES] if has_comment(head_of(path), comments))


def plys_of(folder: Path) -> list[Path]:
    """The PLY files of a folder in order of name; none where there is no readable folder."""
    with suppress(OSError):
        return sorted(path for path in folder.glob("*.ply") if path.is_file())
    return []


def has_comment(head: bytes, comments: Iterable[bytes]) -> bool:
    """Whether the header of a PLY begins with one of the comments (spelled without the keyword)."""
    lines = head.splitlines()
    return head.startswith(b"ply") and any(b"comment " + text == line[:len(text) + 8] for text in comments for line in lines)
