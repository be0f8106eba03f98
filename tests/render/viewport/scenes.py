"""Small scenes that hold every kind of splat: needles, discs, faint and opaque ones, some behind and around the camera."""

import numpy as np

from render.splats import Splats, prepare
from runs.cameras import Camera, look_at
from runs.gaussians import Gaussians


def mixed(count: int = 300, *, sh_degree: int = 3, seed: int = 0, spread: float = 0.6) -> Splats:
    """`count` anisotropic splats around the origin; some are too faint to be seen."""
    rng = np.random.default_rng(seed)
    coefficients = (sh_degree + 1) ** 2 - 1
    return prepare(Gaussians.from_arrays(
        means=rng.normal(0, spread, (count, 3)), log_scales=rng.normal(-2.5, 0.7, (count, 3)),
        quats_wxyz=rng.normal(size=(count, 4)), logit_opacities=rng.normal(0, 2.5, count),
        sh0=rng.normal(0, 0.8, (count, 3)), sh_rest=rng.normal(0, 0.2, (count, coefficients, 3)),
    ))


def outside(size_px: tuple[int, int] = (96, 80)) -> Camera:
    """A camera that sees the whole scene."""
    return look_at(np.array([0.3, -0.2, -3.0]), np.zeros(3), size_px=size_px)


def inside(size_px: tuple[int, int] = (96, 80)) -> Camera:
    """A camera among the splats, with an off-centre principal point: the hard case for culling and for the Jacobian's clamp."""
    camera = look_at(np.array([0.0, 0.1, -0.1]), np.array([0.4, 0.1, 0.9]), fov_y_deg=70, size_px=size_px)
    return Camera("inside", camera.world_from_camera, camera.fx, camera.fy, 40.0, 45.0, size_px)


CAMERAS = {"outside": outside(), "inside": inside()}
