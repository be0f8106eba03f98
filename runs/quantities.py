"""One number per Gaussian: what can be coloured, listed and compared, each with its unit."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from runs.arrays import F32, F64, Array
from runs.gaussians import Gaussians
from runs.neighbours import nearest

NEIGHBOURS = 3  # as INRIA's initial scale: the mean distance to the three nearest points


@dataclass(frozen=True)
class Quantity:
    """A number per Gaussian. `compute` answers float32 [N]; NaN where the row is not finite."""

    name: str
    title: str
    unit: str  # empty for a pure number
    compute: Callable[[Gaussians], F32]
    log: bool  # spread over magnitudes, so it is shown on a logarithmic scale


def opacity(gaussians: Gaussians) -> F32:
    """Activated opacity, 0..1."""
    return gaussians.opacities


def elongation(gaussians: Gaussians) -> F32:
    """s_max / s_mid, >= 1: large for needles, 1 for balls and for flat discs."""
    ordered = _sorted_log_scales(gaussians)
    return _exp(ordered[:, 2] - ordered[:, 1])


def flatness(gaussians: Gaussians) -> F32:
    """s_mid / s_min, >= 1: large for discs, which lie on surfaces and are legitimate."""
    ordered = _sorted_log_scales(gaussians)
    return _exp(ordered[:, 1] - ordered[:, 0])


def effective_rank(gaussians: Gaussians) -> F32:
    """exp(entropy of s²/Σs²), 1..3: 1 needle, 2 disc, 3 ball (Hyung et al. 2024, arXiv 2406.11672)."""
    ordered = _sorted_log_scales(gaussians)
    variances = np.exp(2 * (ordered - ordered[:, 2:]))  # relative to the largest, so nothing overflows
    shares = variances / variances.sum(axis=1, keepdims=True)
    entropy = -(shares * np.log(np.maximum(shares, 1e-300))).sum(axis=1)
    return np.asarray(np.exp(entropy), np.float32)


def max_scale(gaussians: Gaussians) -> F32:
    """The largest standard deviation, world units."""
    return _exp(_sorted_log_scales(gaussians)[:, 2])


def volume(gaussians: Gaussians) -> F32:
    """Volume of the one-sigma ellipsoid, 4/3·π·s₁s₂s₃ in cubic world units."""
    return _exp(_sorted_log_scales(gaussians).sum(axis=1) + np.log(4 / 3 * np.pi))


def neighbour_distance(gaussians: Gaussians) -> F32:
    """Mean distance to the three nearest other Gaussians, world units; NaN where there is no other."""
    distances = np.full(gaussians.count, np.nan, np.float32)
    rows = np.flatnonzero(np.isfinite(gaussians.means).all(axis=1))
    others = min(NEIGHBOURS, len(rows) - 1)
    if others < 1:
        return distances
    found = nearest(gaussians.means[rows], others + 1)[0]
    distances[rows] = found[:, 1:].mean(axis=1)
    return distances


def sh_energy(gaussians: Gaussians) -> F32:
    """Root mean square over all directions and channels of the view-dependent part of the colour.

    The basis is orthonormal on the sphere, so this is √(Σ_{l≥1} c² / 4π / 3). Unlike the share
    Σ_{l≥1} c² / Σ c² it does not explode for mid-grey splats, whose DC coefficient is zero.
    """
    rest = gaussians.sh_rest
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.einsum("nkc,nkc->n", rest, rest)
        return np.asarray(np.sqrt(total / (12 * np.pi)), np.float32)


def _sorted_log_scales(gaussians: Gaussians) -> F64:
    """float64 [N, 3], ascending; rows with a value that is not finite are NaN throughout."""
    stored = gaussians.log_scales.astype(np.float64)
    stored[~np.isfinite(stored).all(axis=1)] = np.nan
    return np.sort(stored, axis=1)


def _exp(logarithms: Array) -> F32:
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.exp(logarithms), np.float32)


QUANTITIES: Mapping[str, Quantity] = {
    quantity.name: quantity
    for quantity in (
        Quantity("opacity", "Opacity", "", opacity, log=False),
        Quantity("elongation", "Elongation (s_max / s_mid)", "", elongation, log=True),
        Quantity("flatness", "Flatness (s_mid / s_min)", "", flatness, log=True),
        Quantity("effective_rank", "Effective rank (1 needle, 2 disc, 3 ball)", "", effective_rank, log=False),
        Quantity("max_scale", "Largest scale", "world units", max_scale, log=True),
        Quantity("volume", "Volume", "world units³", volume, log=True),
        Quantity("neighbour_distance", "Distance to 3 nearest", "world units", neighbour_distance, log=True),
        Quantity("sh_energy", "View-dependent colour (SH, RMS)", "colour 0..1", sh_energy, log=False),
    )
}
