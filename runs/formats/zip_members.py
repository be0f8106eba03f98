"""The members of a zip file: found once, each mapped where it lies or unpacked under a cap, none ever written to disk."""

import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs import storage
from runs.advice import DAMAGED, UNFINISHED, UNTRUSTED
from runs.arrays import U8
from runs.errors import RefusedFile, RunError, UnreadableFile
from runs.formats.small_files import MIB, unreadable

MAGIC = b"PK\x03\x04"
MOST_MEMBERS = 100_000
LOCAL_HEADER_BYTES = 30  # fixed part before each member's name
LARGE_BYTES = 65_536  # what is smaller is fetched at once: it takes no longer than asking for it
PIECE_BYTES = MIB

_LEFT: ContextVar[bool] = ContextVar("left", default=False)


@contextmanager
def numbers_left() -> Iterator[None]:
    """Within the block the large stored members of a remote file are mapped and not fetched.

    Whoever uses their bytes afterwards names them with `storage.present` first; else they would read as zeros.
    """
    token = _LEFT.set(True)
    try:
        yield
    finally:
        _LEFT.reset(token)


@dataclass(frozen=True, eq=False)
class ZipMembers:
    """One zip file, mapped read-only, and where its members lie."""

    path: Path
    what: str  # as the user knows the file: "checkpoint", "npz file"
    data: U8  # the whole file, mapped
    members: Mapping[str, zipfile.ZipInfo]

    def stored(self, name: str) -> U8:
        """uint8 [size], the bytes of a member that is not compressed, mapped. Raises UnreadableFile."""
        member = self._member(name)
        if member.compress_type != zipfile.ZIP_STORED:
            raise UnreadableFile(f"this {self.what} is a compressed zip; save it again without compression", self.path)
        return self._packed(member, member.file_size, left=_LEFT.get() and member.file_size > LARGE_BYTES)

    def content(self, name: str, most_bytes: int) -> U8:
        """uint8 [size], the bytes of a member of any kind: mapped, or unpacked into at most `most_bytes`.

        Raises UnreadableFile for a damaged member, RefusedFile for one that unpacks to more.
        """
        member = self._member(name)
        if member.compress_type == zipfile.ZIP_STORED:
            return self._packed(member, member.file_size)
        if member.compress_type != zipfile.ZIP_DEFLATED:
            raise UnreadableFile(f"this {self.what} is compressed in an unusual way; save it again", self.path)
        if member.file_size > most_bytes:
            says = f"a part of {member.compress_size:,} bytes in this {self.what} claims to unpack to {member.file_size:,}"
            raise RefusedFile(f"{says}; {UNTRUSTED}", self.path)
        return _inflate(self._packed(member, member.compress_size), member.file_size, self)

    def _member(self, name: str) -> zipfile.ZipInfo:
        member = self.members.get(name)
        if member is None:
            raise UnreadableFile(f"this {self.what} lacks its part `{name[:60]}`; {DAMAGED}", self.path)
        if member.flag_bits & 1:
            raise UnreadableFile(f"this {self.what} is an encrypted zip; save it again without a password", self.path)
        return member

    def _packed(self, member: zipfile.ZipInfo, size: int, *, left: bool = False) -> U8:
        """The bytes of a member as the file holds them; where they are `left`, those of a remote file are not fetched."""
        storage.ensure(self.path, member.header_offset, member.header_offset + LOCAL_HEADER_BYTES)
        header = bytes(self.data[member.header_offset:member.header_offset + LOCAL_HEADER_BYTES])
        if len(header) < LOCAL_HEADER_BYTES or header[:4] != MAGIC:
            raise UnreadableFile(f"this {self.what}'s zip directory points outside its members; {DAMAGED}", self.path)
        name_bytes, extra_bytes = struct.unpack_from("<HH", header, 26)
        start = member.header_offset + LOCAL_HEADER_BYTES + name_bytes + extra_bytes
        if start + size > len(self.data):
            raise UnreadableFile(f"a part of this {self.what} reaches beyond the end of the file; {DAMAGED}", self.path)
        if not left:
            storage.ensure(self.path, start, start + size)
        return self.data[start:start + size]


def open_members(path: Path, what: str) -> ZipMembers:
    """The directory of a zip file. Raises UnreadableFile when it has none, RefusedFile when it claims too many members."""
    data = map_file(path, what)
    infos = _infos(path, what)
    if len(infos) > MOST_MEMBERS:
        raise RefusedFile(f"this {what} claims {len(infos):,} parts; {UNTRUSTED}", path)
    return ZipMembers(path, what, data, {info.filename: info for info in infos})


def map_file(path: Path, what: str) -> U8:
    """uint8 [size], the whole file, mapped read-only; `ensure` what is used of it. Raises UnreadableFile."""
    try:
        return storage.map_file(path)
    except OSError as error:
        raise unreadable(error, path) from error
    except ValueError as error:
        raise UnreadableFile(f"this {what} is empty; {UNFINISHED}", path) from error


def _infos(path: Path, what: str) -> list[zipfile.ZipInfo]:
    try:
        with storage.open_file(path) as file, zipfile.ZipFile(file) as archive:
            return archive.infolist()
    except RunError:
        raise
    except Exception as error:  # zipfile raises many kinds on damaged directories
        raise UnreadableFile(f"this {what} is no finished zip file; {UNFINISHED}", path) from error


def _inflate(packed: U8, size: int, source: ZipMembers) -> U8:
    """Unpacked piece by piece, so that a wrong claim costs no more memory than the true content up to `size`."""
    out = bytearray()
    try:
        for piece in _inflated(packed, size):
            out += piece
    except zlib.error as error:
        raise UnreadableFile(f"a compressed part of this {source.what} is damaged ({error}); {DAMAGED}", source.path) from error
    if len(out) != size:
        raise UnreadableFile(f"a compressed part of this {source.what} ends early; {DAMAGED}", source.path)
    return np.frombuffer(out, np.uint8)


def _inflated(packed: U8, size: int) -> Iterator[bytes]:
    """At most `size` bytes in pieces."""
    machine = zlib.decompressobj(-zlib.MAX_WBITS)  # a member has no zlib header
    rest = packed.data
    while size > 0 and not machine.eof:
        piece = machine.decompress(machine.unconsumed_tail or rest[:PIECE_BYTES], min(PIECE_BYTES, size))
        if not machine.unconsumed_tail:
            if not piece and not rest:
                return
            rest = rest[PIECE_BYTES:]
        size -= len(piece)
        yield piece
