"""exp(x) for -8 <= x <= 0 inside pixel loops: a polynomial that vectorises in float32, the library's in float64."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from render.raster.kernels_splat import E0, E1, E2, E3, E4, E5, LOWEST, SCALE


def falloff(exponent: Any) -> Any:
    """exp(exponent), for kernels only; float32 within 2e-6 relative. Arguments below -8 give exp(-8), less than 1/255."""
    raise NotImplementedError(f"falloff({exponent}) is for compiled code")


def falloff32(exponent: Any) -> Any:
    """The float32 form: (polynomial(x / 16))^16."""
    e = (exponent if exponent > LOWEST else LOWEST) * SCALE
    e = E0 + e * (E1 + e * (E2 + e * (E3 + e * (E4 + e * E5))))
    e *= e
    e *= e
    e *= e
    return e * e


def falloff64(exponent: Any) -> Any:
    """The float64 form, for proofs."""
    return math.exp(max(exponent, np.float64(LOWEST)))


@overload(falloff, inline="always")
def _falloff_for(exponent: Any) -> Callable[[Any], Any]:
    return falloff32 if exponent == types.float32 else falloff64
