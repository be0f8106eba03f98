"""Where runs lie: above a file or folder that belongs to one, or some levels below a folder that holds several."""

import os
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from runs.trainers import TRAINERS
from runs.trainers.loose.files import FAMILY as LOOSE
from runs.trainers.nerfbaselines import FAMILY as NERFBASELINES

LEVELS_UP = 4  # from a file: point_cloud/iteration_N/point_cloud.ply lies three below its run
LEVELS_DOWN = 4  # from a folder: outputs/<experiment>/<method>/<time>
MOST_FOLDERS, MOST_ENTRIES = 1_000, 100_000  # that are looked at: a disk's root must not hang
NOT_SEARCHED = frozenset({
    "backup", "wandb", ".git", "__pycache__", "point_cloud", "images", "sparse", "node_modules", ".venv", "nerfstudio_models",
    "ckpts",
})


@dataclass(frozen=True)
class Inside:
    """The runs found below a folder, in order of depth and name."""

    runs: tuple[Path, ...]
    is_all: bool  # False: there are more folders than are looked at


def run_above(path: Path) -> Path | None:
    """The nearest folder above a file or folder, at most four levels up, that a trainer wrote to.

    A save of NerfBaselines looks like a run and is a part of one: there the run is the folder that holds the saves.
    """
    above = path.parents[:LEVELS_UP]
    found = next((level for level, folder in enumerate(above) if _is_run(folder, even_loose=False)), None)
    if found is None:
        return None
    wraps = found + 1 < len(above) and NERFBASELINES.knows(above[found]) and NERFBASELINES.knows(above[found + 1])
    return above[found + 1] if wraps else above[found]


def runs_inside(folder: Path) -> Inside:
    """Runs up to four levels below `folder`; what lies inside a run belongs to it and is not searched."""
    found: list[Path] = []
    waiting = deque([(folder, 1)])
    seen = {_identity(folder)}
    looked_at = 0
    while waiting:
        parent, depth = waiting.popleft()
        for child in _folders(parent):
            if looked_at == MOST_FOLDERS:
                return Inside(tuple(found), False)
            if (identity := _identity(child)) in seen:
                continue  # a link back up, or a second way to the same folder
            seen.add(identity)
            looked_at += 1
            if _is_run(child, even_loose=True):
                found.append(child)
            elif depth < LEVELS_DOWN:
                waiting.append((child, depth + 1))
    return Inside(tuple(found), True)


def _is_run(folder: Path, *, even_loose: bool) -> bool:
    return any(family.knows(folder) for family in TRAINERS if even_loose or family is not LOOSE)


def _folders(parent: Path) -> Iterator[Path]:
    """The sub-folders worth a look, in order of name; none of a folder that may not be read."""
    names: list[str] = []
    with suppress(OSError), os.scandir(parent) as entries:
        names = [entry.name for entry in islice(entries, MOST_ENTRIES) if entry.name not in NOT_SEARCHED and _is_folder(entry)]
    return (parent / name for name in sorted(names))


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a loop of links


def _identity(folder: Path) -> tuple[int, int] | Path:
    try:
        status = folder.stat()
    except OSError:
        return folder
    return (status.st_dev, status.st_ino) if status.st_ino else folder
