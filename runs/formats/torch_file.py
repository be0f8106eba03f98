"""Files of torch.save, read without torch and without running anything that they ask for.

Such a file is a zip of uncompressed members: `<name>/data.pkl` describes the objects, `<name>/data/<key>` holds the
numbers of each tensor. The pickle is read by `pickle_stub`, the numbers are mapped where they lie. Before torch 1.6 the
same parts stood one behind the other (`torch.legacy`).
"""

import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from runs.advice import DAMAGED, FOREIGN, UNTRUSTED
from runs.arrays import U8
from runs.errors import RefusedFile, UnreadableFile
from runs.formats.torch import legacy, pickle_stub
from runs.formats.torch.pickle_stub import Globals
from runs.formats.torch.values import Storages, known_globals, shapes_only
from runs.formats.zip_members import MAGIC, ZipMembers, map_file, open_members
from runs.storage import ensure, open_file

WHAT = "checkpoint"


def read_torch_file(path: Path) -> Any:
    """The saved object: dicts, lists, tuples, numbers, texts; each tensor a read-only ndarray on the mapped file.

    An object of a foreign class becomes an `Opaque`. Raises UnreadableFile for a damaged or unfinished file, RefusedFile
    for one that asks to run code.
    """
    return _read(path, known_globals())


def describe_torch_file(path: Path) -> Any:
    """As `read_torch_file`, with a `TensorShape` in place of each tensor: no number is read, not even of a remote file."""
    return _read(path, shapes_only())


def is_torchscript(path: Path) -> bool:
    """Whether the file is a program in a zip that looks like a checkpoint. Raises UnreadableFile."""
    return _start(path).startswith(MAGIC) and _is_program(open_members(path, WHAT).members)


def is_unfinished(path: Path) -> bool:
    """Whether the file begins as a torch zip (or is empty) but has no end: torch writes the directory last."""
    try:
        with open_file(path) as file:
            start = file.read(4)
            return start == b"" or (start == MAGIC and not zipfile.is_zipfile(file))
    except OSError:
        return False  # reading it later says what is wrong


def _read(path: Path, known: Globals) -> Any:
    start = _start(path)
    try:
        if start.startswith(legacy.MAGIC):
            ensure(path)
            return legacy.read(map_file(path, WHAT), known)
        _refuse_other_kinds(start, path)
        return _Zip.open(path).read(known)
    except pickle_stub.PickleRefused as error:
        raise RefusedFile(f"this checkpoint {error}, so it was not opened; {UNTRUSTED}", path) from error
    except pickle_stub.PickleDamaged as error:
        raise UnreadableFile(f"the pickle of this checkpoint {error}; {DAMAGED}", path) from error


def _start(path: Path) -> bytes:
    """The first bytes. Raises UnreadableFile for an empty file too."""
    ensure(path, 0, 32)
    return bytes(map_file(path, WHAT)[:32])


@dataclass(frozen=True, eq=False)
class _Zip:
    """The parts of one torch zip, by their name without the leading folder."""

    parts: ZipMembers

    @classmethod
    def open(cls, path: Path) -> "_Zip":
        archive = open_members(path, WHAT)
        members = {name: info for whole, info in archive.members.items() if (name := whole.partition("/")[2])}
        if _is_program(archive.members):
            raise RefusedFile("this is a TorchScript program, which only runs; save the training state with torch.save", path)
        if "data.pkl" not in members:
            raise UnreadableFile(f"this zip is not a torch checkpoint (it has no data.pkl); {FOREIGN}", path)
        return cls(replace(archive, members=members))

    def read(self, known: Globals) -> Any:
        order = bytes(self.parts.stored("byteorder")) if "byteorder" in self.parts.members else b"little"
        storages = Storages(self._storage, ">" if order == b"big" else "<")
        return pickle_stub.load(bytes(self.parts.stored("data.pkl")), known, storages.find)

    def _storage(self, key: str) -> U8:
        return self.parts.stored(f"data/{key}")


def _is_program(names: Iterable[str]) -> bool:
    inner = [name.partition("/")[2] for name in names]
    return "constants.pkl" in inner or any(name.startswith("code/") for name in inner)


def _refuse_other_kinds(start: bytes, path: Path) -> None:
    """Formats.md C.3: the magic first, the name second."""
    if start[:4] == MAGIC:
        return
    if start[:4] == b"PKFL":
        raise UnreadableFile("this is a LichtFeld resume file, not a torch checkpoint; open the PLY files of that run", path)
    if start[:1] == b"\x80":
        raise UnreadableFile(f"this is a bare pickle, not a torch checkpoint; {FOREIGN}", path)
    raise UnreadableFile(f"this is not a torch checkpoint (it is no zip file); {FOREIGN}", path)
