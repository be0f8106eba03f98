"""Kernels that take 4-byte columns out of packed rows of any stride and alignment."""

import numpy as np

from runs.arrays import U8, U32, Array
from runs.kernels import kernel

# Offsets are unsigned everywhere below: a signed index makes numba test for negative values at each
# byte, and then LLVM no longer fuses the four byte loads into one (four times slower). Big-endian
# words are swapped afterwards by numpy: a flag in the inner loop costs the usual file a third.


@kernel
def word_at(rows: U8, row: int, offset: int) -> np.uint32:
    """The four bytes at `offset` of `row`, the first one lowest."""
    a, b = np.uint32(rows[row, offset]), np.uint32(rows[row, offset + np.uint64(1)])
    c, d = np.uint32(rows[row, offset + np.uint64(2)]), np.uint32(rows[row, offset + np.uint64(3)])
    return np.uint32(a | (b << np.uint32(8)) | (c << np.uint32(16)) | (d << np.uint32(24)))


@kernel
def gather_words(rows: U8, offsets: Array, first: int, out: U32) -> None:
    """out[first + i, k] = the word at offsets[k] of row i. rows uint8 [n, stride], offsets uint64 [C], out uint32 [N, C]."""
    for i in range(rows.shape[0]):
        for k in range(offsets.shape[0]):
            out[first + i, k] = word_at(rows, i, offsets[k])


@kernel
def gather_splats(
    rows: U8, offsets: Array, first: int, means: U32, log_scales: U32, sh0: U32, quats: U32, opacities: U32,
) -> None:
    """Fill rows `first` and on of five columns in one pass; offsets uint64 [14] in the order of the parameters."""
    for i in range(rows.shape[0]):
        for k in range(3):
            means[first + i, k] = word_at(rows, i, offsets[k])
            log_scales[first + i, k] = word_at(rows, i, offsets[3 + k])
            sh0[first + i, k] = word_at(rows, i, offsets[6 + k])
        for k in range(4):
            quats[first + i, k] = word_at(rows, i, offsets[9 + k])
        opacities[first + i] = word_at(rows, i, offsets[13])


@kernel
def skip_rows(data: U8, count: int, scalar_bytes: Array, count_bytes: Array, big: bool) -> int:
    """Bytes taken by `count` rows that hold lists, or -1 if `data` ends before them.

    scalar_bytes, count_bytes: int64 [P], the size of each property's scalar and of the length before a list (0: no list).
    """
    at, end = 0, data.shape[0]
    for _ in range(count):
        for p in range(scalar_bytes.shape[0]):
            items = 1
            if count_bytes[p] > 0:
                if at + count_bytes[p] > end:
                    return -1
                items = 0
                for b in range(count_bytes[p]):
                    place = b if big else count_bytes[p] - 1 - b
                    items = items * 256 + data[at + place]
                at += count_bytes[p]
            at += items * scalar_bytes[p]
            if at > end:
                return -1
    return at
