"""A camera that only turns: what it sees must be the same picture resampled, unless the order of splats depends on the view."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import map_coordinates

from runs.arrays import F32, F64, Mask
from runs.cameras import Camera

RIM_PX = 2  # nearer to the rim of either picture there is nothing to compare with
APPEARS = 0.1  # mean over the channels, colours 0..1: a change that is seen at once
RESAMPLING = 0.05  # there and back again: where resampling alone changes as much, nothing is told


@dataclass(frozen=True)
class Change:
    """Two pictures of one place, the second resampled into the first."""

    share: float  # 0..1, pixels that change by more than `APPEARS` though resampling keeps them
    mean: float  # 0..1, mean change over all pixels that both show
    resampling: float  # 0..1, mean change by resampling there and back


def turn(degrees: float) -> F64:
    """float64 [3, 3], a rotation about the camera's own downward axis, positive to the right."""
    sine, cosine = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    return np.array([[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]])


def turned(camera: Camera, rotation: F64) -> Camera:
    """The camera after a rotation [3, 3] on the spot."""
    pose = camera.world_from_camera.copy()
    pose[:3, :3] = pose[:3, :3] @ rotation
    return replace(camera, world_from_camera=pose)


def resampled(image: F32, camera: Camera, rotation: F64) -> tuple[F32, Mask]:
    """What `turned(camera, rotation)` drew, in the pixels of `camera`: [H, W, 3], and bool [H, W] where it shows something."""
    width, height = camera.size_px
    columns, rows = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    ahead = np.stack([(columns - camera.cx) / camera.fx, (rows - camera.cy) / camera.fy, np.ones_like(columns)], axis=-1)
    rays = ahead @ rotation
    with np.errstate(divide="ignore", invalid="ignore"):
        x = camera.fx * rays[..., 0] / rays[..., 2] + camera.cx - 0.5
        y = camera.fy * rays[..., 1] / rays[..., 2] + camera.cy - 0.5
    shown = (rays[..., 2] > 0) & (x >= RIM_PX) & (x <= width - 1 - RIM_PX) & (y >= RIM_PX) & (y <= height - 1 - RIM_PX)
    at = np.where(shown, (y, x), 0.0)
    channels = [map_coordinates(image[..., channel], at, order=1) for channel in range(image.shape[2])]
    return np.stack(channels, axis=-1).astype(np.float32), np.asarray(shown)


def change(first: F32, second: F32, camera: Camera, rotation: F64) -> Change | None:
    """`first` [H, W, 3] by `camera`, `second` by the turned one; None where they share no pixel."""
    seen, shown = resampled(second, camera, rotation)
    there, _ = resampled(first, camera, rotation.T)
    back, both = resampled(there, camera, rotation)
    inside = shown & both
    if not inside.any():
        return None
    differs, floor = (np.abs(image - first).mean(axis=2)[inside] for image in (seen, back))
    return Change(float(((differs > APPEARS) & (floor < RESAMPLING)).mean()), float(differs.mean()), float(floor.mean()))
