"""What the file system says of a run's files, without opening one: enough to see that something was written."""

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from runs.formats.splat_file import Stamp

LEVELS = 4  # checkpoints-N/point_cloud/iteration_N/point_cloud.ply lies deepest
MOST_FILES = 50_000
# Folders of pictures, copies of code, and what belongs to no run; a trainer that renders fills them by the thousand.
NOT_LOOKED_INTO = frozenset({
    "renders", "gt", "images", "train", "test", "val", "video", "videos", "timelapse", "plots", "backup", ".git", "__pycache__",
    "media", "code", "sparse",
})
PICTURES = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".exr", ".webp", ".mp4", ".gif", ".tmp", ".lock"})

FolderState = Mapping[Path, Stamp]


def state_of(path: Path) -> FolderState:
    """The files of a run by path, at most `MOST_FILES`; of a path that is a file, that one. Empty where there is nothing."""
    try:
        if path.is_file():
            return {path: Stamp.of(path.stat())}
    except OSError:
        return {}
    return dict(islice(_files(path, LEVELS), MOST_FILES))


def _files(folder: Path, levels: int) -> Iterator[tuple[Path, Stamp]]:
    try:
        with os.scandir(folder) as entries:
            found = list(islice(entries, MOST_FILES))
    except OSError:
        return  # it vanished, or may not be read, which opening notes
    for entry in found:
        try:
            if entry.is_dir():
                if levels > 1 and entry.name not in NOT_LOOKED_INTO:
                    yield from _files(folder / entry.name, levels - 1)
            elif os.path.splitext(entry.name)[1].lower() not in PICTURES:
                yield folder / entry.name, Stamp.of(entry.stat())
        except OSError:
            continue  # it vanished between the list and the look
