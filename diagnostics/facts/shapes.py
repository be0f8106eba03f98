"""Facts about the shape of each Gaussian of the last checkpoint in the range: one number per row."""

from diagnostics.facts import saved
from diagnostics.registry import fact
from runs import quantities
from runs.arrays import F32
from runs.gaussians import Gaussians

CHECKPOINT = saved.CHECKPOINT


@fact(missing=CHECKPOINT)
def elongation(gaussians: Gaussians) -> F32:
    """float32 [N], s_max / s_mid: large for needles, 1 for flat discs; NaN where a scale is not finite."""
    return quantities.elongation(gaussians)


@fact(missing=CHECKPOINT)
def effective_rank(gaussians: Gaussians) -> F32:
    """float32 [N], 1 needle, 2 disc, 3 ball; NaN where a scale is not finite."""
    return quantities.effective_rank(gaussians)


@fact(missing=CHECKPOINT)
def neighbour_distance(gaussians: Gaussians) -> F32:
    """float32 [N], mean distance to the three nearest Gaussians, world units; NaN where there are none."""
    return quantities.neighbour_distance(gaussians)
