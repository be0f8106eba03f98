"""Where the bytes of a file come from: this machine, or a remote folder of which only the asked-for parts are fetched.

Readers work on local paths. Before they open or map a file they name the bytes they are about to read with `ensure`;
for a file of a mounted remote folder these are then fetched into its local stand-in, for any other file nothing happens.
"""

from collections.abc import Callable
from pathlib import Path

Fetch = Callable[[Path, int, int | None], None]  # stand-in, first byte, end (None: of the file)

_MOUNTED: dict[Path, Fetch] = {}


def mount(root: Path, fetch: Fetch) -> None:
    """Let `fetch` provide the bytes of all files below `root`."""
    _MOUNTED[root] = fetch


def unmount(root: Path) -> None:
    """Files below `root` are plain local files again."""
    _MOUNTED.pop(root, None)


def ensure(path: Path, start: int = 0, stop: int | None = None) -> None:
    """Have the bytes `start` to `stop` (default: to the end) of the file on this machine. Raises UnreadableFile."""
    for root, fetch in tuple(_MOUNTED.items()):
        if path.is_relative_to(root):
            fetch(path, start, stop)
