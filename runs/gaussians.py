"""N Gaussians of one saved iteration: as stored (log scale, logit opacity, raw quat wxyz) and as meant."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from runs.arrays import F32, Array, Mask
from runs.finite import drop_nonfinite_rows

# The stored columns and their shape after [N]; sh_rest has K-1 coefficients, K = (sh_degree + 1)².
COLUMNS: Mapping[str, tuple[int, ...]] = {
    "means": (3,),
    "log_scales": (3,),
    "quats_wxyz": (4,),
    "logit_opacities": (),
    "sh0": (3,),
}


@dataclass(frozen=True, eq=False)
class Gaussians:
    """Lazy columns of N splats. `load(name)` is called once per column, on first use.

    Names `load` must answer: every key of `COLUMNS`, "sh_rest" and every name in `extra_names`.
    """

    count: int
    sh_degree: int  # 0..4, from the number of stored coefficients, not the active degree
    load: Callable[[str], F32]
    extra_names: tuple[str, ...] = ()

    @classmethod
    def from_arrays(
        cls, *, means: Array, log_scales: Array, quats_wxyz: Array, logit_opacities: Array, sh0: Array,
        sh_rest: Array | None = None, extra: Mapping[str, Array] | None = None,
    ) -> "Gaussians":
        """Shapes: means [N,3] world, log_scales [N,3], quats_wxyz [N,4], logit_opacities [N], sh0 [N,3], sh_rest [N,K-1,3]."""
        count = len(means)
        rest = np.zeros((count, 0, 3), np.float32) if sh_rest is None else sh_rest
        stored = {"means": means, "log_scales": log_scales, "quats_wxyz": quats_wxyz,
                  "logit_opacities": logit_opacities, "sh0": sh0, "sh_rest": rest, **(extra or {})}
        arrays = {name: np.ascontiguousarray(values, np.float32) for name, values in stored.items()}
        degree = round(np.sqrt(arrays["sh_rest"].shape[1] + 1)) - 1
        return cls(count, degree, arrays.__getitem__, tuple(extra or ()))

    @cached_property
    def means(self) -> F32:
        """float32 [N, 3], world units."""
        return self.load("means")

    @cached_property
    def log_scales(self) -> F32:
        """float32 [N, 3], natural logarithm of the standard deviation in world units."""
        return self.load("log_scales")

    @cached_property
    def quats_wxyz(self) -> F32:
        """float32 [N, 4], real part first, not normalised."""
        return self.load("quats_wxyz")

    @cached_property
    def logit_opacities(self) -> F32:
        """float32 [N]."""
        return self.load("logit_opacities")

    @cached_property
    def sh0(self) -> F32:
        """float32 [N, 3], DC coefficients; colour = 0.5 + 0.28209479 · sh0."""
        return self.load("sh0")

    @cached_property
    def sh_rest(self) -> F32:
        """float32 [N, K-1, 3], coefficient-major."""
        return self.load("sh_rest")

    @cached_property
    def scales(self) -> F32:
        """float32 [N, 3], standard deviations in world units; inf where the stored value overflows."""
        with np.errstate(over="ignore"):
            return np.exp(self.log_scales)

    @cached_property
    def opacities(self) -> F32:
        """float32 [N], 0..1."""
        with np.errstate(over="ignore"):
            return np.asarray(1 / (1 + np.exp(-self.logit_opacities)), np.float32)

    @cached_property
    def quat_norms(self) -> F32:
        """float32 [N], length of the stored quaternion; 0 means that it names no rotation."""
        return np.asarray(np.linalg.norm(self.quats_wxyz, axis=1), np.float32)

    def extra(self, name: str) -> F32:
        """A property that the trainer stored beside the usual ones, float32 [N]."""
        return self.load(name)

    @cached_property
    def finite(self) -> Mask:
        """bool [N], False where any stored parameter of the row is NaN or infinite."""
        good = np.ones(self.count, bool)
        for name in ("sh_rest", *COLUMNS):  # SH first: a reader then serves all from one pass over its file
            drop_nonfinite_rows(self.load(name), good)
        return good

    def take(self, rows: Array) -> "Gaussians":
        """The Gaussians at `rows` (indices or a mask), read now."""
        stored = {name: self.load(name)[rows] for name in (*COLUMNS, "sh_rest", *self.extra_names)}
        extra = {name: stored.pop(name) for name in self.extra_names}
        return Gaussians.from_arrays(**stored, extra=extra)
