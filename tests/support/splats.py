"""Random and hand-placed splats, and cameras that see them, for tests of rendering."""

from dataclasses import replace

import numpy as np

from render.splats import Splats, prepare
from runs.arrays import Array
from runs.cameras import Camera, look_at
from runs.gaussians import Gaussians

C0 = 0.28209479177387814


def random_splats(
    count: int, *, seed: int = 0, size: float = 0.2, spread: float = 0.7, opaque: float = 2.0, degree: int = 3
) -> Splats:
    """A cloud of unit width: scales lognormal about `size`, logit opacities normal with deviation `opaque`."""
    rng = np.random.default_rng(seed)
    return prepare(Gaussians.from_arrays(
        means=rng.normal(size=(count, 3)), log_scales=np.log(size) + spread * rng.normal(size=(count, 3)),
        quats_wxyz=rng.normal(size=(count, 4)), logit_opacities=opaque * rng.normal(size=count),
        sh0=rng.normal(size=(count, 3)), sh_rest=0.2 * rng.normal(size=(count, (degree + 1) ** 2 - 1, 3)),
    ))


def placed_splats(means: Array, *, scales: Array | float, opacities: Array, colours: Array) -> Splats:
    """Round or axis-aligned splats of one colour each; `scales` is broadcast to [N, 3]."""
    means = np.atleast_2d(np.asarray(means, np.float64))
    opacity = np.asarray(opacities, np.float64)
    return prepare(Gaussians.from_arrays(
        means=means, log_scales=np.log(np.broadcast_to(scales, means.shape)), quats_wxyz=np.tile([1.0, 0, 0, 0], (len(means), 1)),
        logit_opacities=np.log(opacity / (1 - opacity)), sh0=(np.atleast_2d(colours) - 0.5) / C0,
    ))


def outside(size_px: tuple[int, int] = (50, 38)) -> Camera:
    """A camera that sees the whole cloud."""
    return look_at(np.array([0.0, 0.0, -4.0]), np.zeros(3), size_px=size_px)


def inside(size_px: tuple[int, int] = (50, 38)) -> Camera:
    """A camera in the middle of the cloud, with splats right at its near plane and behind it."""
    return look_at(np.array([0.1, 0.1, -0.2]), np.array([1.0, 0.2, 0.1]), size_px=size_px)


def off_centre(size_px: tuple[int, int] = (50, 38)) -> Camera:
    """A camera whose principal point lies near a corner."""
    return replace(outside(size_px), cx=0.15 * size_px[0], cy=0.8 * size_px[1])


def straight(size_px: tuple[int, int] = (33, 33), focal: float = 40.0) -> Camera:
    """A camera at the origin that looks along +z; the axis meets the centre of the middle pixel for odd sizes."""
    return Camera("straight", np.eye(4), focal, focal, size_px[0] / 2, size_px[1] / 2, size_px)
