"""Files of torch.save, read without torch and without running anything that they ask for.

Such a file is a zip of uncompressed members: `<name>/data.pkl` describes the objects, `<name>/data/<key>` holds the
numbers of each tensor. The pickle is read by `pickle_stub`, the numbers are mapped where they lie.
"""

import mmap
import os
import struct
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from runs.advice import DAMAGED, FOREIGN, UNFINISHED, UNTRUSTED
from runs.arrays import U8
from runs.errors import RefusedFile, RunError, UnreadableFile
from runs.formats import pickle_stub
from runs.formats.small_files import unreadable
from runs.formats.torch_values import Storages, known_globals

MOST_MEMBERS = 100_000
LOCAL_HEADER_BYTES = 30  # zip: fixed part before each member's name


def read_torch_file(path: Path) -> Any:
    """The saved object: dicts, lists, tuples, numbers, texts; each tensor a read-only ndarray on the mapped file.

    Raises UnreadableFile for a damaged or unfinished file, RefusedFile for one that asks to run code.
    """
    archive = _open(path)
    order = archive.bytes_of("byteorder") if "byteorder" in archive.members else b"little"
    storages = Storages(archive.bytes_of, ">" if bytes(order) == b"big" else "<")
    try:
        return pickle_stub.load(bytes(archive.bytes_of("data.pkl")), known_globals(), storages.find)
    except pickle_stub.PickleRefused as error:
        raise RefusedFile(f"this checkpoint {error}, so it was not opened; {UNTRUSTED}", path) from error
    except pickle_stub.PickleDamaged as error:
        raise UnreadableFile(f"the pickle of this checkpoint {error}; {DAMAGED}", path) from error


def is_unfinished(path: Path) -> bool:
    """Whether the file begins as a torch zip (or is empty) but has no end: torch writes the directory last."""
    try:
        with path.open("rb") as file:
            start = file.read(4)
        return start == b"" or (start == b"PK\x03\x04" and not zipfile.is_zipfile(path))
    except OSError:
        return False  # reading it later says what is wrong


@dataclass(frozen=True, eq=False)
class _Archive:
    """The members of one torch zip, by their name without the leading folder."""

    path: Path
    data: U8  # the whole file, mapped
    members: dict[str, zipfile.ZipInfo]

    def bytes_of(self, name: str) -> U8:
        """uint8 [size], the stored bytes of a member, mapped. Raises UnreadableFile."""
        member = self.members.get(name)
        if member is None:
            raise UnreadableFile(f"this checkpoint lacks its part `{name[:60]}`; {DAMAGED}", self.path)
        if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 1:
            raise UnreadableFile("this checkpoint is a compressed or encrypted zip; save it again with torch.save", self.path)
        header = bytes(self.data[member.header_offset:member.header_offset + LOCAL_HEADER_BYTES])
        if len(header) < LOCAL_HEADER_BYTES or header[:4] != b"PK\x03\x04":
            raise UnreadableFile(f"this checkpoint's zip directory points outside its members; {DAMAGED}", self.path)
        name_bytes, extra_bytes = struct.unpack_from("<HH", header, 26)
        start = member.header_offset + LOCAL_HEADER_BYTES + name_bytes + extra_bytes
        if start + member.file_size > len(self.data):
            raise UnreadableFile(f"a tensor of this checkpoint reaches beyond the end of the file; {DAMAGED}", self.path)
        return self.data[start:start + member.file_size]


def _open(path: Path) -> _Archive:
    data = _map(path)
    _refuse_other_kinds(bytes(data[:8]), path)
    members = dict(_members(path))
    if "constants.pkl" in members or any(name.startswith("code/") for name in members):
        raise RefusedFile("this is a TorchScript program, which only runs; save the training state with torch.save", path)
    if "data.pkl" not in members:
        raise UnreadableFile(f"this zip is not a torch checkpoint (it has no data.pkl); {FOREIGN}", path)
    return _Archive(path, data, members)


def _map(path: Path) -> U8:
    try:
        with path.open("rb") as file:
            if not os.fstat(file.fileno()).st_size:
                raise UnreadableFile(f"this checkpoint is empty; {UNFINISHED}", path)
            return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    except OSError as error:
        raise unreadable(error, path) from error


def _refuse_other_kinds(start: bytes, path: Path) -> None:
    """Formats.md C.3: the magic first, the name second."""
    if start[:4] == b"PK\x03\x04":
        return
    if start[:4] == b"PKFL":
        raise UnreadableFile("this is a LichtFeld resume file, not a torch checkpoint; open the PLY files of that run", path)
    if start[:1] == b"\x80":
        raise RefusedFile("this is a bare pickle, as torch wrote before version 1.6; save it again with a newer torch", path)
    raise UnreadableFile(f"this is not a torch checkpoint (it is no zip file); {FOREIGN}", path)


def _members(path: Path) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """Every member under the one folder of the archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
    except RunError:
        raise
    except Exception as error:  # zipfile raises many kinds on damaged directories
        raise UnreadableFile(f"this checkpoint is no finished zip file; {UNFINISHED}", path) from error
    if len(infos) > MOST_MEMBERS:
        raise RefusedFile(f"this checkpoint claims {len(infos):,} parts; {UNTRUSTED}", path)
    for info in infos:
        _, slash, name = info.filename.partition("/")
        if slash:
            yield name, info
