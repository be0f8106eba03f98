"""Saved states: what is kept in memory, and for how long."""

import gc
from pathlib import Path

import numpy as np

from runs.checkpoints import Checkpoint
from runs.gaussians import Gaussians


def counted_checkpoint() -> tuple[Checkpoint, list[int]]:
    """A checkpoint in memory, and a list that grows by one with each reading."""
    readings: list[int] = []
    rows = np.zeros((2, 3), np.float32)

    def read() -> Gaussians:
        readings.append(1)
        return Gaussians.from_arrays(
            means=rows, log_scales=rows, quats_wxyz=np.ones((2, 4)), logit_opacities=rows[:, 0], sh0=rows)

    return Checkpoint(1, Path("point_cloud.ply"), 2, 0, 0, read), readings


def test_gaussians_are_shared_while_held_and_read_again_after() -> None:
    """Thirty saves of a million Gaussians do not fit into memory together, and one must not be read twice at a time."""
    checkpoint, readings = counted_checkpoint()
    held = checkpoint.gaussians
    assert checkpoint.gaussians is held
    assert len(readings) == 1
    del held
    gc.collect()
    assert checkpoint.gaussians.count == 2
    assert len(readings) == 2
