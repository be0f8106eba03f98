"""The document and the buffers of a glTF file: .glb, or .gltf with buffers beside it or inside it."""

import base64
import binascii
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from runs.advice import DAMAGED, EXPORT_SPLATS, UNFINISHED, UNTRUSTED
from runs.arrays import F32, U8
from runs.errors import RefusedFile, UnreadableFile
from runs.formats.exchange.decoded import map_unchanged, stamp_of
from runs.formats.small_files import MIB, read_json
from runs.formats.splat_file import Stamp
from runs.storage import present

MAGIC = b"glTF"
JSON_CHUNK, BINARY_CHUNK = b"JSON", b"BIN\x00"
JSON_CAP_BYTES = 64 * MIB
COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}


@dataclass(frozen=True)
class Buffer:
    """Where the bytes of one buffer lie: in a file, or in the document itself."""

    path: Path
    stamp: Stamp
    start: int
    stop: int
    inside: str = ""  # base64 text of a data URI

    def content(self) -> U8:
        """uint8 [size]. Raises UnreadableFile."""
        if not self.inside:
            return map_unchanged(self.path, self.stamp, "glTF buffer")[self.start:self.stop]
        try:
            return np.frombuffer(base64.b64decode(self.inside, validate=True), np.uint8)
        except (ValueError, binascii.Error) as error:
            raise UnreadableFile(f"a buffer inside this glTF file is damaged ({error}); {DAMAGED}", self.path) from error


@dataclass(frozen=True)
class Accessor:
    """`count` rows of `width` numbers in a buffer."""

    buffer: Buffer
    count: int
    width: int
    code: str  # numpy type code
    normalised: bool  # integers stand for -1..1 or 0..1
    start: int
    stride: int

    @property
    def stop(self) -> int:
        """The end of the last row."""
        last = max(self.count - 1, 0) * self.stride
        return self.start + last + (self.width * np.dtype(self.code).itemsize if self.count else 0)

    def values(self) -> F32:
        """float32 [count, width]. Raises UnreadableFile."""
        content = self.buffer.content()
        if self.stop > len(content):
            raise UnreadableFile(f"a buffer of this glTF file ends early; {UNFINISHED}", self.buffer.path)
        if not self.count:
            return np.zeros((0, self.width), np.float32)
        dtype = np.dtype(self.code)
        shape, strides = (self.count, self.width), (self.stride, dtype.itemsize)
        stored = np.ndarray(shape, dtype, content[self.start:self.stop].data, 0, strides)
        values = stored.astype(np.float32)
        return np.maximum(values / np.iinfo(dtype).max, -1) if self.normalised and dtype.kind != "f" else values

    @property
    def half_steps(self) -> tuple[float, float]:
        """Half the distance of 0 and of 1 to the next number between them."""
        dtype = np.dtype(self.code)
        if dtype.kind == "f":
            return float(np.finfo(np.float32).smallest_subnormal) / 2, float(np.finfo(np.float32).epsneg) / 2
        return 0.5 / float(np.iinfo(dtype).max), 0.5 / float(np.iinfo(dtype).max)


@dataclass(frozen=True)
class Document:
    """A parsed glTF file."""

    path: Path
    stamp: Stamp
    json: Mapping[str, Any]
    binary: tuple[int, int] | None  # where the binary chunk of a .glb lies

    def items(self, key: str) -> list[Any]:
        found = self.json.get(key)
        return found if isinstance(found, list) else []

    def item(self, key: str, index: object) -> Mapping[str, Any]:
        """The object at json[key][index]. Raises UnreadableFile."""
        items = dict(enumerate(self.items(key)))
        found = items.get(index) if isinstance(index, int) else None
        if not isinstance(found, dict):
            says = f"this glTF file points to `{key}` that it has not (`{str(index)[:20]}`)"
            raise UnreadableFile(f"{says}; {EXPORT_SPLATS}", self.path)
        return found


def read_document(path: Path) -> Document:
    """Parse a .glb or .gltf. Raises UnreadableFile or RefusedFile."""
    stamp = stamp_of(path)
    if path.suffix.lower() != ".glb" and not _is_binary(path, stamp):
        document, binary = read_json(path, JSON_CAP_BYTES), None
    else:
        document, binary = _read_binary(map_unchanged(path, stamp, "glTF file", 0), path)
    if not isinstance(document, dict):
        raise UnreadableFile(f"this is no glTF file; {EXPORT_SPLATS}", path)
    return Document(path, stamp, document, binary)


def _is_binary(path: Path, stamp: Stamp) -> bool:
    return bool(stamp.size_bytes) and bytes(map_unchanged(path, stamp, "glTF file", 4)[:4]) == MAGIC


