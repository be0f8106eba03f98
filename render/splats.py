"""Splats: activated Gaussians that are safe to draw, with the rows that are not hidden and counted."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from runs.arrays import F32, I64, Mask
from runs.gaussians import Gaussians

# exp(20) is 5e8 world units: larger than any scene, and its square still fits a float32.
ABSURD_LOG_SCALE = 20.0


@dataclass(frozen=True, eq=False)
class Hidden:
    """Why rows are not drawn; each mask is bool [N] over the stored rows."""

    nonfinite: Mask
    zero_quats: Mask
    absurd_scales: Mask

    @cached_property
    def any(self) -> Mask:
        return np.asarray(self.nonfinite | self.zero_quats | self.absurd_scales)

    def sentence(self) -> str:
        """What the viewport tells the user; empty when nothing is hidden."""
        parts = [(self.nonfinite, "with NaN or infinite values"), (self.zero_quats, "with a zero quaternion"),
                 (self.absurd_scales, f"with a log scale above {ABSURD_LOG_SCALE:g}")]
        told = [f"{int(mask.sum()):,} {why}" for mask, why in parts if mask.any()]
        return f"Hidden: {', '.join(told)}" if told else ""


@dataclass(frozen=True, eq=False)
class Splats:
    """M drawable splats of N stored rows, contiguous float32, ready for kernels and the GPU."""

    rows: I64  # int64 [M], row of each splat in the stored Gaussians
    stored_count: int  # N
    means: F32  # [M, 3] world units
    scales: F32  # [M, 3] world units, > 0
    quats: F32  # [M, 4] wxyz, unit
    opacities: F32  # [M] 0..1
    sh: F32  # [M, K, 3], DC first
    sh_degree: int
    hidden: Hidden

    def __len__(self) -> int:
        return len(self.rows)

    def spread(self, per_splat: F32, fill: float = np.nan) -> F32:
        """Values [M] per splat as values [N] per stored row; hidden rows get `fill`."""
        stored = np.full(self.stored_count, fill, np.float32)
        stored[self.rows] = per_splat
        return stored


def prepare(gaussians: Gaussians) -> Splats:
    """Activate the Gaussians and hide rows that no renderer may see."""
    nonfinite = ~gaussians.finite
    absurd = (gaussians.log_scales > ABSURD_LOG_SCALE).any(axis=1)
    hidden = Hidden(nonfinite, (gaussians.quat_norms < 1e-6) & ~nonfinite, absurd & ~nonfinite)
    rows = np.flatnonzero(~hidden.any)

    def kept(column: F32) -> F32:
        """Nothing is copied where nothing is hidden: a copy of a million Gaussians is felt."""
        return column if len(rows) == gaussians.count else column[rows]

    return Splats(
        rows=rows, stored_count=gaussians.count, means=kept(gaussians.means), scales=kept(gaussians.scales),
        quats=kept(gaussians.quats_wxyz) / kept(gaussians.quat_norms)[:, None], opacities=kept(gaussians.opacities),
        sh=np.concatenate([kept(gaussians.sh0)[:, None], kept(gaussians.sh_rest)], axis=1), sh_degree=gaussians.sh_degree,
        hidden=hidden,
    )
