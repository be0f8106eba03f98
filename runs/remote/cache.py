"""The folder that mirrors lie in, and how it is kept small: whole runs go, the one longest unused first."""

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

from runs.remote.locks import hold, is_held

VARIABLE = "SPLATDOCTOR_CACHE"
MOST_BYTES = 20 * 2**30
IN_USE = "in-use"
FILES, RECORDS = "files", "records"


def cache_folder() -> Path:
    """`SPLATDOCTOR_CACHE`, else the platform's folder for caches."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).resolve() / "remote"
    return _of_platform().resolve() / "splatdoctor" / "remote"


def _of_platform() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def taken_bytes(folder: Path) -> int:
    """What the files below really take on the disk: stand-ins have holes."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            status = path.stat()
            total += status.st_blocks * 512 if hasattr(status, "st_blocks") else status.st_size
    return total


def evict(keep: Path, most_bytes: int = MOST_BYTES) -> None:
    """Remove the mirrors longest unused until all take less than `most_bytes`; never `keep`, nor one that is in use."""
    with suppress(OSError):
        mirrors = sorted((path for path in keep.parent.iterdir() if path.is_dir()), key=_last_used, reverse=True)
        total = 0
        for mirror in mirrors:
            total += taken_bytes(mirror)
            if total > most_bytes and mirror != keep and not is_held(mirror / IN_USE):
                shutil.rmtree(mirror, ignore_errors=True)


def _last_used(mirror: Path) -> float:
    with suppress(OSError):
        return (mirror / IN_USE).stat().st_mtime
    return 0.0


def use(mirror: Path) -> IO[bytes]:
    """Mark a mirror as used now and held until the file that is returned is closed."""
    held = hold(mirror / IN_USE)
    os.utime(mirror / IN_USE)
    return held
