"""Where the cameras of a capture stand and what they look at: ring, arc, spiral and walk, with a photographer's jitter."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from runs.arrays import F64
from runs.cameras import Camera, Split, look_at
from tests.lab.scenes.solids import Xyz

# float64 [N], 0..1 along the capture -> eyes and targets, each float64 [N, 3]
Course = Callable[[F64], tuple[F64, F64]]


@dataclass(frozen=True)
class Capture:
    """How a scene is photographed."""

    course: Course
    fov_deg: float  # across the longer side of the picture
    aspect: tuple[int, int] = (1, 1)  # width to height
    eye_jitter: float = 0.1  # world units, standard deviation
    target_jitter: float = 0.06
    roll_jitter_deg: float = 1.5


def cameras(
    capture: Capture, split: Split, count: int, size_px: int, shift: tuple[float, float], rng: np.random.Generator,
) -> tuple[Camera, ...]:
    """`count` cameras, irregularly spaced along the course; `size_px` is the longer side.

    `shift` moves the principal point by this share of width and height. Test cameras stand between the training cameras.
    """
    along = (np.arange(count) + 0.5 + (rng.uniform(-0.35, 0.35, count) if split == "train" else 0.0)) / count
    eyes, targets = capture.course(along)
    eyes = eyes + rng.normal(0, capture.eye_jitter, eyes.shape)
    targets = targets + rng.normal(0, capture.target_jitter, targets.shape)
    ups = np.array([0, 0, 1]) + rng.normal(0, np.radians(capture.roll_jitter_deg), eyes.shape)
    places = zip(eyes, targets, ups, strict=True)
    return tuple(_camera(capture, f"{split}_{i:03d}.png", split, size_px, shift, *place) for i, place in enumerate(places))


def _camera(
    capture: Capture, name: str, split: Split, size_px: int, shift: tuple[float, float], eye: F64, target: F64, up: F64,
) -> Camera:
    width, height = (round(size_px * side / max(capture.aspect)) for side in capture.aspect)
    focal = size_px / 2 / np.tan(np.radians(capture.fov_deg) / 2)
    pose = look_at(eye, target, up=(float(up[0]), float(up[1]), float(up[2]))).world_from_camera
    centre_px = (width * (0.5 + shift[0]), height * (0.5 + shift[1]))
    return Camera(name, pose, focal, focal, *centre_px, (width, height), split)


def ring(radius: float, low: float, high: float, target: Xyz) -> Course:
    """Once around, the height swaying between `low` and `high`."""
    return partial(_arc, radius=radius, heights=(low, high), target=target, start_deg=0.0, sweep_deg=360.0)


def arc(radius: float, low: float, high: float, target: Xyz, start_deg: float, sweep_deg: float) -> Course:
    """A part of a ring, as in front of a corner or a shelf."""
    return partial(_arc, radius=radius, heights=(low, high), target=target, start_deg=start_deg, sweep_deg=sweep_deg)


def _arc(
    along: F64, radius: float, heights: tuple[float, float], target: Xyz, start_deg: float, sweep_deg: float,
) -> tuple[F64, F64]:
    angle = np.radians(start_deg + sweep_deg * along)
    rise = 0.5 + 0.5 * np.sin(2 * np.pi * 3.7 * along + 0.6)
    heights_at = heights[0] + (heights[1] - heights[0]) * rise
    eyes = np.stack([target[0] + radius * np.cos(angle), target[1] + radius * np.sin(angle), heights_at], axis=1)
    return eyes, np.broadcast_to(target, eyes.shape)


def two_rings(radii: tuple[float, float], heights: tuple[float, float], target: Xyz) -> Course:
    """Twice around: low and wide, then high and closer."""
    return partial(_two_rings, radii=radii, heights=heights, target=target)


def _two_rings(along: F64, radii: tuple[float, float], heights: tuple[float, float], target: Xyz) -> tuple[F64, F64]:
    second = (along > 0.5).astype(int)
    angle, radius = 4 * np.pi * along + 0.4 * second, np.take(radii, second)
    eyes = np.stack([target[0] + radius * np.cos(angle), target[1] + radius * np.sin(angle), np.take(heights, second)], axis=1)
    return eyes, np.broadcast_to(target, eyes.shape)


def spiral(radius: float, turns: float, target: Xyz) -> Course:
    """A full sphere around the target, from above to below it."""
    return partial(_spiral, radius=radius, turns=turns, target=target)


def _spiral(along: F64, radius: float, turns: float, target: Xyz) -> tuple[F64, F64]:
    z, angle = 0.93 - 1.86 * along, 2 * np.pi * turns * along
    across = np.sqrt(1 - z * z)
    eyes = np.array(target) + radius * np.stack([across * np.cos(angle), across * np.sin(angle), z], axis=1)
    return eyes, np.broadcast_to(target, eyes.shape)


def walk(half_width: float, depth: float, heights: tuple[float, float], ahead: float) -> Course:
    """A slightly curved path that weaves forwards along +y, looking ahead."""
    return partial(_walk, half_width=half_width, depth=depth, heights=heights, ahead=ahead)


def _walk(along: F64, half_width: float, depth: float, heights: tuple[float, float], ahead: float) -> tuple[F64, F64]:
    sideways = half_width * np.sin(2 * np.pi * 2.2 * along)
    rise = 0.5 + 0.5 * np.sin(2 * np.pi * 3.1 * along + 1)
    eyes = np.stack([sideways, depth * along, heights[0] + (heights[1] - heights[0]) * rise], axis=1)
    targets = np.stack([0.3 * sideways + 0.4 * along, depth * along + ahead, np.full_like(along, np.mean(heights))], axis=1)
    return eyes, targets
