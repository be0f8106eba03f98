"""Arrays of numpy's .npy and .npz files, mapped where they lie; no pickle is ever read."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.advice import DAMAGED, UNFINISHED, UNTRUSTED
from runs.arrays import U8, Array
from runs.errors import RefusedFile, UnreadableFile
from runs.formats.small_files import MIB
from runs.formats.zip_members import ZipMembers, map_file, open_members
from runs.storage import ensure

NPY = ".npy"
NPY_MAGIC = b"\x93NUMPY"
LARGEST_HEADER_BYTES = 10_000  # numpy pads its own to 128
MOST_DIMENSIONS = 32
MOST_VALUES = 1 << 48
# A compressed array may be large, or squeezed very small, but not both: numbers of a training never shrink that far.
LARGEST_UNPACKED_BYTES = 256 * MIB
LARGEST_RATIO = 64
# One line that numpy writes: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
_HEADER = re.compile(
    r"\s*\{\s*['\"]descr['\"]\s*:\s*['\"](?P<code>[<>|=]?[A-Za-z]\d*)['\"]\s*,\s*['\"]fortran_order['\"]\s*:\s*"
    r"(?P<fortran>True|False)\s*,\s*['\"]shape['\"]\s*:\s*\((?P<shape>[\d\s,]{0,400})\)\s*,?\s*\}\s*",
)
_CODE = re.compile(r"[<>|=]?(?:\?|b1|[iu][1248]|f(?:2|4|8)|c(?:8|16)|[SU][1-9]\d{0,5})")


class NpzArrays(Mapping[str, Array]):
    """The arrays of one .npz by name. One that is stored plainly is mapped; a compressed one is unpacked at each access."""

    def __init__(self, archive: ZipMembers) -> None:
        self._archive = archive
        self._names = tuple(name.removesuffix(NPY) for name in archive.members if name.endswith(NPY))

    def __getitem__(self, name: str) -> Array:
        """A read-only array. Raises KeyError, UnreadableFile, or RefusedFile for one that is no numbers or texts."""
        if name not in self._names:
            raise KeyError(name)
        packed = self._archive.members[name + NPY].compress_size
        most = max(LARGEST_UNPACKED_BYTES, LARGEST_RATIO * packed)
        return _array(self._archive.content(name + NPY, most), self._archive.path)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def read_npz(path: Path) -> Mapping[str, Array]:
    """The arrays of a .npz, each read on access. Raises UnreadableFile, or RefusedFile for a hostile one."""
    ensure(path, 0, 2)
    if bytes(map_file(path, "npz file")[:2]) != b"PK":
        raise UnreadableFile(f"this is no npz file (it is no zip); {DAMAGED}", path)
    return NpzArrays(open_members(path, "npz file"))


def npz_names(path: Path) -> tuple[str, ...]:
    """The names of the arrays in a .npz; none of them is read. Raises as `read_npz`."""
    return tuple(read_npz(path))


def read_npy(path: Path) -> Array:
    """The read-only array of a .npy, mapped. Raises UnreadableFile, or RefusedFile for one that is no numbers or texts."""
    ensure(path)
    return _array(map_file(path, "npy file"), path)


@dataclass(frozen=True)
class _Form:
    """What the header of a .npy says."""

    dtype: "np.dtype[np.generic]"
    shape: tuple[int, ...]
    fortran: bool
    offset: int  # bytes to the first number

    @property
    def size_bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize


def _array(content: U8, path: Path) -> Array:
    form = _form(content, path)
    held = len(content) - form.offset
    if form.size_bytes > held:
        says = f"this file claims an array of {form.size_bytes:,} bytes and holds {held:,}"
        raise UnreadableFile(f"{says}; {UNFINISHED}", path)
    flat = content[form.offset:form.offset + form.size_bytes].view(form.dtype)
    values: Array = flat.reshape(form.shape, order="F" if form.fortran else "C")
    values.flags.writeable = False
    return values


def _form(content: U8, path: Path) -> _Form:
    """Parse the header; numpy's own would build a dtype of whatever Python literal the file holds."""
    head = bytes(content[:12])
    if len(head) < 12 or not head.startswith(NPY_MAGIC) or head[6] not in (1, 2, 3):
        raise UnreadableFile(f"an array of this file does not begin as numpy's do; {DAMAGED}", path)
    start, length = (10, int.from_bytes(head[8:10], "little")) if head[6] == 1 else (12, int.from_bytes(head[8:12], "little"))
    text = bytes(content[start:start + min(length, LARGEST_HEADER_BYTES)]).decode("latin-1")
    match = _HEADER.fullmatch(text)
    if match is None or len(text) < length:
        raise RefusedFile(f"an array of this file is described in a way that numbers never need; {UNTRUSTED}", path)
    code = match["code"]
    if not _CODE.fullmatch(code):
        raise RefusedFile(f"an array of this file holds Python objects, not numbers or texts (`{code[:8]}`); {UNTRUSTED}", path)
    shape = _shape(match["shape"], path)
    return _Form(np.dtype(code), shape, match["fortran"] == "True", start + length)


def _shape(text: str, path: Path) -> tuple[int, ...]:
    sizes = [word for word in (part.strip() for part in text.split(",")) if word]
    shape = tuple(map(int, sizes)) if all(re.fullmatch(r"\d{1,15}", size) for size in sizes) else ()
    # numpy refuses an empty array, too, whose other sides would make it too large.
    if len(shape) != len(sizes) or len(shape) > MOST_DIMENSIONS or math.prod(max(size, 1) for size in shape) > MOST_VALUES:
        raise RefusedFile(f"an array of this file has an impossible shape (`{text.strip()[:40]}`); {UNTRUSTED}", path)
    return shape
