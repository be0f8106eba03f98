"""A file that appears whole: written under another name beside it, then renamed into its place."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Bytes for `path`, which whoever opens it finds as it was before or complete; after an error it is as it was before.

    Makes the folders above. The temporary name begins with a dot and ends with ".tmp", so that no reader takes it for a log
    or a checkpoint.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with beside.open("wb") as file:
            yield file
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """The text as UTF-8 with "\\n" line ends, whole."""
    with whole_file(path) as file:
        file.write(text.encode("utf-8"))
