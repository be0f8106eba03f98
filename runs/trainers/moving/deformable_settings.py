"""What Deformable-3D-Gaussians uses and does not store (`arguments/__init__.py` and `train.py`, revision ac42372)."""

from collections.abc import Mapping
from typing import Any

DEFAULTS: Mapping[str, Any] = {
    "iterations": 40_000,
    "warm_up": 3_000,  # before it nothing moves
    "position_lr_init": 0.00016,
    "position_lr_final": 0.0000016,
    "position_lr_delay_mult": 0.01,
    "position_lr_max_steps": 30_000,
    "deform_lr_max_steps": 40_000,
    "feature_lr": 0.0025,
    "opacity_lr": 0.05,
    "scaling_lr": 0.001,
    "rotation_lr": 0.001,
    "percent_dense": 0.01,
    "lambda_dssim": 0.2,
    "densification_interval": 100,
    "opacity_reset_interval": 3_000,
    "densify_from_iter": 500,
    "densify_until_iter": 15_000,
    "densify_grad_threshold": 0.0002,
    "convert_SHs_python": False,
    "compute_cov3D_python": False,
    "save_iterations": [7_000, 10_000, 20_000, 30_000, 40_000],
    "test_iterations": [5_000, 6_000, 7_000, *range(10_000, 40_001, 1_000)],
}
