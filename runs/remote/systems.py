"""The file systems of fsspec that speak each scheme, and the libraries that they need."""

from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from runs.errors import UnreadableFile
from runs.remote.addresses import Address

NEEDS = {"sftp": "paramiko", "s3": "s3fs", "http": "aiohttp", "https": "aiohttp"}
MISSING = "opening {} addresses needs the package {}; install it with: pip install 'splatdoctor[remote]'"
PATIENCE_S = 20.0


def connect(address: Address, path: Path) -> Any:
    """A file system of fsspec; connecting may wait for the network. Raises UnreadableFile where a package is missing."""
    try:
        return _connect(address)
    except ImportError as error:
        raise UnreadableFile(MISSING.format(address.scheme, NEEDS[address.scheme]), path) from error


def _connect(address: Address) -> Any:
    if address.scheme == "sftp":
        from runs.remote.sftp import connect_sftp

        return connect_sftp(address)
    import fsspec

    if address.scheme == "s3":
        user, password = address.parts.username, address.parts.password
        keys = {"key": unquote(user), "secret": unquote(password)} if user and password else {}
        return fsspec.filesystem("s3", skip_instance_cache=True, **keys)
    import aiohttp

    options: dict[str, Any] = {"timeout": aiohttp.ClientTimeout(total=None, sock_connect=PATIENCE_S, sock_read=PATIENCE_S)}
    user, password = address.parts.username, address.parts.password
    if user:
        options["auth"] = aiohttp.BasicAuth(unquote(user), unquote(password or ""))
    return fsspec.filesystem("http", skip_instance_cache=True, client_kwargs=options)


def disconnect(system: Any) -> None:
    """End the connections of a file system; one that is lost is ended already."""
    with suppress(Exception):
        if hasattr(system, "client"):
            system.client.close()
        elif getattr(system, "_session", None) is not None:
            system.close_session(system.loop, system._session)


def remote_path(address: Address, relative: str = "") -> str:
    """What the file system calls a file below the address."""
    below = f"/{relative}" if relative else ""
    if address.scheme == "sftp":
        return f"{address.path}{below}" or "/"
    if address.scheme == "s3":
        return f"{address.host}{address.path}{below}"
    return _link(address, below)


def _link(address: Address, below: str) -> str:
    from urllib.parse import quote

    query = f"?{address.parts.query}" if address.parts.query and not below else ""
    return f"{address.scheme}://{address.host}{quote(address.path + below)}{query}"