def _read_binary(data: U8, path: Path) -> tuple[Any, tuple[int, int] | None]:
    """The JSON chunk, and where the binary chunk lies."""
    chunks = _chunks(data, path)
    start, stop = chunks.get(JSON_CHUNK, (0, 0))
    if stop - start > JSON_CAP_BYTES:
        raise RefusedFile(f"the description in this glTF file is over {JSON_CAP_BYTES // MIB} MiB; {UNTRUSTED}", path)
    try:
        return json.loads(bytes(present(data[start:stop]))), chunks.get(BINARY_CHUNK)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"the description in this glTF file is not complete JSON ({error}); {UNFINISHED}", path) from error


def _chunks(data: U8, path: Path) -> dict[bytes, tuple[int, int]]:
    """First byte and end of the first two chunks, by their kind."""
    magic, version, size = struct.unpack("<4sII", bytes(present(data[:12])).ljust(12, b"\0"))
    if magic != MAGIC or version != 2:
        raise UnreadableFile(f"this is no binary glTF file of version 2; {EXPORT_SPLATS}", path)
    chunks: dict[bytes, tuple[int, int]] = {}
    at = 12
    while at + 8 <= min(size, len(data)) and len(chunks) < 2:
        length, kind = struct.unpack("<I4s", bytes(present(data[at:at + 8])))
        chunks[kind] = (at + 8, at + 8 + length)
        at += 8 + length + -length % 4
    needed = max(size, *(stop for _, stop in chunks.values())) if chunks else size
    if needed > len(data):
        raise UnreadableFile(f"this glTF file holds {len(data):,} of {needed:,} bytes; {UNFINISHED}", path)
    return chunks


def accessor(document: Document, index: object) -> Accessor:
    """One accessor, checked against the size of its buffer. Raises UnreadableFile or RefusedFile."""
    found = document.item("accessors", index)
    view = document.item("bufferViews", found.get("bufferView"))
    code, width = _kind(document, found, view)
    start, stride = _whole(document, view, "byteOffset"), _whole(document, view, "byteStride")
    packed = width * np.dtype(code).itemsize
    made = Accessor(
        _buffer(document, view.get("buffer")), _whole(document, found, "count"), width, code, found.get("normalized") is True,
        start + _whole(document, found, "byteOffset"), stride or packed,
    )
    if made.stride < packed or made.stop > start + _whole(document, view, "byteLength"):
        raise UnreadableFile(f"an accessor of this glTF file reaches beyond its view; {EXPORT_SPLATS}", document.path)
    if made.stop > made.buffer.stop - made.buffer.start:
        raise UnreadableFile(f"a buffer of this glTF file ends early; {UNFINISHED}", document.path)
    return made


def _kind(document: Document, found: Mapping[str, Any], view: Mapping[str, Any]) -> tuple[str, int]:
    """The numpy type code of an accessor's numbers, and how many make a row."""
    if "sparse" in found or "extensions" in view:
        raise UnreadableFile(f"this glTF file stores numbers sparsely or compressed; {EXPORT_SPLATS} without", document.path)
    code, width = COMPONENTS.get(_number(found, "componentType")), WIDTHS.get(str(found.get("type")))
    if code is None or width is None:
        raise UnreadableFile(f"this glTF file stores numbers of an unknown type; {EXPORT_SPLATS}", document.path)
    return code, width


def _buffer(document: Document, index: object) -> Buffer:
    found = document.item("buffers", index)
    uri = found.get("uri")
    if uri is None:
        if document.binary is None or index != 0:
            raise UnreadableFile(f"this glTF file lacks the bytes of a buffer; {EXPORT_SPLATS}", document.path)
        return Buffer(document.path, document.stamp, *document.binary)
    if not isinstance(uri, str):
        raise UnreadableFile(f"a buffer of this glTF file has no proper address; {EXPORT_SPLATS}", document.path)
    if uri.startswith("data:"):
        text = uri.partition(";base64,")[2]
        return Buffer(document.path, document.stamp, 0, 3 * (len(text) // 4), text)
    path = _beside(document.path, unquote(uri))
    stamp = stamp_of(path)
    return Buffer(path, stamp, 0, stamp.size_bytes)


def _beside(path: Path, name: str) -> Path:
    """The file `name` in or below the folder of `path`. Raises RefusedFile for one elsewhere."""
    inside = path.parent.resolve()
    target = inside / name
    if ":" in name or "\\" in name or "\0" in name or not target.resolve().is_relative_to(inside):
        raise RefusedFile(f"this glTF file points to a file outside its folder (`{name[:60]}`); {UNTRUSTED}", path)
    return path.parent / name


def _number(found: Mapping[str, Any], key: str) -> int:
    value = found.get(key, 0)
    return value if isinstance(value, int) and not isinstance(value, bool) else -1


def _whole(document: Document, found: Mapping[str, Any], key: str) -> int:
    """A count or offset, 0 where absent. Raises RefusedFile."""
    value = _number(found, key)
    if not 0 <= value < 2**40:
        raise RefusedFile(f"this glTF file has an impossible `{key}` (`{str(found.get(key))[:30]}`); {UNTRUSTED}", document.path)
    return value
