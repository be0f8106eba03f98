"""Target: one parser under test, and the valid files that mutations start from."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Target:
    """Reading a file must return, or raise `RunError`; within bounded memory and time, whatever its bytes are."""

    name: str  # "ply", "spz", …
    file_name: str  # the name the bytes are stored under: "scene.ply", "cfg_args", …
    read: Callable[[Path], object]  # reads everything: lazy columns too
    seeds: Callable[[], tuple[bytes, ...]]  # small valid files
