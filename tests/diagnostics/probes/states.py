"""Runs of the lab with another last state, point cloud or start than they were saved with, in memory."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from runs.checkpoints import AdamGroup, StateFile, TrainingState
from runs.gaussians import COLUMNS, Gaussians
from runs.points import PointCloud
from runs.run import Run
from runs.settings import Setting, Settings


def with_state(run: Run, change: Callable[[TrainingState], TrainingState], iteration: int = 800) -> Run:
    """The run with one state alone: that of `iteration`, changed."""
    file = next(file for file in run.state_files if file.iteration == iteration)
    changed = change(file.state)
    return replace(run, state_files=(StateFile(iteration, file.path, lambda: changed),))


def with_moments(state: TrainingState, change: Callable[[AdamGroup], AdamGroup]) -> TrainingState:
    """Every group's memory changed."""
    return replace(state, adam={name: change(group) for name, group in state.adam.items()})


def forgotten(group: AdamGroup) -> AdamGroup:
    return replace(group, step=None, exp_avg=None, exp_avg_sq=None)


def with_columns(gaussians: Gaussians, **columns: Any) -> Gaussians:
    """The Gaussians with some columns replaced."""
    every = {name: np.array(gaussians.load(name)) for name in (*COLUMNS, "sh_rest")}
    return Gaussians.from_arrays(**{**every, **columns})


def with_settings(run: Run, values: Mapping[str, Any]) -> Run:
    """The run as if it had stored these settings too."""
    told = Settings({**dict(run.settings), **{name: Setting(name, value, "opt_args.json") for name, value in values.items()}})
    return replace(run, sources=replace(run.sources, settings=lambda: told))


def with_points(run: Run, change: Callable[[PointCloud], PointCloud]) -> Run:
    """The run as if it had started from other points."""
    points = run.input_points
    assert points is not None
    changed = change(points)
    return replace(run, sources=replace(run.sources, input_points=lambda: changed, sfm_points=lambda: changed))
