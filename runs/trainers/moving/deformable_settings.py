"""What Deformable-3D-Gaussians uses and does not store (`arguments/__init__.py` and `train.py`, revision ac42372)."""

from collections.abc import Mapping
from typing import Any

from runs.defaults import INRIA, INRIA_BEFORE_EXPOSURE

NONE_OF_ITS = ("random_background", "checkpoint_iterations")  # settings of the trainer that it was made from
DEFAULTS: Mapping[str, Any] = {
    **{name: value for name, value in {**INRIA, **INRIA_BEFORE_EXPOSURE}.items() if name not in NONE_OF_ITS},
    "iterations": 40_000,
    "warm_up": 3_000,  # before it nothing moves
    "deform_lr_max_steps": 40_000,
    "scaling_lr": 0.001,
    "save_iterations": [7_000, 10_000, 20_000, 30_000, 40_000],
    "test_iterations": [5_000, 6_000, 7_000, *range(10_000, 40_001, 1_000)],
}
