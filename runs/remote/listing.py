"""What lies in a remote folder: names, sizes and versions, looked up in breadth, within bounds."""

import re
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from runs.remote.addresses import safe_name
from runs.remote.blocks import LARGEST_FILE_BYTES, Version

DEEPEST = 6
MOST_ENTRIES = 20_000
MOST_PHOTOS = 100_000  # of the folders that are listed only when photos are looked for
# Folders of thousands of pictures, which opening a run never looks into.
PICTURES = re.compile(
    r"(images|input|masks?|depths?|normals?)(_\d+)?(_png)?|renders|gt|train|test|val|vis|videos|traj|timelapse|eval_.*|media|errors"
)
NEVER = frozenset({".git", "__pycache__", "backup", "node_modules", ".ipynb_checkpoints"})
LOOKS_AT_ONCE = 8


@dataclass(frozen=True)
class Entry:
    """One file or folder below the listed one."""

    relative: str  # "point_cloud/iteration_7000/point_cloud.ply"
    version: Version | None  # None: a folder
    deferred: bool = False  # a folder that was not looked into

    @property
    def name(self) -> str:
        return self.relative.rpartition("/")[2]


@dataclass(frozen=True)
class Listing:
    """Everything found, and whether there is more than the bounds allow."""

    entries: tuple[Entry, ...]
    cut_off: bool


def walk(system: Any, root: str, start: str = "", *, pictures: bool = False) -> Listing:
    """Files and folders below `start`, itself relative to `root`. Folders of pictures are looked into only with `pictures`.

    Raises whatever the file system raises.
    """
    found: list[Entry] = []
    folders = deque([(start, 0)])
    most = MOST_PHOTOS if pictures else MOST_ENTRIES
    deepest_seen = False
    while folders and len(found) < most:
        folder, depth = folders.popleft()
        for entry in children(system, root, folder):
            deferred = entry.version is None and not pictures and PICTURES.fullmatch(entry.name) is not None
            found.append(Entry(entry.relative, entry.version, deferred))
            if entry.version is None and not deferred and entry.name not in NEVER:
                deepest_seen = deepest_seen or depth >= DEEPEST
                folders.extend([(entry.relative, depth + 1)] if depth < DEEPEST else [])
    return Listing(tuple(found[:most]), bool(folders) or len(found) > most or deepest_seen)


def children(system: Any, root: str, folder: str) -> Iterator[Entry]:
    """One folder; names that would lead out of it, or that no file system takes, are passed over."""
    where = f"{root.rstrip('/')}/{folder}".rstrip("/") or "/"
    infos = system.ls(f"{where}/" if root.startswith("http") else where, detail=True)
    for info in _complete(system, [info for info in infos if _is_child(info, where)]):
        name = _name(info)
        version = None if info.get("type") == "directory" else version_of(info)
        if version is None or version.size_bytes <= LARGEST_FILE_BYTES:
            yield Entry(f"{folder}/{name}" if folder else name, version)


def _name(info: Mapping[str, Any]) -> str:
    from urllib.parse import unquote

    stored = str(info["name"])
    path = stored.partition("?")[0].rstrip("/")
    name = path.rpartition("/")[2]
    return unquote(name) if stored.startswith("http") else name


def _is_child(info: Mapping[str, Any], where: str) -> bool:
    """Links of a web page may lead anywhere; only those directly below count."""
    stored = str(info["name"])
    path, name = stored.rstrip("/"), _name(info)
    if path.rpartition("/")[0].lstrip("/") != where.rstrip("/").lstrip("/") or safe_name(name) != name:
        return False
    return "?" not in stored and info.get("type") in ("file", "directory")


def _complete(system: Any, infos: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A web server's listing has links alone: a slash at the end marks a folder, and each file is asked for its size."""
    for info in infos:
        if str(info["name"]).endswith("/"):
            info["type"] = "directory"
    bare = [info for info in infos if info.get("type") == "file" and info.get("size") is None]
    if bare:
        with ThreadPoolExecutor(LOOKS_AT_ONCE) as pool:
            asked = dict(zip((info["name"] for info in bare), pool.map(system.info, [i["name"] for i in bare]), strict=True))
        infos = [asked.get(info["name"], info) for info in infos]
    return [info for info in infos if info.get("type") == "directory" or isinstance(info.get("size"), int)]


def version_of(info: Mapping[str, Any]) -> Version:
    """Of one file, as the file system describes it."""
    modified = _modified_s(info)
    tag = info.get("ETag") or info.get("etag") or info.get("Content-MD5")
    return Version(int(info["size"]), str(tag) if tag else "" if modified is None else str(modified), modified)


def _modified_s(info: Mapping[str, Any]) -> float | None:
    stored = next((info[key] for key in ("mtime", "LastModified", "Last-Modified") if info.get(key)), None)
    if isinstance(stored, str):
        try:
            stored = parsedate_to_datetime(stored)
        except ValueError:
            return None
    if isinstance(stored, datetime):
        return stored.timestamp()
    return float(stored) if isinstance(stored, int | float) else None
