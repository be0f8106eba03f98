"""Cameras at the size that trained."""

import math
from collections.abc import Callable
from dataclasses import replace

from runs.cameras import Camera


def scaled(camera: Camera, scale: float, rounding: Callable[[float], int] = math.floor) -> Camera:
    """The same view with all lengths in pixels multiplied by `scale`; only the size is rounded, so the lens stays exact."""
    width, height = (max(1, rounding(side * scale)) for side in camera.size_px)
    return replace(camera, fx=camera.fx * scale, fy=camera.fy * scale, cx=camera.cx * scale, cy=camera.cy * scale,
                   size_px=(width, height))
