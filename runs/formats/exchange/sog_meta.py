"""Values of a SOG scene's meta.json, each checked before it is used."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from runs.advice import EXPORT_SPLATS, UNTRUSTED
from runs.arrays import F32
from runs.errors import RefusedFile, UnreadableFile

Meta = Mapping[str, Any]
LARGEST_COUNT = 2**31


def group(meta: Meta, part: str, path: Path) -> Meta:
    """The object at meta[part]. Raises UnreadableFile."""
    found = meta.get(part)
    if not isinstance(found, dict):
        raise UnreadableFile(f"the meta.json of this SOG scene has no `{part}`; {EXPORT_SPLATS}", path)
    return found


def numbers(meta: Meta, part: str, key: str, count: int, path: Path) -> F32:
    """float32 [count], finite, at meta[part][key]; a bare number counts as a list of one. Raises UnreadableFile."""
    values = group(meta, part, path).get(key)
    values = values if isinstance(values, list) else [values]
    good = len(values) == count and all(isinstance(v, int | float) and abs(v) < 1e30 for v in values)
    if not good:
        raise UnreadableFile(f"`{part}.{key}` of this SOG scene is not {count} numbers; {EXPORT_SPLATS}", path)
    return np.array(values, np.float32)


def files(meta: Meta, part: str, count: int, path: Path) -> list[str]:
    """The `count` file names at meta[part].files. Raises UnreadableFile."""
    found = group(meta, part, path).get("files")
    if not isinstance(found, list) or len(found) != count or not all(isinstance(name, str) for name in found):
        raise UnreadableFile(f"`{part}.files` of this SOG scene is not {count} names; {EXPORT_SPLATS}", path)
    return found


def whole(value: object, what: str, path: Path, most: int = LARGEST_COUNT) -> int:
    """A count from 1 to `most`. Raises RefusedFile."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= most:
        raise RefusedFile(f"this SOG scene claims an impossible {what} (`{str(value)[:30]}`); {UNTRUSTED}", path)
    return value


def rows_of(meta: Meta, part: str, path: Path) -> int:
    """The number of splats by the shape of one part. Raises RefusedFile or UnreadableFile."""
    shape = group(meta, part, path).get("shape")
    return whole(shape[0] if isinstance(shape, list) and shape else None, "number of splats", path)
