"""What a report was made with and from: software versions, and hashes of the files that were read."""

import hashlib
import os
import platform
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from diagnostics.verdict import NOT_AVAILABLE
from runs.errors import RunError
from runs.storage import open_file

CHUNK_BYTES = 8 << 20
SMALL_BYTES = 16 << 20  # files beside the checkpoints are hashed up to this size
MOST_FILES = 40
PACKAGES = ("numpy", "numba", "scipy", "plyfile", "pillow", "reportlab")
Tick = Callable[[int], None]  # told how many bytes were hashed since the last call


@dataclass(frozen=True)
class FileHash:
    """One file as it was when the report was made."""

    name: str  # relative to the run's folder where it lies inside
    size_bytes: int | None  # None: it could not be read
    sha256: str  # of the whole file, or why there is none


def package_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return NOT_AVAILABLE


def product() -> str:
    """The product with its version."""
    return f"splatdoctor {package_version('splatdoctor')}"


def software() -> tuple[tuple[str, str], ...]:
    """Names and versions of what computed the numbers."""
    rows = [("splatdoctor", package_version("splatdoctor")), ("Python", platform.python_version())]
    rows += [(name, package_version(name)) for name in PACKAGES]
    return (*rows, ("system", f"{platform.system()} {platform.machine()}"))


def small_files(folder: Path) -> tuple[tuple[Path, ...], int]:
    """Files directly in the run's folder that are small enough to hash always, and how many were left out."""
    try:
        with os.scandir(folder) as entries:
            sizes = {Path(entry.path): entry.stat().st_size for entry in entries if entry.is_file()}
    except OSError:  # not a folder, not permitted, or a file went away while we looked
        return (), 0
    small = sorted(path for path, size in sizes.items() if size <= SMALL_BYTES)[:MOST_FILES]
    return tuple(small), len(sizes) - len(small)


def hashed(paths: Iterable[Path], folder: Path, tick: Tick = lambda _: None) -> tuple[FileHash, ...]:
    """SHA-256 of each whole file, read in chunks; a file that cannot be read says so."""
    return tuple(_hashed(path, folder, tick) for path in dict.fromkeys(paths))


def _hashed(path: Path, folder: Path, tick: Tick) -> FileHash:
    name = str(path.relative_to(folder)) if path.is_relative_to(folder) and path != folder else str(path)
    digest, size = hashlib.sha256(), 0
    try:
        with open_file(path) as stream:
            while chunk := stream.read(CHUNK_BYTES):
                digest.update(chunk)
                size += len(chunk)
                tick(len(chunk))
    except RunError as error:
        return FileHash(name, None, f"{NOT_AVAILABLE} ({error.says})")
    except OSError as error:
        return FileHash(name, None, f"{NOT_AVAILABLE} ({error.strerror or error})")
    return FileHash(name, size, digest.hexdigest())
