"""The kernel that finds rows with NaN or infinite values, once over the bytes and without a copy."""

import numpy as np

from runs.arrays import F32, U32, Mask
from runs.kernels import kernel

EXPONENT = np.uint32(0x7F800000)  # all exponent bits set: NaN or infinite (IEEE 754 binary32)


@kernel
def _drop_nonfinite(bits: U32, good: Mask) -> None:
    for row in range(bits.shape[0]):
        bad = 0
        for column in range(bits.shape[1]):  # no early exit, so that LLVM vectorises it
            bad |= (bits[row, column] & EXPONENT) == EXPONENT
        if bad:
            good[row] = False


def drop_nonfinite_rows(values: F32, good: Mask) -> None:
    """Set good [N] to False where a row of float32 [N, …] holds NaN or an infinity."""
    if values.size:
        flat = np.ascontiguousarray(values.reshape(len(values), -1), np.float32)
        _drop_nonfinite(flat.view(np.uint32), good)
