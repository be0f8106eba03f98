"""Camera poses that a SLAM system estimated, beside the true ones that its data set recorded."""

from dataclasses import dataclass

import numpy as np

from runs.arrays import F64, Mask
from runs.cameras import Camera
from runs.formats.cameras.rotations import is_rotation

FEWEST = 3  # poses that can be aligned


@dataclass(frozen=True, eq=False)
class Lens:
    """One pinhole lens for all frames, px."""

    fx: float
    fy: float
    cx: float
    cy: float
    size_px: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Poses by frame: float64 [T, 4, 4] world_from_camera, OpenCV axes."""

    frames: tuple[int, ...]  # numbers of the frames in the recording
    estimated: F64
    true: F64 | None = None

    def cameras(self, lens: Lens) -> tuple[Camera, ...]:
        """One training camera per frame whose estimated pose is rigid."""
        good = _rigid(self.estimated)
        return tuple(
            Camera(frame_name(frame), pose, lens.fx, lens.fy, lens.cx, lens.cy, lens.size_px, split="train")
            for frame, pose, is_good in zip(self.frames, self.estimated, good, strict=True) if is_good
        )

    def position_error(self, *, any_scale: bool) -> float | None:
        """Root mean square distance of estimated from true camera centres after the best rigid alignment, world units.

        `any_scale`: a single camera cannot know the size of a scene, so the estimate may also be resized. None where
        there are no true poses, fewer than three, or none that can be aligned. (Umeyama 1991; "ATE RMSE" of the SLAM benchmarks.)
        """
        if self.true is None:
            return None
        good = _rigid(self.estimated) & _rigid(self.true)
        if good.sum() < FEWEST:
            return None
        target, moved = self.true[good, :3, 3], self.estimated[good, :3, 3]
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                error = float(np.sqrt(np.mean(np.sum((target - _aligned(moved, target, any_scale)) ** 2, axis=1))))
        except np.linalg.LinAlgError:  # of places that overflow
            return None
        return error if np.isfinite(error) else None

    def error_note(self, *, any_scale: bool) -> str | None:
        """What to know of the poses, as a note."""
        error = self.position_error(any_scale=any_scale)
        if error is None:
            return None
        resized = " and resizing" if any_scale else ""
        return (f"its poses are estimates: after alignment{resized} their centres lie {error:.3g} world units (root mean square) "
                "from the true ones stored beside them; where that is much for the scene, mend the tracking before the mapping")


def frame_name(frame: int) -> str:
    """What a camera of a recording is called whose file names are not stored."""
    return f"frame {frame}"


def _rigid(poses: F64) -> Mask:
    """bool [T]"""
    return np.array([bool(np.isfinite(pose).all()) and is_rotation(pose[:3, :3]) for pose in poses], bool)


def _aligned(points: F64, target: F64, any_scale: bool) -> F64:
    """`points` [T, 3] moved onto `target` by the similarity of least squares."""
    middle, aim = points.mean(axis=0), target.mean(axis=0)
    left, stretch, right = np.linalg.svd((target - aim).T @ (points - middle) / len(points))
    signs = np.array([1.0, 1.0, np.sign(np.linalg.det(left) * np.linalg.det(right)) or 1.0])
    spread = float(np.mean(np.sum((points - middle) ** 2, axis=1)))
    scale = float(stretch @ signs) / spread if any_scale and spread > 0 else 1.0
    return np.asarray(scale * (points - middle) @ ((left * signs) @ right).T + aim, np.float64)
