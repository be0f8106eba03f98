"""What one COLMAP file holds, whether it was binary or text."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runs.arrays import F32, F64, I64, U8


@dataclass(frozen=True)
class CameraModel:
    """One of COLMAP's lens models (COLMAP `src/colmap/sensor/models.h`)."""

    name: str
    params: int  # number of stored parameters
    one_focal: bool = False  # f cx cy … instead of fx fy cx cy …
    is_pinhole: bool = False
    bends_alone: bool = False  # no straight line stays straight, even where every further parameter is 0


# By model id, as cameras.bin stores it.
CAMERA_MODELS: dict[int, CameraModel] = {
    0: CameraModel("SIMPLE_PINHOLE", 3, one_focal=True, is_pinhole=True),
    1: CameraModel("PINHOLE", 4, is_pinhole=True),
    2: CameraModel("SIMPLE_RADIAL", 4, one_focal=True),
    3: CameraModel("RADIAL", 5, one_focal=True),
    4: CameraModel("OPENCV", 8),
    5: CameraModel("OPENCV_FISHEYE", 8, bends_alone=True),
    6: CameraModel("FULL_OPENCV", 12),
    7: CameraModel("FOV", 5),
    8: CameraModel("SIMPLE_RADIAL_FISHEYE", 4, one_focal=True, bends_alone=True),
    9: CameraModel("RADIAL_FISHEYE", 5, one_focal=True, bends_alone=True),
    10: CameraModel("THIN_PRISM_FISHEYE", 12, bends_alone=True),
    11: CameraModel("RAD_TAN_THIN_PRISM_FISHEYE", 16, bends_alone=True),
    12: CameraModel("SIMPLE_DIVISION", 4, one_focal=True),
    13: CameraModel("DIVISION", 5),
    14: CameraModel("SIMPLE_FISHEYE", 3, one_focal=True, bends_alone=True),
    15: CameraModel("FISHEYE", 4, bends_alone=True),
    16: CameraModel("EUCM", 6, bends_alone=True),
    17: CameraModel("EQUIRECTANGULAR", 2, bends_alone=True),
}
PANORAMA = "EQUIRECTANGULAR"  # has no focal length: its parameters are the size of the picture
MODELS_BY_NAME = {model.name: model for model in CAMERA_MODELS.values()}


def is_distorted(lens: str, distortion: Sequence[float]) -> bool:
    """Whether a pinhole camera shows other pixels than this lens; an unknown lens is judged by its parameters."""
    known = MODELS_BY_NAME.get(lens)
    return any(distortion) or (known is not None and known.bends_alone)


@dataclass(frozen=True)
class Intrinsics:
    """One entry of cameras.bin or cameras.txt: the pinhole part and what is left of the parameters."""

    model: str
    size_px: tuple[int, int]
    fx: float
    fy: float
    cx: float
    cy: float
    distortion: tuple[float, ...]  # in the model's own order; empty for pinhole models

    @classmethod
    def from_params(cls, model: CameraModel, size_px: tuple[int, int], params: Sequence[float]) -> "Intrinsics":
        if model.name == PANORAMA:
            return cls(model.name, size_px, math.nan, math.nan, math.nan, math.nan, ())
        fx, fy, cx, cy, *rest = (params[0], *params) if model.one_focal else params
        return cls(model.name, size_px, fx, fy, cx, cy, tuple(rest))


@dataclass(frozen=True)
class ImagePose:
    """One entry of images.bin or images.txt without its observations."""

    name: str
    camera_id: int
    quat_wxyz: tuple[float, float, float, float]  # camera from world
    translation: tuple[float, float, float]  # camera from world
    observations: int  # keypoints that belong to a 3D point
    image_id: int = 0


@dataclass(frozen=True, eq=False)
class PointTable:
    """All of points3D.bin or points3D.txt."""

    ids: I64  # int64 [N]
    xyz: F64  # float64 [N, 3]
    rgb: U8  # uint8 [N, 3]
    error_px: F32  # float32 [N], NaN where COLMAP has not computed it
    track_lengths: F32 | None  # float32 [N]; None where the file has no tracks


@dataclass(frozen=True, eq=False)
class Keypoints:
    """The observations of one image that belong to a 3D point."""

    xy_px: F64  # float64 [M, 2]
    point_ids: I64  # int64 [M]


def error_or_nan(errors: F64) -> F32:
    """COLMAP writes -1 for an error that it has not computed."""
    with np.errstate(over="ignore", invalid="ignore"):  # beyond float32, and signalling NaN
        return np.where(errors < 0, np.nan, errors).astype(np.float32)
