"""PlayCanvas compressed PLY: chunks of 256 splats, each value rounded between the least and the largest of its chunk.

Layout and formulas: splat-transform (read-ply, decompress-ply, compressed-chunk) and gsplat's exporter.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.advice import EXPORT_SPLATS
from runs.arrays import F32, U32, Array
from runs.errors import UnreadableFile
from runs.formats.exchange.chunk_kernels import look_up, unpack_8_8_8, unpack_11_10_11, unpack_smaller
from runs.formats.exchange.decoded import decoded_gaussians
from runs.formats.exchange.quantised import SATURATED, logits_of_bytes, with_largest
from runs.formats.ply.body import Rows, locate, map_rows, read_properties
from runs.formats.ply.columns import DEGREE_OF_REST, SH_C0
from runs.formats.ply.header import Header, read_header
from runs.formats.ply.render_mode import antialiased
from runs.formats.splat_file import SplatFile
from runs.gaussians import Gaussians

CHUNK_ROWS = 256
# 0 means -4, 255 means 4, and each other byte the middle of its 256th of that range.
SH_OF_BYTE = np.concatenate([[-4], (np.arange(1, 255) + 0.5) / 32 - 4, [4]]).astype(np.float32)
LOW, HIGH = ("min_x", "min_y", "min_z"), ("max_x", "max_y", "max_z")
LOW_SCALE, HIGH_SCALE = ("min_scale_x", "min_scale_y", "min_scale_z"), ("max_scale_x", "max_scale_y", "max_scale_z")
LOW_RGB, HIGH_RGB = ("min_r", "min_g", "min_b"), ("max_r", "max_g", "max_b")
PACKED = ("packed_position", "packed_rotation", "packed_scale", "packed_color")


@dataclass(frozen=True)
class ReadCompressed:
    """Reads the Gaussians of one compressed PLY; equal to another one if that would read the same unchanged file."""

    chunks: Rows
    vertices: Rows
    rest: Rows | None  # the element `sh`

    def __call__(self) -> Gaussians:
        return decoded_gaussians(self.vertices.element.count, _degree(self.rest), self._decode)

    def _decode(self, name: str) -> Mapping[str, F32]:
        return {name: self._sh_rest()} if name == "sh_rest" else self._splats()

    def _splats(self) -> dict[str, F32]:
        position, rotation, scale, colour = (_column(self.vertices, name) for name in PACKED)
        return {
            "means": self._between(position, LOW, HIGH), "log_scales": self._between(scale, LOW_SCALE, HIGH_SCALE),
            "quats_wxyz": quats_of_words(rotation), "sh0": self._sh0(colour),
            "logit_opacities": logits_of_bytes(colour & np.uint32(255)),
        }

    def _between(self, words: U32, low: tuple[str, ...], high: tuple[str, ...]) -> F32:
        out = np.empty((len(words), 3), np.float32)
        unpack_11_10_11(words, self._bounds(low), self._bounds(high), out)
        return out

    def _bounds(self, names: tuple[str, ...]) -> F32:
        """float32 [chunks, 3]."""
        return np.asarray(read_properties(self.chunks, names), np.float32)

    def _sh0(self, words: U32) -> F32:
        """Colours lie between the bounds of their chunk; without bounds, as older writers leave them out, between 0 and 1."""
        low, high = np.zeros((self.chunks.element.count, 3), np.float32), np.ones((self.chunks.element.count, 3), np.float32)
        if set(LOW_RGB + HIGH_RGB) <= set(self.chunks.element.names):
            low, high = self._bounds(LOW_RGB), self._bounds(HIGH_RGB)
        out = np.empty((len(words), 3), np.float32)
        unpack_8_8_8(words, low, high, out)
        out -= np.float32(0.5)
        out /= np.float32(SH_C0)
        return out

    def _sh_rest(self) -> F32:
        """Bytes of f_rest, channel-major."""
        count = self.vertices.element.count
        if self.rest is None:
            return np.zeros((count, 0, 3), np.float32)
        names = np.reshape(_rest_names(self.rest), (3, -1)).T.ravel().tolist()
        codes = {p.code for p in self.rest.element.properties}
        if self.rest.is_text or codes != {"u1"}:
            rows, places = read_properties(self.rest, names).astype(np.uint8), np.arange(len(names))
        else:
            rows, places = map_rows(self.rest), np.array([self.rest.element.starts[name] for name in names])
        return look_up(rows, places, np.tile(SH_OF_BYTE, (len(names), 1))).reshape(count, len(names) // 3, 3)


def recognise(path: Path, head: bytes) -> bool:
    """A PLY with the element `chunk` beside packed vertices; a long header is read to its end."""
    if not head.startswith(b"ply"):
        return False
    if b"element vertex" in head and b"element chunk" not in head:
        return False
    return is_compressed(read_header(path))


def is_compressed(header: Header) -> bool:
    vertex = header.element("vertex")
    return header.element("chunk") is not None and vertex is not None and PACKED[0] in vertex.names


def look(path: Path) -> SplatFile:
    """What the header tells, and that the file holds all its rows. Raises UnreadableFile or RefusedFile."""
    header = read_header(path)
    chunks, vertices = locate(header, "chunk"), locate(header, "vertex")
    rest = locate(header, "sh") if header.element("sh") else None
    says = _wrong(chunks, vertices, rest)
    if says:
        raise UnreadableFile(f"{says}; {EXPORT_SPLATS}", path)
    return SplatFile(
        path, "compressed PLY", vertices.element.count, _degree(rest), header.stamp, ReadCompressed(chunks, vertices, rest),
        header.comments, (SATURATED,), keeps_rows=False, antialiased=antialiased(header.comments),
    )


def quats_of_words(words: U32) -> F32:
    """float32 [N, 4] wxyz, unit: two bits name the largest component, 10 bits each hold the others in (-1, 1)/√2."""
    three, largest = np.empty((len(words), 3), np.float32), np.empty(len(words), np.uint8)
    unpack_smaller(words, three, largest)
    return with_largest(three, largest)


def _wrong(chunks: Rows, vertices: Rows, rest: Rows | None) -> str | None:
    """What a compressed PLY must have and this one has not."""
    missing = [name for name in LOW + HIGH + LOW_SCALE + HIGH_SCALE if name not in chunks.element.names]
    missing += [name for name in PACKED if name not in vertices.element.names]
    if missing:
        return f"this compressed PLY has no {', '.join(missing[:4])}"
    count = vertices.element.count
    if chunks.element.count * CHUNK_ROWS < count:
        return f"this compressed PLY has {chunks.element.count:,} chunks, too few for its {count:,} splats"
    if any(p.code not in ("u4", "i4") for p in vertices.element.properties if p.name in PACKED):
        return "this compressed PLY stores its packed values in another type than uint"
    if rest is not None and (rest.element.count != count or len(_rest_names(rest)) not in DEGREE_OF_REST):
        return f"this compressed PLY has {rest.element.count:,} rows of {len(_rest_names(rest))} in `sh`, which fit no SH degree"
    return None


def _rest_names(rest: Rows) -> list[str]:
    return sorted((n for n in rest.element.names if n[7:].isdigit() and n.startswith("f_rest_")), key=lambda n: int(n[7:]))


def _degree(rest: Rows | None) -> int:
    return 0 if rest is None else DEGREE_OF_REST[len(_rest_names(rest))]


def _column(rows: Rows, name: str) -> U32:
    if rows.is_text:
        return read_properties(rows, (name,), np.float64)[:, 0].astype(np.int64).astype(np.uint32)
    if not rows.element.count:
        return np.empty(0, np.uint32)
    table: Array = map_rows(rows).reshape(-1).view(rows.dtype)[name]
    return np.ascontiguousarray(table).astype(np.uint32)
