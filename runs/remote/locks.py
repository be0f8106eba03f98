"""Locks on files: between the threads of this process, and between processes that share the cache."""

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_THREADS: defaultdict[Path, threading.RLock] = defaultdict(threading.RLock)
_GUARD = threading.Lock()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Alone with `path` while the block runs; where files cannot be locked, alone in this process."""
    with _GUARD:
        own = _THREADS[path]
    with own:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.with_name(f"{path.name}.lock").open("ab") as file:
            _lock(file)  # given back when the file is closed
            yield


def _lock(file: IO[bytes]) -> None:
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX)


def hold(path: Path) -> IO[bytes]:
    """Mark `path` as in use by this process until the file that is returned is closed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("ab")
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_SH)
    return file


def is_held(path: Path) -> bool:
    """Whether any process uses `path`."""
    if fcntl is None:
        return True  # nobody can tell
    try:
        with path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except OSError:
        return True
