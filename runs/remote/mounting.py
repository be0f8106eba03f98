"""Mounting: the text of an address becomes the local path under which readers find the remote run."""

import threading
from pathlib import Path

from runs.errors import RunError
from runs.remote.addresses import Address, is_address, parse
from runs.remote.cache import cache_folder
from runs.remote.mirror import Mirror
from runs.storage import mount, refresh, remote_of, unmount

_LOCK = threading.Lock()
_TYPED: dict[str, str] = {}  # the address as it is shown -> as it was typed, with the user: for opening it again, in memory only


def located(place: Path | str) -> Path:
    """The local path of what a user named by its path or address. Raises as `mounted`."""
    return mounted(place) if isinstance(place, str) and is_address(place) else Path(place)


def mounted(text: str) -> Path:
    """The path of a run at an address, listed but not read; that of a file:// address is on this machine already.

    An address that is mounted stays so until the program ends, and is listed anew. Raises NotARun for what is no address,
    UnreadableFile where the remote machine or the folder cannot be reached.
    """
    address = parse(text)
    if isinstance(address, Path):
        return address
    if address.secret.rstrip("/") == address.shown and address.shown in _TYPED:
        return mounted(_TYPED[address.shown])
    mirror = Mirror(address, cache_folder() / address.cache_name, mounted)
    with _LOCK:
        if remote_of(mirror.root) is None:
            _mount(mirror)
        else:
            refresh(mirror.root)
        if address.secret.rstrip("/") != address.shown:
            _TYPED[address.shown] = address.secret
    return mirror.root


def remember_typed(text: str) -> None:
    """An address as it was typed, with the user: whoever opens the shown one later in this process opens this one."""
    address = parse(text)
    if isinstance(address, Address) and address.secret.rstrip("/") != address.shown:
        with _LOCK:
            _TYPED[address.shown] = address.secret


def typed(shown: str) -> str:
    """The address as it was typed, with what is secret in it; `shown` itself where nothing was."""
    return _TYPED.get(shown, shown)


def _mount(mirror: Mirror) -> None:
    mount(mirror.root, mirror)
    try:
        mirror.connect()
    except RunError:
        unmount(mirror.root)
        raise
