"""What every reader may do with any bytes: succeed, or raise our error about the very file, with what to do."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runs.errors import RunError


@contextmanager
def only_our_error(path: Path) -> Iterator[None]:
    """Lets a RunError about `path` pass that says what to do; any other exception fails the test."""
    try:
        yield
    except RunError as error:
        if error.file != path or "; " not in error.says:
            raise
