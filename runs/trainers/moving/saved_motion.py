"""Opening what moves one save; where that cannot be done the canonical set is shown standing still, and a note says why."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from runs.advice import UNFINISHED, cannot_open
from runs.errors import RunError
from runs.formats.torch_file import is_unfinished
from runs.motion import Motion
from runs.notes import NoteBook

OTHER_NETWORK = "so the scene is shown standing still; render its moments with the trainer that wrote it"
STILL = "so the canonical Gaussians of this save stand still"

Read = TypeVar("Read", bound=Motion)


def motion_or_note(path: Path, read: Callable[[Path], Read], book: NoteBook) -> Read | None:
    """The motion in `path`, or None and a note."""
    try:
        if not path.is_file():
            book.add(str(path), f"is missing, {STILL}; copy it from where training ran")
        elif is_unfinished(path):
            book.add(str(path), f"is not whole, {STILL}; {UNFINISHED}")
        else:
            return read(path)
    except RunError as error:
        book.add_error(error)
    except OSError as error:
        book.add(str(path), cannot_open(error))
    return None
