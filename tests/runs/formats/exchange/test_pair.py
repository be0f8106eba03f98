"""One real scene in two encodings by one editor: two readers that share nothing but a few formulas must agree on it."""

import numpy as np
from scipy.spatial import cKDTree

from runs.arrays import Array, Mask
from runs.formats.splat_formats import look_at
from runs.gaussians import Gaussians
from tests.support.data import shared_data
from tests.support.exchange import ROUNDING, compressed_ply_bounds

NEIGHBOURS = 24
SPZ = {"means": 2.0**-13, "log_scales": 1 / 32, "quats_wxyz": 3 * 0.5 / 511 / np.sqrt(2), "sh0": 0.5 / 255 / 0.15}  # half steps
SPZ_LEAST_LOG_SCALE = -10


def agree(first: Gaussians, second: Gaussians, near: Array, halves: dict[str, Array | float]) -> Mask:
    """bool [N, NEIGHBOURS]: row i of `first` and the row near[i, k] of `second` are one splat, by every column."""
    def close(name: str, mine: Array) -> Mask:
        bound = np.broadcast_to(np.asarray(halves[name]) + SPZ[name] + ROUNDING, mine.shape)[:, None]
        return np.asarray((np.abs(mine[:, None] - second.load(name)[near]) <= bound).all(axis=2))

    same_byte = np.abs(first.logit_opacities[:, None] - second.logit_opacities[near]) <= ROUNDING  # both store alpha in 8 bits
    cosine = np.abs((first.quats_wxyz[:, None] * second.quats_wxyz[near]).sum(axis=2))
    apart = np.sqrt(np.maximum(2 - 2 * cosine, 0))  # of two unit quaternions, the nearer of q and -q
    turned = apart <= 2 * (np.asarray(halves["quats_wxyz"]) + SPZ["quats_wxyz"])  # four components of at most one bound each
    logs = np.maximum(first.log_scales, SPZ_LEAST_LOG_SCALE)
    return np.asarray(close("means", first.means) & close("log_scales", logs) & close("sh0", first.sh0) & same_byte & turned)


def test_two_encodings_of_one_real_scene() -> None:
    """SuperSplat 2.7.1 wrote the biker as compressed PLY and as .spz; every splat of one must be in the other.

    They differ by an axis convention on disk (.spz has y up, half a turn about x away) and by none once read.
    """
    path = shared_data("splats", "biker.compressed.ply")
    first, second = look_at(path).read(), look_at(shared_data("splats", "biker.spz")).read()
    assert (first.count, first.sh_degree) == (second.count, second.sh_degree) == (152_746, 0)
    halves = compressed_ply_bounds(path)

    reach = (float(np.max(halves["means"])) + SPZ["means"]) * 1.001
    distances, near = cKDTree(second.means).query(first.means, NEIGHBOURS, p=np.inf, distance_upper_bound=reach)
    held = np.isfinite(distances)
    same = agree(first, second, np.where(held, near, 0), halves) & held

    assert same.any(axis=1).all()
    chosen = near[np.arange(len(near)), same.argmax(axis=1)]
    assert len(np.unique(chosen)) > 0.999 * first.count  # a few splats are indistinguishable from a neighbour
