"""SFTP as OpenSSH users have it set up: aliases and keys of ~/.ssh/config, hosts of ~/.ssh/known_hosts."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import paramiko
from fsspec.implementations.sftp import SFTPFileSystem

from runs.remote.addresses import Address

PATIENCE_S = 20.0
PART_BYTES = 32_768  # every server hands out this much at once


class UnknownHostKey(paramiko.SSHException):
    """Nothing tells whether the machine that answers is the one that was meant; a password would go to whoever it is."""


class _Refuse(paramiko.MissingHostKeyPolicy):
    def missing_host_key(self, _client: paramiko.SSHClient, hostname: str, _key: paramiko.PKey) -> None:
        raise UnknownHostKey(hostname)


class Sftp(SFTPFileSystem):  # type: ignore[misc]
    """fsspec's SFTP, but only with hosts whose key is known."""

    cachable = False  # an instance holds a connection, which may be lost

    def _connect(self) -> None:
        self.client = paramiko.SSHClient()
        self.client.load_system_host_keys()
        self.client.set_missing_host_key_policy(_Refuse())
        self.client.connect(self.host, **self.ssh_kwargs)
        self.ftp = self.client.open_sftp()
        channel = self.ftp.get_channel()
        if channel is not None:
            channel.settimeout(PATIENCE_S)

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **_options: Any) -> bytes:
        """All parts are asked for at once: one after the other, each would wait for the network."""
        ftp: Any = self.ftp
        with ftp.open(path, "rb") as file:
            file._prefetch_thread = _quiet(file._prefetch_thread)
            first, last = start or 0, (file.stat().st_size or 0) if end is None else end
            parts = [(at, min(PART_BYTES, last - at)) for at in range(first, last, PART_BYTES)]
            return bytes(b"".join(file.readv(parts)))


def _quiet(send: Callable[..., None]) -> Callable[..., None]:
    """paramiko asks for the parts on a thread of its own; where the connection breaks, whoever waits for them hears of it."""

    def asking(*arguments: Any) -> None:
        with suppress(OSError, EOFError, paramiko.SSHException):
            send(*arguments)

    return asking


def connect_sftp(address: Address) -> Sftp:
    """A connection; user and password as the address names them, the rest as ~/.ssh/config does."""
    host = address.parts.hostname or ""
    known: dict[str, Any] = dict(_config().lookup(host))
    user = address.parts.username or known.get("user")
    password = address.parts.password
    options: dict[str, Any] = {"port": address.parts.port or int(known.get("port", 22)), "timeout": PATIENCE_S,
                               "banner_timeout": PATIENCE_S, "auth_timeout": PATIENCE_S}
    if user:
        options["username"] = unquote(user)
    if password:
        options["password"] = unquote(password)
    if "identityfile" in known:
        options["key_filename"] = known["identityfile"]
    return Sftp(known.get("hostname", host), **options)


def _config() -> paramiko.SSHConfig:
    try:
        return paramiko.SSHConfig.from_path(str(Path.home() / ".ssh" / "config"))
    except (OSError, paramiko.ConfigParseError):
        return paramiko.SSHConfig()
