"""Runs built in memory: from series, arrays, settings and cameras, without a file; and one small healthy training to vary."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from runs.arrays import Array
from runs.cameras import Camera, look_at
from runs.checkpoints import AdamGroup, Checkpoint, StateFile, TrainingState
from runs.events import LogEvent
from runs.gaussians import COLUMNS, Gaussians
from runs.notes import NoteBook
from runs.photos import Photo
from runs.points import PointCloud
from runs.run import PerView, Run, Sources, Trainer
from runs.series import Series
from runs.settings import Setting, Settings

INRIA = Trainer("inria", 0.9, "cfg_args, point_cloud/iteration_*")
HERE = Path("made-up")
SH_C0 = 0.28209479177387814

Points = Mapping[int, float]  # iteration -> value


def made_run(
    *, series: Mapping[str, Points | Series] | None = None, checkpoints: Mapping[int, Gaussians] | None = None,
    states: Mapping[int, TrainingState] | None = None, settings: Mapping[str, Any] | None = None,
    defaults: Mapping[str, Any] | None = None, cameras: Sequence[Camera] = (), input_points: PointCloud | None = None,
    sfm_points: PointCloud | None = None, photos: Mapping[str, Photo] | None = None,
    exposures: Mapping[str, Array] | None = None, per_view: PerView | None = None,
    events: Sequence[LogEvent] = (), trainer: Trainer = INRIA, data: Path | None = None, path: Path = HERE,
) -> Run:
    """A run that holds exactly what is given; everything else is missing."""
    stored = Settings({name: Setting(name, value, "cfg_args") for name, value in (settings or {}).items()})
    known = {name: _series(name, values) for name, values in (series or {}).items()}
    sources = Sources(
        cameras=lambda: tuple(cameras), settings=lambda: stored.with_defaults(defaults or {}), series=lambda: known,
        events=lambda: tuple(events), input_points=lambda: input_points, sfm_points=lambda: sfm_points,
        photos=lambda: photos or {}, exposures=lambda: exposures or {}, per_view=lambda: per_view or {},
    )
    saved = tuple(_checkpoint(iteration, gaussians) for iteration, gaussians in sorted((checkpoints or {}).items()))
    resumable = tuple(_state_file(iteration, state) for iteration, state in sorted((states or {}).items()))
    return Run(path, trainer, saved, resumable, data, sources, NoteBook())


def cloud(
    count: int = 400, *, seed: int = 0, spread: float = 1.0, size: float | None = None, opacity: float = 0.5, sh_degree: int = 1,
) -> Gaussians:
    """Flat, coloured splats scattered over a sphere of radius `spread`. `size`: standard deviation, world units."""
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(count, 3))
    means = spread * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    longest = size or spread * np.sqrt(4 * np.pi / count) / 2
    scales = longest * rng.uniform(0.6, 1.0, (count, 1)) * np.array([1.0, 0.8, 0.3])
    logits = np.log(opacity / (1 - opacity)) + rng.normal(0, 0.7, count)
    return Gaussians.from_arrays(
        means=means, log_scales=np.log(scales), quats_wxyz=rng.normal(size=(count, 4)), logit_opacities=logits,
        sh0=rng.uniform(-1, 1, (count, 3)), sh_rest=0.05 * rng.normal(size=(count, (sh_degree + 1) ** 2 - 1, 3)),
    )


def changed(gaussians: Gaussians, **columns: Array) -> Gaussians:
    """The same Gaussians with some stored columns replaced."""
    stored: dict[str, Any] = {name: gaussians.load(name) for name in (*COLUMNS, "sh_rest")}
    return Gaussians.from_arrays(**(stored | columns))


def ring_cameras(count: int = 12, *, radius: float = 3.0, size_px: tuple[int, int] = (96, 96)) -> tuple[Camera, ...]:
    """Training cameras on a circle, looking at the origin."""
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
    eyes = radius * np.stack([np.cos(angles), np.full(count, -0.3), np.sin(angles)], axis=1)
    views = (look_at(eye, np.zeros(3), size_px=size_px, name=f"view_{i:03d}.png") for i, eye in enumerate(eyes))
    return tuple(replace(view, split="train") for view in views)


def look_from(eye: tuple[float, float, float], name: str = "far.png") -> Camera:
    """One training camera that looks at the origin."""
    return replace(look_at(np.array(eye), np.zeros(3), size_px=(96, 96), name=name), split="train")


def points_of(gaussians: Gaussians, source: str = "input.ply") -> PointCloud:
    """The point cloud these Gaussians would have been started from."""
    colours = np.clip(255 * (0.5 + SH_C0 * gaussians.sh0), 0, 255).astype(np.uint8)
    return PointCloud(gaussians.means.astype(np.float64), colours, source)


def started_from(points: PointCloud, *, sh_degree: int = 1) -> Gaussians:
    """Gaussians as the 3DGS recipe makes them: log √(mean squared distance to 3 neighbours), opacity 0.1, no rotation."""
    squared = ((points.xyz[:, None] - points.xyz[None]) ** 2).sum(axis=2)
    nearest = np.sort(squared, axis=1)[:, 1:4].mean(axis=1)
    count = len(points)
    rgb = np.full((count, 3), 0.5) if points.rgb is None else points.rgb / 255
    return Gaussians.from_arrays(
        means=points.xyz, log_scales=np.repeat(np.log(np.sqrt(np.maximum(nearest, 1e-7)))[:, None], 3, axis=1),
        quats_wxyz=np.tile([1.0, 0, 0, 0], (count, 1)), logit_opacities=np.full(count, np.log(0.1 / 0.9)),
        sh0=(rgb - 0.5) / SH_C0, sh_rest=np.zeros((count, (sh_degree + 1) ** 2 - 1, 3)),
    )


SHAPES = {"xyz": (3,), "f_dc": (1, 3), "f_rest": (3, 3), "opacity": (1,), "scaling": (3,), "rotation": (4,)}
RATES = {"xyz": 1.6e-6, "f_dc": 2.5e-3, "f_rest": 1.25e-4, "opacity": 0.05, "scaling": 5e-3, "rotation": 1e-3}


def state_of(
    gaussians: Gaussians, iteration: int, *, frozen: Sequence[str] = (), rates: Mapping[str, float] | None = None,
    extent: float = 3.3,
) -> TrainingState:
    """A complete training state; groups named in `frozen` have Adam moments of exactly zero."""
    rng = np.random.default_rng(0)
    used = {**RATES, "xyz": RATES["xyz"] * extent, **(rates or {})}
    adam = {name: _group(name, used[name], iteration, (gaussians.count, *shape), 0.0 if name in frozen else 1e-4, rng)
            for name, shape in SHAPES.items()}
    statistics = {name: np.ones(gaussians.count, np.float32) for name in ("xyz_gradient_accum", "denom", "max_radii2D")}
    path = HERE / f"chkpnt{iteration}.pth"
    return TrainingState(iteration, path, "inria 12-tuple", gaussians.sh_degree, gaussians, adam, statistics, extent, ())


def _group(name: str, rate: float, step: int, shape: tuple[int, ...], gradient: float, rng: np.random.Generator) -> AdamGroup:
    """Moments as they settle where gradients of size `gradient` point in changing directions."""
    first = (0.1 * gradient * rng.normal(size=shape)).astype(np.float32)
    return AdamGroup(name, rate, step, first, np.full(shape, gradient**2, np.float32), 1e-15)


def _series(name: str, values: Points | Series) -> Series:
    if isinstance(values, Series):
        return values
    iterations = np.array(sorted(values), np.int64)
    return Series(name, iterations, np.array([values[i] for i in sorted(values)], np.float64), "", "metrics.jsonl")


def _checkpoint(iteration: int, gaussians: Gaussians) -> Checkpoint:
    path = HERE / f"point_cloud/iteration_{iteration}/point_cloud.ply"
    return Checkpoint(iteration, path, gaussians.count, gaussians.sh_degree, 0, lambda: gaussians)


def _state_file(iteration: int, state: TrainingState) -> StateFile:
    return StateFile(iteration, HERE / f"chkpnt{iteration}.pth", lambda: state)
