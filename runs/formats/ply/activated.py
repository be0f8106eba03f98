"""Whether splats were stored as meant (opacity 0..1, scale in world units) where logits and logarithms are usual.

Nothing in a file says so. A trained set always holds negative logits (a fresh Gaussian has -2.2) and logarithms of scales
on both sides of zero or below it; so values that are all positive, and for scales crowded just above zero, were most
likely activated already. It stays a guess: nothing is converted here.
"""

from dataclasses import replace

import numpy as np

from runs.arrays import Array
from runs.errors import RunError
from runs.formats.ply.body import Rows, read_properties
from runs.formats.ply.columns import SplatHeader
from runs.formats.ply.splats import ReadPly
from runs.formats.splat_file import SplatFile
from runs.gaussians import Gaussians

SAMPLED_ROWS = 512
FEWEST_ROWS = 100  # fewer prove nothing
CROWDED = 0.5  # if these were logarithms, half of all splats would be between 1 and 1.65 units wide
SAYS_OPACITY = (
    "every opacity that this file stores lies within 0..1, as if it were no logit; it is read as a logit, so if the splats look "
    "too faint or too solid, export them with logits"
)
SAYS_SCALE = (
    "every scale that this file stores is positive and small, as if it were no logarithm; it is read as a logarithm, so if the "
    "splats look far too large, export them with logarithms"
)


def suspicions(file: SplatFile) -> tuple[str, ...]:
    """As `looks_activated`, from the first rows of a PLY; of another format nothing is suspected, for it says what it stores."""
    if not isinstance(file.read, ReadPly):
        return ()
    header = file.read.header
    sample = first_rows(header)
    try:
        opacities = read_properties(sample, header.columns["logit_opacities"])
        scales = read_properties(sample, header.columns["log_scales"])
    except RunError:
        return ()  # reading the file later says what is wrong
    return _suspected(opacities, scales)


def first_rows(header: SplatHeader) -> Rows:
    """As many as tell how a file stores its values."""
    return replace(header.rows, element=replace(header.rows.element, count=min(SAMPLED_ROWS, header.count)))


def looks_activated(gaussians: Gaussians) -> tuple[str, ...]:
    """A sentence for each of opacity and scale that was most likely stored as meant."""
    return _suspected(gaussians.logit_opacities, gaussians.log_scales)


def _suspected(opacities: Array, scales: Array) -> tuple[str, ...]:
    if len(opacities) < FEWEST_ROWS:
        return ()
    found = [(SAYS_OPACITY, are_opacities(opacities)), (SAYS_SCALE, are_scales(scales))]
    return tuple(says for says, activated in found if activated)


def are_opacities(stored: Array) -> bool:
    """Whether these values are opacities rather than logits."""
    known = stored[np.isfinite(stored)]
    return bool(known.size and known.min() >= 0 and known.max() <= 1)


def are_scales(stored: Array) -> bool:
    """Whether these values are standard deviations rather than their logarithms."""
    known = stored[np.isfinite(stored)]
    return bool(known.size and known.min() >= 0 and np.median(known) < CROWDED)
