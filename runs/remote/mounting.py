"""Mounting: the text of an address becomes the local path under which readers find the remote run."""

import threading
from pathlib import Path

from runs.errors import RunError
from runs.remote.addresses import Address, parse
from runs.remote.cache import cache_folder
from runs.remote.mirror import Mirror
from runs.storage import mount, remote_of, unmount

_LOCK = threading.Lock()


def mounted(text: str) -> Path:
    """The path of a run at an address, listed but not read; that of a file:// address is on this machine already.

    An address that is mounted stays so until the program ends. Raises NotARun for what is no address, UnreadableFile where
    the remote machine or the folder cannot be reached.
    """
    address = parse(text)
    if isinstance(address, Path):
        return address
    with _LOCK:
        mirror = Mirror(address, cache_folder() / address.cache_name)
        if remote_of(mirror.root) is None:
            _mount(mirror)
        return mirror.root


def _mount(mirror: Mirror) -> None:
    mount(mirror.root, mirror)
    try:
        mirror.connect()
    except RunError:
        unmount(mirror.root)
        raise


def address_text(address: Address | Path) -> str:
    """As it may be shown and remembered."""
    return address.shown if isinstance(address, Address) else str(address)
