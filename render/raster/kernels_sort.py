"""A stable depth sort: radix over the bits of positive float32 depths."""

import numpy as np

from runs.arrays import F32, U32, Array
from runs.kernels import kernel

BITS, BUCKETS = 11, 2048  # three passes of 11 bits cover the 32


def depth_order(depths: F32) -> Array:
    """int32 [V], nearest first; equal depths keep their order. Depths must be positive and not NaN."""
    if len(depths) == 0:
        return np.zeros(0, np.int32)
    return np.asarray(radix_order(np.ascontiguousarray(depths, np.float32).view(np.uint32)), np.int32)


@kernel
def radix_order(keys: U32) -> Array:
    """int32 [V]: the stable ascending order of the keys."""
    count = len(keys)
    starts = np.zeros((3, BUCKETS), np.int64)
    for key in keys:
        starts[0, key & np.uint32(2047)] += 1
        starts[1, (key >> np.uint32(11)) & np.uint32(2047)] += 1
        starts[2, key >> np.uint32(22)] += 1
    for step in range(3):
        total = 0
        for bucket in range(BUCKETS):
            here = starts[step, bucket]
            starts[step, bucket] = total
            total += here
    source, target = np.arange(count).astype(np.int32), np.empty(count, np.int32)
    source_keys, target_keys = keys.copy(), np.empty(count, np.uint32)
    for step in range(3):
        shift = np.uint32(BITS * step)
        for i in range(count):
            key = source_keys[i]
            bucket = (key >> shift) & np.uint32(2047)
            at = starts[step, bucket]
            starts[step, bucket] = at + 1
            target[at] = source[i]
            target_keys[at] = key
        source, target = target, source
        source_keys, target_keys = target_keys, source_keys
    return source
