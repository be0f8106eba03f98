"""Parameters: N trainable Gaussians as a trainer stores them, in arrays that an optimiser may write to."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike

from render.harmonics import MAX_DEGREE
from runs.arrays import Array
from runs.gaussians import Gaussians

# The six groups that every 3DGS trainer gives a learning rate of its own, in the order of INRIA's optimiser but for SH.
GROUPS: Final = ("means", "log_scales", "quats_wxyz", "logit_opacities", "sh0", "sh_rest")


@dataclass(frozen=True, eq=False)
class Parameters:
    """Six writable, contiguous arrays of one dtype: float32, or float64 in proofs.

    Raises ValueError where shapes or dtypes do not fit together: kernels do not check bounds.
    """

    means: Array  # [N, 3] world units
    log_scales: Array  # [N, 3] natural logarithm of the standard deviation in world units
    quats_wxyz: Array  # [N, 4] real part first, not normalised
    logit_opacities: Array  # [N]
    sh0: Array  # [N, 3] DC coefficients
    sh_rest: Array  # [N, K-1, 3] coefficient-major, K = (degree + 1)²

    def __post_init__(self) -> None:
        check_groups(self, self.means.shape[0], self.sh_rest.shape[1], self.means.dtype)

    @classmethod
    def of(cls, gaussians: Gaussians, dtype: DTypeLike = np.float32) -> "Parameters":
        """Copies of the stored columns; `take` the finite rows first if the others are not wanted."""
        return cls(**{name: np.array(getattr(gaussians, name), dtype, order="C") for name in GROUPS})

    @property
    def count(self) -> int:
        """N."""
        return len(self.means)

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64, of all six arrays."""
        return self.means.dtype

    @property
    def sh_degree(self) -> int:
        """0..4, of the stored coefficients; how many of them are drawn is the renderer's argument."""
        return degree_of(self.sh_rest.shape[1])

    def take(self, rows: Array) -> "Parameters":
        """Copies of the Gaussians at `rows`, indices or a mask [N]."""
        return Parameters(**{name: np.ascontiguousarray(getattr(self, name)[rows]) for name in GROUPS})

    def joined(self, *others: "Parameters") -> "Parameters":
        """These Gaussians followed by the others, copied; all of one dtype and SH degree."""
        parts = (self, *others)
        return Parameters(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in GROUPS})

    def astype(self, dtype: DTypeLike) -> "Parameters":
        """Copies in another precision."""
        return Parameters(**{name: getattr(self, name).astype(dtype) for name in GROUPS})

    def gaussians(self) -> Gaussians:
        """Float32 copies, for writers, measures and the viewport."""
        columns: dict[str, Any] = {name: np.array(getattr(self, name), np.float32) for name in GROUPS}
        return Gaussians.from_arrays(**columns)


def degree_of(rest_coefficients: int) -> int:
    """The SH degree with so many coefficients beyond DC. Raises ValueError where there is none up to 4."""
    for degree in range(MAX_DEGREE + 1):
        if (degree + 1) ** 2 == rest_coefficients + 1:
            return degree
    raise ValueError(f"{rest_coefficients} SH coefficients beyond DC fit no degree from 0 to {MAX_DEGREE}")


def check_groups(groups: Any, count: int, rest_coefficients: int, dtype: np.dtype[Any]) -> None:
    """Raise ValueError unless the six arrays have the shapes of `count` Gaussians, one float dtype and C order."""
    if dtype not in (np.float32, np.float64):
        raise ValueError(f"trainable Gaussians are float32 or float64, not {dtype}")
    degree_of(rest_coefficients)
    shapes = {"means": (count, 3), "log_scales": (count, 3), "quats_wxyz": (count, 4), "logit_opacities": (count,),
              "sh0": (count, 3), "sh_rest": (count, rest_coefficients, 3)}
    for name in GROUPS:
        array = getattr(groups, name)
        if array.shape != shapes[name] or array.dtype != dtype or not array.flags.c_contiguous:
            raise ValueError(f"{name} must be a contiguous {dtype} array {list(shapes[name])}, "
                             f"not {array.dtype} {list(array.shape)}")
