"""Where a run's photos and camera model lie on this machine: as told, as recorded, or beside the run."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

from runs.errors import UnreadableFile
from runs.formats.small_files import unreadable
from runs.names import PHOTO_ENDINGS, NameIndex
from runs.notes import NoteBook
from runs.photos import Photo

ANCESTORS = 4  # how far up from the run a sibling data folder is looked for
IMAGE_FOLDERS = ("images", "input", ".")
MOST_PHOTOS = 100_000


def find_data(
    run: Path, recorded: str | None, given: Path | None, names: Callable[[], tuple[str, ...]], book: NoteBook,
) -> Path | None:
    """The data folder: `given` by the user, else the `recorded` path, else one of the same name near the run, else None.

    A folder near the run must hold photos of at least half of the cameras in `names()`, for another scene may have the
    same name. Raises UnreadableFile if the given folder is not there.
    """
    if given is not None:
        if not _is_folder(given):
            raise UnreadableFile("this data folder does not exist; name the folder that holds the photos", given)
        return given
    if recorded and Path(recorded).is_absolute() and _is_data(Path(recorded)):
        return Path(recorded)
    if _is_data(run):
        return run
    for near in _near(run, recorded) if recorded else ():
        if _holds_photos_of(near, names()):
            book.add(str(near), f"used in place of {recorded}, which is not here; name the data folder if this is another scene")
            return near
    return None


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError as error:
        raise unreadable(error, path) from error


def _near(run: Path, recorded: str) -> Iterator[Path]:
    """Folders in or near the run whose path ends as the recorded one does; longer matches first."""
    tail = [part for part in _pure(recorded).parts if part not in ("/", "\\", "..", ".") and ":" not in part]
    for length in (2, 1):
        for ancestor in (run, *list(run.parents)[:ANCESTORS]) if len(tail) >= length else ():
            candidate = ancestor.joinpath(*tail[-length:])
            if _is_data(candidate):
                yield candidate


def _holds_photos_of(data: Path, names: tuple[str, ...]) -> bool:
    for folder in IMAGE_FOLDERS if names else ():
        index = NameIndex(_photos_below(data / folder))
        if sum(index.find(name) is not None for name in names) * 2 >= len(names):
            return True
    return False


def _pure(recorded: str) -> PurePath:
    """A recorded path may come from another operating system."""
    return PureWindowsPath(recorded) if re.match(r"[A-Za-z]:[\\/]", recorded) else PurePosixPath(recorded)


def _is_data(folder: Path) -> bool:
    """Whether it looks like a data set: photos, a COLMAP model or Blender's transforms."""
    try:
        signs = ("images", "sparse", "transforms_train.json", "transforms.json", "cameras.bin", "cameras.txt")
        return folder.is_dir() and any((folder / sign).exists() for sign in signs)
    except OSError:
        return False


def find_photos(data: Path, images: str | None, names: tuple[str, ...], book: NoteBook) -> Mapping[str, Photo]:
    """The photos of the cameras in `names`, by camera name; `images` is the trainer's own setting for the folder."""
    for folder in dict.fromkeys((images or "images", *IMAGE_FOLDERS)):
        paths = _photos_below(data / folder)
        index = NameIndex(paths)
        found = {name: key for name in names if (key := index.find(name)) is not None}
        if found:
            if len(found) < len(names):
                absent = next(name for name in names if name not in found)
                says = f"holds photos of {len(found)} of {len(names)} cameras ({absent} is missing); add the others"
                book.add(str(data / folder), says)
            return {name: Photo(name, paths[key]) for name, key in found.items()}
    book.add(str(data), "holds no readable photo of any camera of this run; name the data folder that does")
    return {}


def _photos_below(folder: Path) -> dict[str, Path]:
    """Relative name -> path of every image file in the folder and its sub-folders, as far as they may be read."""
    found: dict[str, Path] = {}
    with suppress(OSError):
        if folder.is_dir():
            for path in islice((p for p in folder.rglob("*") if p.suffix.lower() in PHOTO_ENDINGS), MOST_PHOTOS):
                found[path.relative_to(folder).as_posix()] = path
    return dict(sorted(found.items()))
