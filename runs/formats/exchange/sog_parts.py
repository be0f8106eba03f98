"""The parts of a SOG scene: meta.json and images, beside each other in a folder or together in a zip that is not extracted."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from runs.advice import EXPORT_SPLATS, UNFINISHED, UNTRUSTED
from runs.arrays import U8
from runs.errors import RefusedFile, UnreadableFile
from runs.formats.exchange.decoded import map_unchanged, stamp_of
from runs.formats.small_files import MIB
from runs.formats.splat_file import Stamp
from runs.formats.zip_members import MAGIC, open_members

META = "meta.json"
META_CAP_BYTES = 4 * MIB
_NAME = re.compile(r"\w[\w .()+-]{0,120}")


@dataclass(frozen=True)
class Folder:
    """Files beside meta.json."""

    path: Path  # of meta.json
    stamps: tuple[tuple[str, Stamp], ...]  # of every part that is known

    @property
    def stamp(self) -> Stamp:
        """All parts together: their bytes, and the newest change."""
        stamps = [stamp for _, stamp in self.stamps]
        return Stamp(sum(stamp.size_bytes for stamp in stamps), max(stamp.modified_ns for stamp in stamps))

    def content(self, name: str) -> U8:
        """uint8 [size], mapped. Raises UnreadableFile when the part is gone or has changed."""
        return map_unchanged(self.path.with_name(name), dict(self.stamps)[name], "part of a SOG scene")

    def with_parts(self, names: Iterable[str]) -> "Folder":
        """Raises UnreadableFile when one is missing, RefusedFile for one that lies elsewhere."""
        found = {name: stamp_of(self.path.with_name(_plain(name, self.path))) for name in names}
        return replace(self, stamps=tuple({**dict(self.stamps), **found}.items()))


@dataclass(frozen=True)
class Zipped:
    """Members of one zip, in the folder of the zip that holds its meta.json."""

    path: Path
    stamp: Stamp
    prefix: str = ""

    def content(self, name: str) -> U8:
        """uint8 [size]. Raises UnreadableFile, or RefusedFile for a bomb."""
        if stamp_of(self.path) != self.stamp:
            raise UnreadableFile("this file changed after its header was read; open the run again", self.path)
        return open_members(self.path, "SOG file").content(self.prefix + name, 16 * self.stamp.size_bytes + META_CAP_BYTES)

    def with_parts(self, names: Iterable[str]) -> "Zipped":
        """Raises UnreadableFile when one is missing, RefusedFile for one that lies elsewhere."""
        members = open_members(self.path, "SOG file").members
        missing = [name for name in names if self.prefix + _plain(name, self.path) not in members]
        if missing:
            raise UnreadableFile(f"this SOG file lacks its part `{missing[0]}`; {EXPORT_SPLATS}", self.path)
        return self


Parts = Folder | Zipped


def open_parts(path: Path) -> Parts:
    """A meta.json or a zip, of which no part but meta.json is known. Raises UnreadableFile or RefusedFile."""
    if path.name == META:
        return Folder(path, ((META, stamp_of(path)),))
    stamp = stamp_of(path)
    if not stamp.size_bytes or bytes(map_unchanged(path, stamp, "SOG file", len(MAGIC))[:4]) != MAGIC:
        raise UnreadableFile(f"this is no SOG file (it is no zip); {EXPORT_SPLATS}", path)
    found = sorted((name for name in open_members(path, "SOG file").members if name.rsplit("/", 1)[-1] == META), key=len)
    if not found:
        raise UnreadableFile(f"this zip is no SOG file (it has no {META}); {EXPORT_SPLATS}", path)
    return Zipped(path, stamp, found[0].removesuffix(META))


def read_meta(parts: Parts) -> dict[str, Any]:
    """The parsed meta.json. Raises UnreadableFile or RefusedFile."""
    data = parts.content(META)
    if len(data) > META_CAP_BYTES:
        raise RefusedFile(f"the {META} of this SOG scene is over {META_CAP_BYTES // MIB} MiB; {UNTRUSTED}", parts.path)
    try:
        meta = json.loads(data.tobytes())
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"the {META} of this SOG scene is not complete JSON ({error}); {UNFINISHED}", parts.path) from error
    if not isinstance(meta, dict):
        raise UnreadableFile(f"the {META} of this SOG scene describes none; {EXPORT_SPLATS}", parts.path)
    return meta


def _plain(name: str, path: Path) -> str:
    if not _NAME.fullmatch(name):
        raise RefusedFile(f"this SOG scene names a part outside its folder (`{name[:60]}`); {UNTRUSTED}", path)
    return name
