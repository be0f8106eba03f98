"""What a training sees: cameras with their photos, and the points it starts from."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from diagnostics.measures.extent import camera_spread
from runs.arrays import F32
from runs.cameras import Camera
from runs.points import PointCloud


@dataclass(frozen=True, eq=False)
class View:
    """One camera and the photo it took. Raises ValueError where photo or mask are not of the camera's size."""

    camera: Camera
    photo: F32  # float32 [H, W, 3], 0..1, already composited on the background where it had alpha
    mask: F32 | None = None  # float32 [H, W], 1 where the photo counts, 0 where it does not

    def __post_init__(self) -> None:
        width, height = self.camera.size_px
        if self.photo.shape != (height, width, 3):
            raise ValueError(f"the photo of {self.camera.name} has the shape {self.photo.shape}, "
                             f"its camera takes pictures of {(height, width, 3)}")
        if self.mask is not None and self.mask.shape != (height, width):
            raise ValueError(f"the mask of {self.camera.name} has the shape {self.mask.shape}, not {(height, width)}")

    @property
    def name(self) -> str:
        return self.camera.name


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Views to train on, views held back, and the sparse points."""

    train: tuple[View, ...]
    test: tuple[View, ...]
    points: PointCloud

    def __post_init__(self) -> None:
        if not self.train:
            raise ValueError("there is no training view")

    @cached_property
    def extent(self) -> float:
        """World units: 1.1 × the largest distance of a training camera from their mean ("cameras extent")."""
        return camera_spread(np.array([view.camera.centre for view in self.train])).extent
