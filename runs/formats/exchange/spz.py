"""`.spz` files of Niantic, versions 1 to 4: quantised splats with x right, y up, z back. Formulas: nianticlabs/spz."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.arrays import F32, U8
from runs.formats.exchange.axes import flip_means, flip_quats, flip_signs
from runs.formats.exchange.chunk_kernels import look_up, unpack_fixed, unpack_signed
from runs.formats.exchange.decoded import decoded_gaussians, map_unchanged, stamp_of
from runs.formats.exchange.quantised import SATURATED, logits_of_bytes, with_largest
from runs.formats.exchange.spz_header import OLD_HEADER_BYTES, SpzHeader, is_spz, read_spz_header
from runs.formats.exchange.unpacking import gunzip, unzstd
from runs.formats.splat_file import SplatFile
from runs.gaussians import Gaussians

COLOUR_SCALE = 0.15  # wider than SH_C0, so that colours beyond 0..1 fit
SH0_OF_BYTE = np.asarray((np.arange(256) / 255 - 0.5) / COLOUR_SCALE, np.float32)
LOG_SCALE_OF_BYTE = np.asarray(np.arange(256) / 16 - 10, np.float32)
SH_OF_BYTE = np.asarray((np.arange(256) - 128) / 128, np.float32)
POSITIONS, ALPHAS, COLOURS, SCALES, ROTATIONS, SH = range(6)
XYZW_TO_WXYZ = [3, 0, 1, 2]
LAST_OF_BAND_4 = 23


@dataclass(frozen=True)
class ReadSpz:
    """Reads the Gaussians of one .spz; equal to another one if that would read the same unchanged file."""

    header: SpzHeader

    def __call__(self) -> Gaussians:
        return decoded_gaussians(self.header.count, self.header.sh_degree, self._decode)

    def _decode(self, name: str) -> Mapping[str, F32]:
        return {name: self._sh_rest()} if name == "sh_rest" else self._splats()

    def _splats(self) -> dict[str, F32]:
        head, count = self.header, self.header.count
        streams = self._streams(POSITIONS, SH)
        return {
            "means": flip_means(_positions(streams[POSITIONS], head).reshape(count, 3), head.signs),
            "log_scales": LOG_SCALE_OF_BYTE[streams[SCALES].reshape(count, 3)],
            "quats_wxyz": flip_quats(_quats(streams[ROTATIONS], head), head.signs),
            "logit_opacities": logits_of_bytes(streams[ALPHAS]),
            "sh0": SH0_OF_BYTE[streams[COLOURS].reshape(count, 3)],
        }

    def _sh_rest(self) -> F32:
        """Coefficient-major, channels inside: (v - 128) / 128, whatever the number of bits kept."""
        head = self.header
        terms = (head.sh_degree + 1) ** 2 - 1
        if not terms:
            return np.zeros((head.count, 0, 3), np.float32)
        packed = self._streams(SH, SH + 1)[0].reshape(head.count, 3 * terms)
        tables = np.repeat(_sh_signs(head), 3)[:, None] * SH_OF_BYTE
        return look_up(packed, np.arange(3 * terms), tables).reshape(head.count, terms, 3)

    def _streams(self, first: int, stop: int) -> list[U8]:
        """The unpacked streams `first` to `stop`."""
        head = self.header
        data = map_unchanged(head.path, head.stamp, ".spz file")
        ends = np.cumsum((0, *head.sizes))
        if head.version < 4:
            content = gunzip(data, OLD_HEADER_BYTES + int(ends[first]), OLD_HEADER_BYTES + int(ends[stop]), head.path)
            return [content[ends[i] - ends[first]:ends[i + 1] - ends[first]] for i in range(first, stop)]
        places = iter(head.streams)
        spans = [next(places) if size else (0, 0) for size in head.sizes]
        return [unzstd(data[slice(*spans[i])], head.sizes[i], head.path) for i in range(first, stop)]


def recognise(path: Path, head: bytes) -> bool:
    return is_spz(head) or path.suffix.lower() == ".spz"


def look(path: Path) -> SplatFile:
    """What the header tells, and that the file holds all its streams. Raises UnreadableFile or RefusedFile."""
    stamp = stamp_of(path)
    header = read_spz_header(map_unchanged(path, stamp, ".spz file", 0), path, stamp)
    return SplatFile(
        path, "spz", header.count, header.sh_degree, stamp, ReadSpz(header), notes=(SATURATED,), keeps_rows=False,
        antialiased=header.antialiased,
    )


def _positions(packed: U8, head: SpzHeader) -> F32:
    """float32 [3 N]: 24-bit fixed point, least byte first; half floats in version 1."""
    if head.version == 1:
        return packed.view("<f2").astype(np.float32)
    out = np.empty(len(packed) // 3, np.float32)
    unpack_fixed(packed, 2.0**-head.fractional_bits, out)
    return out


def _quats(packed: U8, head: SpzHeader) -> F32:
    """float32 [N, 4] wxyz. Versions 1 and 2 store x, y, z with w >= 0; later ones the three smallest of xyzw.

    Smallest three: two bits of index, then per component a sign and nine bits of magnitude up to 1/√2, the first one highest.
    """
    if head.version < 3:
        three = np.asarray(packed.reshape(-1, 3) / np.float32(127.5) - 1, np.float32)
        return with_largest(three, np.zeros(len(three), np.uint8))
    words = packed.view("<u4").astype(np.uint32)
    three, largest = np.empty((len(words), 3), np.float32), np.empty(len(words), np.uint8)
    unpack_signed(words, three, largest)
    return np.ascontiguousarray(with_largest(three, largest)[:, XYZW_TO_WXYZ])


def _sh_signs(head: SpzHeader) -> F32:
    """float32 [K-1]. Niantic's writer gives the last coefficient of band 4 the sign of y, although it is even in y:
    the sign is taken back as it was put on.
    """
    signs = np.array(flip_signs(head.signs, head.sh_degree), np.float32)
    if len(signs) > LAST_OF_BAND_4:
        signs[LAST_OF_BAND_4] = head.signs[1]
    return signs
