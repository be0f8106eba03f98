"""Pieces that the tests of nerfstudio's folders share."""

from dataclasses import replace

import numpy as np
import pytest

from runs.cameras import Camera
from tests.support.runs import ring_cameras


@pytest.fixture
def uneven() -> tuple[Camera, ...]:
    """Twenty views that no symmetry of the ring can put in another's place."""
    rng = np.random.default_rng(1)
    cameras = ring_cameras(20, size_px=(640, 480))
    moved = (c.world_from_camera + np.pad(rng.normal(0, 0.3, (3, 1)), ((0, 1), (3, 0))) for c in cameras)
    return tuple(replace(c, world_from_camera=pose, split=None) for c, pose in zip(cameras, moved, strict=True))
