"""Synthetic scenes for benchmarks: the same splats for the same count, everywhere."""

import numpy as np

from render.splats import Splats, prepare
from runs.gaussians import Gaussians


def blob(count: int, sh_degree: int = 3, seed: int = 0) -> Splats:
    """The splats of `stored_blob`."""
    return prepare(stored_blob(count, sh_degree, seed))


def stored_blob(count: int, sh_degree: int = 3, seed: int = 0) -> Gaussians:
    """A ball of `count` Gaussians whose sizes shrink as their number grows, as training's do; float32, SH of `sh_degree`."""
    rng = np.random.default_rng(seed)
    size = np.log(0.6 * count ** (-1 / 3))
    return Gaussians.from_arrays(
        means=rng.normal(0, 1, (count, 3)), log_scales=rng.normal(size, 0.6, (count, 3)),
        quats_wxyz=rng.normal(size=(count, 4)), logit_opacities=rng.normal(0, 2, count),
        sh0=rng.normal(0, 0.8, (count, 3)), sh_rest=rng.normal(0, 0.1, (count, (sh_degree + 1) ** 2 - 1, 3)),
    )
