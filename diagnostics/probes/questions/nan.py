"""The nan probe: train on from the last finite save, and stop at the first value that is not finite."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from diagnostics.probes import nan_findings as findings
from diagnostics.probes.answer import Answer
from diagnostics.probes.bench import Bench, OutOfReach
from diagnostics.probes.engines import chosen_engine
from diagnostics.probes.material import start_points
from diagnostics.probes.nan_four import four_causes
from diagnostics.probes.nan_replay import GROWTH, Desk, Replay, replay, with_bad_pixels
from diagnostics.probes.nan_start import Start, start_of
from diagnostics.probes.own_settings import own_settings
from diagnostics.probes.registry import Workload, probe
from diagnostics.probes.resume_views import NO_POINTS, Shown, shown
from runs.points import PointCloud

LONGEST_PX, MOST_VIEWS, MOST_POINTS = 200, 40, 200_000
STEPS, LEAST_STEPS, MOST_STEPS = 200, 50, 600
BEYOND = 5  # iterations past the first bad one that is known
HIGHEST_DEGREE = 3
FIRST_PASS, LAST_PASS = 0.6, 0.95  # of the time; after the first, usual rates are tried


def _workload(bench: Bench) -> Workload:
    start = start_of(bench)
    points = NO_POINTS if start.state is not None else start_points(bench, MOST_POINTS)
    looked = _shown(bench, start, points)
    count = len(points) if start.state is None else start.state.gaussians.count
    return Workload(_steps(bench, start), 0, count, looked.data.train[0].camera.size_px, at_least=True)


@probe("nan", _workload)
def nan(bench: Bench, *, rate_times: float = 10.0, gradient_growth: float = 1000.0) -> Answer:
    """Raises OutOfReach where nothing is there to train on from."""
    start = start_of(bench)
    points = NO_POINTS if start.state is not None else start_points(bench, MOST_POINTS)
    if not np.isfinite(points.xyz).all():
        return findings.bad_points(start, points)
    if start.state is not None and start.state.gaussians.sh_degree > HIGHEST_DEGREE:
        raise OutOfReach(f"Gaussians of SH degree {HIGHEST_DEGREE} or less, not {start.state.gaussians.sh_degree}")
    desk, usual = _desk(bench, start, points)
    steps = _steps(bench, start)
    until = FIRST_PASS * bench.limits.seconds
    seen = replay(bench, desk, steps, until, _told(bench, steps, 0.0, "Training on from the last finite save"))
    if seen.broken is None and seen.steps < min(steps, LEAST_STEPS):
        done = f"only {seen.steps:,} of {steps:,} steps were done"
        raise OutOfReach(f"more time: in {until:,.0f} s {done} (raise --seconds, or make the pictures smaller with --size)")
    causes = four_causes(desk, seen, start.shown.inputs, _again(bench, desk, seen), rate_times, gradient_growth)
    return replace(findings.answer(desk, seen, causes), done={
        "trained from": f"{start.source}, iteration {start.iteration:,}", "finite steps": f"{seen.steps:,} of {steps:,}",
        "views": len(desk.shown.data.train), "steps on the view of the log": len(desk.shown.order), "pictures": desk.shown.told,
        "Gaussians at the end": seen.gaussians, "growth": f"as set, to at most {GROWTH} times",
        "settings of the reference, where the run tells none": ", ".join(usual) or "none",
    })


def _steps(bench: Bench, start: Start) -> int:
    """Up to the first bad iteration that is known, and a few more."""
    first = start.shown.first
    due = STEPS if first is None else max(first + BEYOND - start.iteration, LEAST_STEPS)
    return bench.wish.steps or min(due, MOST_STEPS)


def _shown(bench: Bench, start: Start, points: PointCloud) -> Shown:
    window = (start.iteration + 1, start.iteration + _steps(bench, start))
    looked = shown(bench, bench.wish.longest_px or LONGEST_PX, MOST_VIEWS, window, points)
    return with_bad_pixels(bench.evidence.run, looked)


def _desk(bench: Bench, start: Start, points: PointCloud) -> tuple[Desk, tuple[str, ...]]:
    """And the names of settings that the run does not tell."""
    looked = _shown(bench, start, points)
    changes: dict[str, Any] = {} if start.state is None else {"sh_degree": start.state.gaussians.sh_degree}
    own = own_settings(bench.evidence.run, dilation_px2=looked.dilation_px2, seed=bench.wish.seed, **changes)
    count = len(points) if start.state is None else start.state.gaussians.count
    settings = own.values if own.values.cap_max else replace(own.values, cap_max=GROWTH * count)
    spread = bench.fact_or_none("cameras_spread")
    told = None if start.state is None else start.state.spatial_lr_scale
    extent = told or (looked.data.extent if spread is None else spread.extent)
    return Desk(looked, settings, chosen_engine(bench.wish.engine).render, extent, start), own.usual


def _told(bench: Bench, steps: int, begun: float, doing: str) -> Callable[[int], None]:
    share = FIRST_PASS if begun == 0 else 1 - FIRST_PASS
    return lambda number: bench.progress(begun + share * number / steps, doing)


def _again(bench: Bench, desk: Desk, seen: Replay) -> Callable[[Mapping[str, Any]], Replay]:
    """The same stretch once more, a few steps further than it had come."""
    steps, until = seen.steps + BEYOND, LAST_PASS * bench.limits.seconds
    told = _told(bench, steps, FIRST_PASS, "The same at usual learning rates")
    return lambda changes: replay(bench, desk, steps, until, told, changes)
