"""An SFTP server for a folder, in this process: one user with a password, a fresh host key, and connections that can be cut."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import paramiko

USER, PASSWORD = "ada", "s3cret"


@dataclass
class Sftp:
    """What the server does, and what it has done."""

    folder: Path
    port: int = 0
    sent: dict[str, int] = field(default_factory=dict)  # bytes by path below the folder
    cut_after_reads: int | None = None  # the connection breaks with a later read
    transports: list[paramiko.Transport] = field(default_factory=list)

    def url(self, path: str, user: str = f"{USER}:{PASSWORD}@") -> str:
        return f"sftp://{user}127.0.0.1:{self.port}/{path}"

    def cut(self) -> None:
        """Break every connection."""
        for transport in self.transports:
            transport.close()


@contextmanager
def serving(folder: Path, home: Path) -> Iterator[Sftp]:
    """Serve `folder` while the block runs; the host key is written to `home`/.ssh/known_hosts."""
    key = paramiko.ECDSAKey.generate()
    listener = socket.create_server(("127.0.0.1", 0))
    sftp = Sftp(folder, listener.getsockname()[1])
    (home / ".ssh").mkdir(exist_ok=True)
    (home / ".ssh" / "known_hosts").write_text(f"[127.0.0.1]:{sftp.port} {key.get_name()} {key.get_base64()}\n")
    thread = threading.Thread(target=_accept, args=(listener, sftp, key))
    thread.start()
    try:
        yield sftp
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()
        sftp.cut()
        for transport in sftp.transports:
            transport.join(10)


def _accept(listener: socket.socket, sftp: Sftp, key: paramiko.PKey) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            transport = paramiko.Transport(connection)
            transport.add_server_key(key)
            transport.set_subsystem_handler("sftp", paramiko.SFTPServer, _Files, sftp)
            sftp.transports.append(transport)
            with suppress(EOFError, paramiko.SSHException):
                transport.start_server(server=_Door())


class _Door(paramiko.ServerInterface):
    def check_auth_password(self, username: str, password: str) -> int:
        right = (username, password) == (USER, PASSWORD)
        return paramiko.AUTH_SUCCESSFUL if right else paramiko.AUTH_FAILED

    def check_channel_request(self, *_: Any) -> int:
        return paramiko.OPEN_SUCCEEDED

    def get_allowed_auths(self, username: str) -> str:  # noqa: ARG002  (called with the name)
        return "password"


class _Files(paramiko.SFTPServerInterface):
    def __init__(self, server: paramiko.ServerInterface, sftp: Sftp) -> None:
        super().__init__(server)
        self.sftp = sftp

    def _here(self, path: str) -> Path:
        return self.sftp.folder / path.lstrip("/")

    def list_folder(self, path: str) -> Any:
        try:
            return [_attributes(child) for child in self._here(path).iterdir()]
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno or 0)

    def stat(self, path: str) -> Any:
        try:
            return _attributes(self._here(path))
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno or 0)

    lstat = stat

    def open(self, path: str, flags: int, _attr: Any) -> Any:
        try:
            file = os.fdopen(os.open(self._here(path), flags), "rb")
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno or 0)
        handle = _Handle(flags)
        handle.readfile, handle.sftp, handle.path = file, self.sftp, path.lstrip("/")
        return handle


class _Handle(paramiko.SFTPHandle):
    readfile: Any
    sftp: Sftp
    path: str

    def stat(self) -> paramiko.SFTPAttributes:
        return paramiko.SFTPAttributes.from_stat(os.fstat(self.readfile.fileno()))

    def read(self, offset: int, length: int) -> Any:
        if self.sftp.cut_after_reads is not None:
            self.sftp.cut_after_reads -= 1
            if self.sftp.cut_after_reads < 0:
                self.sftp.cut()
        data = super().read(offset, length)
        if isinstance(data, bytes):
            self.sftp.sent[self.path] = self.sftp.sent.get(self.path, 0) + len(data)
        return data


def _attributes(path: Path) -> paramiko.SFTPAttributes:
    return paramiko.SFTPAttributes.from_stat(path.stat(), path.name)
