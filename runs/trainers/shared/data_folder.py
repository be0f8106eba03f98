"""Where a run's data set and its photos lie on this machine: as told, as recorded, or beside the run."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

from runs.advice import cannot_open
from runs.errors import RunError, UnreadableFile
from runs.formats.cameras.dataset import USUAL_ORDER, DataSet, Kind, is_dataset, read_dataset
from runs.formats.cameras.transforms import here, pure
from runs.formats.small_files import unreadable
from runs.names import PHOTO_ENDINGS, NameIndex
from runs.notes import NoteBook
from runs.photos import Photo
from runs.storage import beside, ensure_folder, remote_of

ANCESTORS = 4  # how far up from the run a sibling data folder is looked for
IMAGE_FOLDERS = ("images", "input", "images_2", "images_4", "images_8", ".")
NOT_PHOTOS = frozenset({"masks", "mask", "depths", "depth", "normals", "sparse", "stereo", "colmap", "dense"})
MOST_PHOTOS = 100_000
TURNED = ("is stored with EXIF orientation {}, and trainers read it without the turn that photo viewers make; if it looks "
          "turned here, turn the photos for good before COLMAP")


def find_data(
    run: Path, recorded: object, given: Path | None, names: Callable[[], tuple[str, ...]], book: NoteBook,
) -> Path | None:
    """The data folder: `given` by the user, else the `recorded` path, else one of the same name near the run, else None.

    A folder near the run must hold photos of at least half of the cameras in `names()`, for another scene may have the
    same name. Raises UnreadableFile if the given folder is not there.
    """
    if given is not None:
        return data_root(given)
    recorded = recorded if isinstance(recorded, str) else ""  # a setting may be anything
    if recorded and (there := beside(run, recorded)) is not None and _is_data(there):
        return there
    if recorded and remote_of(run) is None and Path(recorded).is_absolute() and _is_data(Path(recorded)):
        return Path(recorded)
    if _is_data(run):
        return run
    for near in _near(run, recorded) if recorded else ():
        if _holds_photos_of(near, names()):
            book.add(str(near), f"used in place of {recorded}, which is not here; name the data folder if this is another scene")
            return near
    return None


def data_root(given: Path) -> Path:
    """The data folder that the user means: the folder named, the one around `sparse/0`, `images` or a transforms file.

    Raises UnreadableFile if nothing is there.
    """
    try:
        if given.is_file() and given.suffix.lower() == ".json":
            return given.parent
        if not given.is_dir():
            raise UnreadableFile("this data folder does not exist; name the folder that holds the photos", given)
        around = given.parent.parent if given.parent.name == "sparse" else given.parent
        is_part = given.name in ("sparse", "images", "input") or given.parent.name == "sparse" or given.name.startswith("images_")
        return around if is_part and _is_data(around) else given
    except OSError as error:
        raise unreadable(error, given) from error


def read_data_set(data: Path | None, book: NoteBook, order: tuple[Kind, ...] = USUAL_ORDER) -> DataSet | None:
    """The data set in the data folder, if there is one; trouble and its own reservations go to the notebook.

    `order` is that in which the trainer looks for kinds of data sets.
    """
    try:
        found = None if data is None else read_dataset(data, order)
    except RunError as error:
        book.add_error(error)
        return None
    except OSError as error:
        book.add(str(data), cannot_open(error, "folder"))
        return None
    for says in () if found is None else found.notes:
        book.add(str(found.source if found is not None else data), says)
    return found


def _near(run: Path, recorded: str) -> Iterator[Path]:
    """Folders in or near the run whose path ends as the recorded one does; longer matches first."""
    tail = [part for part in pure(recorded).parts if part not in ("/", "\\", "..", ".") and ":" not in part]
    for length in (2, 1):
        for ancestor in (run, *list(run.parents)[:ANCESTORS]) if len(tail) >= length else ():
            candidate = ancestor.joinpath(*tail[-length:])
            if _is_data(candidate):
                yield candidate


def _holds_photos_of(data: Path, names: tuple[str, ...]) -> bool:
    for folder in IMAGE_FOLDERS if names else ():
        index = NameIndex(photos_below(data / folder))
        if sum(index.find(name) is not None for name in names) * 2 >= len(names):
            return True
    return False


def _is_data(folder: Path) -> bool:
    """Whether it looks like a data set: photos, or cameras of one."""
    try:
        return folder.is_dir() and (any((folder / sign).exists() for sign in ("images", "sparse")) or is_dataset(folder))
    except OSError:
        return False


def find_photos(
    data: Path | None, images: str | None, names: tuple[str, ...], book: NoteBook,
    recorded: Mapping[str, Path | str] | None = None,
) -> Mapping[str, Photo]:
    """The photos of the cameras in `names`, by camera name, none of which is opened but one header.

    `images` is the trainer's own setting for the folder; `recorded` where the data set or the run says each photo is. A
    recorded path of another machine is passed over, and the photo looked for by its name in the data folder.
    """
    if data is None:
        return {}
    found = _recorded(data, names, recorded or {})
    if len(found) < len(names):
        found = {**_in_folders(data, images, names, book, bool(found)), **found}
    if found:
        _note_turn(next(iter(found.values())), book)
    return {name: found[name] for name in names if name in found}


def _recorded(data: Path, names: tuple[str, ...], recorded: Mapping[str, Path | str]) -> dict[str, Photo]:
    index = NameIndex(recorded)
    told = {name: recorded[key] for name in names if (key := index.find(name)) is not None}
    paths = {name: path if isinstance(path, Path) else here(data, path) for name, path in told.items()}
    for folder in {path.parent for path in paths.values()}:
        ensure_folder(folder)
    return {name: Photo(name, path) for name, path in paths.items() if _is_photo(path)}


def _is_photo(path: Path) -> bool:
    try:
        return path.suffix.lower() in PHOTO_ENDINGS and path.is_file()  # no pipe or device, whatever a file names
    except (OSError, ValueError):
        return False


def _in_folders(data: Path, images: str | None, names: tuple[str, ...], book: NoteBook, some: bool) -> dict[str, Photo]:
    for folder in dict.fromkeys((images or "images", *IMAGE_FOLDERS)):
        paths = photos_below(data / folder)
        index = NameIndex(paths)
        found = {name: key for name in names if (key := index.find(name)) is not None}
        if found:
            if len(found) < len(names):
                absent = next(name for name in names if name not in found)
                says = f"holds photos of {len(found)} of {len(names)} cameras ({absent} is missing); add the others"
                book.add(str(data / folder), says)
            return {name: Photo(name, paths[key]) for name, key in found.items()}
    if not some:
        book.add(str(data), "holds no readable photo of any camera of this run; name the data folder that does")
    return {}


def _note_turn(photo: Photo, book: NoteBook) -> None:
    """One photo stands for all: opening each would take longer than opening the run."""
    with suppress(RunError):
        if photo.exif_orientation != 1:
            book.add(str(photo.path), TURNED.format(photo.exif_orientation))


def photos_below(folder: Path) -> dict[str, Path]:
    """Relative name -> path of every image file in the folder and its sub-folders, as far as they may be read."""
    found: dict[str, Path] = {}
    with suppress(OSError):
        ensure_folder(folder)
        if folder.is_dir():
            for path in islice(_images(folder), MOST_PHOTOS):
                found[path.relative_to(folder).as_posix()] = path
    return dict(sorted(found.items()))


def _images(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.suffix.lower() in PHOTO_ENDINGS and not NOT_PHOTOS & set(path.relative_to(folder).parts[:-1]):
            yield path
