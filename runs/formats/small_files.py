"""Reading one small text or JSON file whole, under a cap on its size."""

import json
import os
from pathlib import Path
from typing import Any

from runs.advice import FOREIGN, UNFINISHED, cannot_open
from runs.errors import RefusedFile, UnreadableFile
from runs.storage import open_file

MIB = 2**20
LARGEST_SIDE_PX = 1_000_000  # far above any photo; a size beyond it would only exhaust memory


def unreadable(error: OSError, path: Path) -> UnreadableFile:
    """The sentence for a file that the operating system does not hand out."""
    return UnreadableFile(cannot_open(error), path)


def read_small(path: Path, cap_bytes: int) -> bytes:
    """The whole file. Raises UnreadableFile, or RefusedFile above the cap."""
    try:
        with open_file(path) as file:
            held = os.fstat(file.fileno()).st_size  # a read takes the memory that it is asked for, before it reads
            data = file.read(min(held, cap_bytes) + 1)
    except OSError as error:
        raise unreadable(error, path) from error
    if len(data) > cap_bytes:
        raise RefusedFile(f"this file is over {cap_bytes / MIB:g} MiB, far more than such a file needs; {FOREIGN}", path)
    return data


def read_json(path: Path, cap_bytes: int = 64 * MIB) -> Any:
    """The parsed file; bare NaN and Infinity are accepted, as Python's own json writes them.

    Raises UnreadableFile if the text is no JSON, RefusedFile above the cap.
    """
    data = read_small(path, cap_bytes)
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"this is not complete JSON ({error}); {UNFINISHED}", path) from error


def as_number(value: object) -> float | None:
    """A JSON number or truth value as float; None for anything else, and for integers beyond float64."""
    if not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None
