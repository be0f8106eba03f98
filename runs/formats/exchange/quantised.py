"""Numbers that several exchange formats store in a few bits, turned into the stored values of Gaussians."""

import numpy as np

from runs.arrays import F32, U8, Array
from runs.formats.ply.columns import SH_C0
from runs.kernels import kernel

LOSSY = "stores rounded values, so small differences to the training's own files mean nothing; diagnose a PLY or a checkpoint"
SATURATED = f"{LOSSY}; opacities at the ends of its 8-bit range are shown as 0.5/255 and 254.5/255"

SQRT2 = np.sqrt(2.0)
OTHERS = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])  # the three components beside the largest, in their order


def _alpha_logits() -> F32:
    """Alpha 0 and 255 have no finite logit: each stands for the half step that rounds to it."""
    alpha = np.clip(np.arange(256.0), 0.5, 254.5) / 255
    return np.asarray(np.log(alpha / (1 - alpha)), np.float32)


ALPHA_LOGITS = _alpha_logits()  # float32 [256]
BYTE_SH0 = np.asarray((np.arange(256) / 255 - 0.5) / SH_C0, np.float32)  # float32 [256], colour byte -> DC coefficient


def logits_of_bytes(alpha: Array) -> F32:
    """float32, shape of `alpha`: the logit of each 8-bit opacity v/255; of 0.5/255 for 0, and 254.5/255 for 255."""
    return ALPHA_LOGITS[alpha]


def logits_of_opacities(opacities: Array, least: float, gap: float) -> F32:
    """float32, shape of `opacities` (0..1): logits; those of `least` for 0 and of 1 - `gap` for 1, half a step of their type.

    NaN stays NaN.
    """
    inside = np.clip(np.asarray(opacities, np.float64), least, 1 - gap)
    return np.asarray(np.log(inside) - np.log1p(-inside), np.float32)


def logs_of_scales(scales: Array) -> F32:
    """float32, shape of `scales` (world units): logarithms of linear scales in float32 or float16.

    Scale 0 tells only that the true one was below half the smallest number of its type, so that half is taken:
    log -104.0 for float32, -17.3 for float16. A negative scale is none, and gives NaN.
    """
    smallest = float(np.finfo(scales.dtype).smallest_subnormal)
    wide = scales.astype(np.float64)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.log(np.where(wide == 0, smallest / 2, wide)), np.float32)


@kernel
def _rebuild(three: F32, largest: U8, others: Array, out: F32) -> None:
    for i in range(three.shape[0]):
        left = np.float32(1)
        where = largest[i]
        for k in range(3):
            out[i, others[where, k]] = three[i, k]
            left -= three[i, k] * three[i, k]
        out[i, where] = np.sqrt(max(left, np.float32(0)))


def with_largest(three: F32, largest: U8) -> F32:
    """float32 [N, 4]: unit quaternions from their three smaller components and the index (0..3) of the largest.

    `three` [N, 3] keeps the order of the quaternion; the largest component is not negative, as q and -q turn alike.
    """
    out = np.empty((len(three), 4), np.float32)
    _rebuild(three, largest, OTHERS, out)
    return out
