"""A cache of its own for each test of remote runs, and stand-ins whose unfetched bytes are poison instead of zeros."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from runs import storage
from runs.remote import blocks
from tests.support import sftp_server, web_server
from tests.support.sftp_server import Sftp
from tests.support.web_server import Web

pytest.importorskip("fsspec")
LARGEST_POISONED = 2**24  # larger stand-ins stay sparse: a reader that needs all of one would be seen on small files too


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where mirrors go; what a test mounted is unmounted after it."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("SPLATDOCTOR_CACHE", str(folder))
    mounted = set(storage._MOUNTED)
    yield folder
    for root in set(storage._MOUNTED) - mounted:
        storage.unmount(root)


@pytest.fixture
def poison(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was not fetched holds noise: a reader that uses it gets other numbers than from the file itself."""
    make = blocks.StandIn.make

    def make_poisoned(standin: blocks.StandIn, version: blocks.Version) -> None:
        known = standin.version == version
        make(standin, version)
        if not known and version.size_bytes <= LARGEST_POISONED:
            status = standin.path.stat()
            with standin.path.open("r+b") as file:
                file.write(random.Random(version.size_bytes).randbytes(version.size_bytes))
            os.utime(standin.path, ns=(status.st_atime_ns, status.st_mtime_ns))

    monkeypatch.setattr(blocks.StandIn, "make", make_poisoned)


@pytest.fixture
def served(tmp_path: Path) -> Path:
    """The folder that the servers hand out."""
    folder = tmp_path / "served"
    folder.mkdir()
    return folder


@pytest.fixture
def web(served: Path) -> Iterator[Web]:
    pytest.importorskip("aiohttp")
    with web_server.serving(served) as server:
        yield server


@pytest.fixture
def sftp(served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sftp]:
    pytest.importorskip("paramiko")
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    with sftp_server.serving(served, home) as server:
        yield server
