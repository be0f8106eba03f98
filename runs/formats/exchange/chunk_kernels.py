"""Kernels that unpack the words of compressed PLYs, whose values lie between the bounds of their chunk, and those of .spz."""

import numpy as np

from runs.arrays import F32, U8, U32, Array
from runs.kernels import PARALLEL_LOCK, lane_kernel, parallel_kernel, prange

CHUNK_SHIFT = 8  # 256 rows share bounds
ONE_10, ONE_11, ONE_8 = np.float32(1 / 1023), np.float32(1 / 2047), np.float32(1 / 255)
BITS_8, BITS_10, BITS_11 = np.uint32(255), np.uint32(1023), np.uint32(2047)
HALF, SQRT2 = np.float32(0.5), np.float32(np.sqrt(2.0))


@lane_kernel
def unpack_11_10_11(words: U32, low: F32, high: F32, out: F32) -> None:
    """out[i] = between low and high [chunks, 3] of the chunk of row i, by fields of 11, 10 and 11 bits, the first highest."""
    for i in range(words.shape[0]):
        word, chunk = words[i], i >> CHUNK_SHIFT
        x = np.float32(word >> np.uint32(21)) * ONE_11
        y = np.float32((word >> np.uint32(11)) & BITS_10) * ONE_10
        z = np.float32(word & BITS_11) * ONE_11
        out[i, 0] = low[chunk, 0] + (high[chunk, 0] - low[chunk, 0]) * x
        out[i, 1] = low[chunk, 1] + (high[chunk, 1] - low[chunk, 1]) * y
        out[i, 2] = low[chunk, 2] + (high[chunk, 2] - low[chunk, 2]) * z


@lane_kernel
def unpack_8_8_8(words: U32, low: F32, high: F32, out: F32) -> None:
    """The same by the three highest bytes."""
    for i in range(words.shape[0]):
        word, chunk = words[i], i >> CHUNK_SHIFT
        for k in range(3):
            share = np.float32((word >> np.uint32(24 - 8 * k)) & BITS_8) * ONE_8
            out[i, k] = low[chunk, k] + (high[chunk, k] - low[chunk, k]) * share


@lane_kernel
def unpack_smaller(words: U32, three: F32, largest: U8) -> None:
    """Two bits name the largest component of a quaternion, 10 bits each hold the others between -1/√2 and 1/√2."""
    for i in range(words.shape[0]):
        word = words[i]
        largest[i] = word >> np.uint32(30)
        for k in range(3):
            three[i, k] = (np.float32((word >> np.uint32(20 - 10 * k)) & BITS_10) * ONE_10 - HALF) * SQRT2


@lane_kernel
def unpack_signed(words: U32, three: F32, largest: U8) -> None:
    """The same with a sign above nine bits of magnitude, as .spz has it."""
    step = np.float32(1) / (np.float32(511) * SQRT2)
    for i in range(words.shape[0]):
        word = words[i]
        largest[i] = word >> np.uint32(30)
        for k in range(3):
            field = (word >> np.uint32(20 - 10 * k)) & BITS_10
            size = np.float32(field & np.uint32(511)) * step
            three[i, k] = -size if field & np.uint32(512) else size


@lane_kernel
def unpack_fixed(packed: U8, step: float, out: F32) -> None:
    """out[i] = step times the signed 24-bit number at packed[3 i], least byte first. packed uint8 [3 M], out float32 [M]."""
    for i in range(out.shape[0]):
        number = np.int64(packed[3 * i]) | np.int64(packed[3 * i + 1]) << 8 | np.int64(packed[3 * i + 2]) << 16
        out[i] = np.float32((number ^ 0x800000) - 0x800000) * np.float32(step)  # the sign bit is bit 23


@parallel_kernel
def _look_up(rows: U8, places: Array, tables: F32, out: F32) -> None:
    for i in prange(rows.shape[0]):
        for k in range(places.shape[0]):
            out[i, k] = tables[k, rows[i, places[k]]]


def look_up(rows: U8, places: Array, tables: F32) -> F32:
    """float32 [N, C]: the meaning tables[k] [256] of the byte at places[k] in each of the rows uint8 [N, stride]."""
    out = np.empty((len(rows), len(places)), np.float32)
    with PARALLEL_LOCK:
        _look_up(rows, np.asarray(places, np.uint64), np.ascontiguousarray(tables, np.float32), out)
    return out
