"""What the GL back-end is asked to draw, by the worker that draws it and by the test that knows the answer."""

from typing import Any

import numpy as np

from render.colouring import Scale
from render.splats import Splats
from render.viewport.backend import ViewRequest
from tests.render.viewport.scenes import inside, mixed, outside

LAYOUTS: Any = ("gtex", "tex")
SPLATS = mixed(1500, spread=0.7)  # more than a texture row holds
SPLATS_FEW, SPLATS_NONE = mixed(30), mixed(0)
BY_DEGREE: dict[int, Splats] = {degree: mixed(200, sh_degree=degree) for degree in range(4)}
OUTSIDE, INSIDE = outside(), inside()

rng = np.random.default_rng(5)
SCALAR = rng.lognormal(0, 1, len(SPLATS)).astype(np.float32)
SCALAR[:40] = np.nan
SCALE = Scale(0.2, 5.0, True)
TINT = rng.random(len(SPLATS)) < 0.2
TINT_RGB = (1.0, 0.25, 0.2)
BACKGROUND = (0.1, 0.3, 0.6)


def requests() -> dict[str, ViewRequest]:
    """By name; every mode from both cameras."""
    found: dict[str, ViewRequest] = {}
    for where, camera in (("outside", OUTSIDE), ("inside", INSIDE)):
        every: dict[str, dict[str, Any]] = {
            "rgb": {}, "degree 0 of 3": {"sh_degree": 0}, "degree 1 of 3": {"sh_degree": 1},
            "scalar": {"mode": "scalar"}, "alpha": {"mode": "alpha"}, "tint": {"tint_strength": 0.7},
            "tinted scalar": {"mode": "scalar", "tint_strength": 1.0},
            "depth": {"mode": "depth", "field_scale": Scale(1.0, 4.0)},
            "depth, logarithmic": {"mode": "depth", "field_scale": Scale(0.5, 5.0, True)},
            "points": {"points": True}, "scalar points": {"points": True, "mode": "scalar"},
            "depth points": {"points": True, "mode": "depth", "field_scale": Scale(1.0, 4.0)},
        }
        found |= {f"{name} {where}": ViewRequest(camera, background=BACKGROUND, **how) for name, how in every.items()}
    return found
