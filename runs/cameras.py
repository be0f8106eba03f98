"""One camera of a run, in one convention: OpenCV axes (x right, y down, z forward), camera-to-world."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from runs.arrays import F64, Array

Split = Literal["train", "test"]


@dataclass(frozen=True, eq=False)
class Camera:
    """A pinhole camera. Pixel (0, 0) is the centre of the top-left pixel's corner plus one half, as in COLMAP."""

    name: str  # image name as the run writes it
    world_from_camera: F64  # float64 [4, 4], rigid
    fx: float  # px
    fy: float  # px
    cx: float  # px, from the left edge of the image
    cy: float  # px, from the top edge of the image
    size_px: tuple[int, int]  # width, height
    split: Split | None = None  # None: the run does not say
    has_principal_point: bool = True  # False: cx, cy were not stored and are the image centre

    @cached_property
    def camera_from_world(self) -> F64:
        """float64 [4, 4]; the inverse of a rigid transform, without a general solve."""
        rotation = self.world_from_camera[:3, :3].T
        inverse = np.eye(4)
        inverse[:3, :3] = rotation
        inverse[:3, 3] = -rotation @ self.world_from_camera[:3, 3]
        return inverse

    @property
    def centre(self) -> F64:
        """float64 [3], the camera's position in world units."""
        return np.asarray(self.world_from_camera[:3, 3], np.float64)

    @property
    def forward(self) -> F64:
        """float64 [3], the unit viewing direction in the world."""
        return np.asarray(self.world_from_camera[:3, 2], np.float64)

    def resized(self, size_px: tuple[int, int]) -> "Camera":
        """The same view drawn at another size; intrinsics scale with it."""
        x, y = size_px[0] / self.size_px[0], size_px[1] / self.size_px[1]
        return replace(self, fx=self.fx * x, fy=self.fy * y, cx=self.cx * x, cy=self.cy * y, size_px=size_px)


def look_at(
    eye: Array, target: Array, *, up: tuple[float, float, float] = (0.0, -1.0, 0.0), fov_y_deg: float = 50.0,
    size_px: tuple[int, int] = (640, 360), name: str = "free",
) -> Camera:
    """A camera at `eye` looking at `target`; `up` is a world direction (COLMAP worlds are usually y-down)."""
    forward = np.asarray(target, np.float64) - eye
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, up)
    if np.linalg.norm(right) < 1e-9:  # looking along `up`: any right will do
        right = np.cross(forward, np.roll(up, 1))
    right /= np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, 0], pose[:3, 1], pose[:3, 2], pose[:3, 3] = right, np.cross(forward, right), forward, eye
    focal = size_px[1] / 2 / np.tan(np.radians(fov_y_deg) / 2)
    return Camera(name, pose, focal, focal, size_px[0] / 2, size_px[1] / 2, size_px)
