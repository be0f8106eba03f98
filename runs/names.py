"""Matching image names between files that write them with or without folder and extension."""

from collections.abc import Iterable
from pathlib import PurePosixPath

PHOTO_ENDINGS = frozenset({".jpg", ".jpeg", ".png", ".tif", ".tiff", ".bmp", ".webp"})


def stem_path(name: str) -> str:
    """The name with its sub-folders but without its extension: "left/0001.JPG" -> "left/0001"."""
    path = PurePosixPath(name.replace("\\", "/"))
    return str(path.with_suffix("")) if path.suffix.lower() in PHOTO_ENDINGS else str(path)


class NameIndex:
    """Finds a name among known ones: exactly, else without extension, else by the last part where that is unique."""

    def __init__(self, names: Iterable[str]) -> None:
        self._exact: dict[str, str] = {}
        self._stems: dict[str, str] = {}
        last: dict[str, list[str]] = {}
        for name in names:
            self._exact.setdefault(name, name)
            self._stems.setdefault(stem_path(name), name)
            last.setdefault(PurePosixPath(stem_path(name)).name, []).append(name)
        self._last = {key: found[0] for key, found in last.items() if len(found) == 1}

    def find(self, name: str) -> str | None:
        """The known name that means the same image, or None."""
        stem = stem_path(name)
        return self._exact.get(name) or self._stems.get(stem) or self._last.get(PurePosixPath(stem).name)

    def find_all(self, names: Iterable[str]) -> set[str]:
        """The known names among `names`."""
        return {found for name in names if (found := self.find(name)) is not None}
