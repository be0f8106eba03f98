"""The memory model of one run: its trainer, SH degree, optimiser, photos, counts and plan."""

from typing import Any

import numpy as np

from diagnostics.memory.fits import measured_of
from diagnostics.memory.forecast import Course, course
from diagnostics.memory.model import MOMENTS, Setup
from diagnostics.memory.photos import photos_of
from diagnostics.schedule import schedule_of
from runs.run import Run
from runs.series import Series
from runs.strategy import moves_the_dead

LAST_ITERATION = ("iterations", "max_steps", "max_num_iterations", "total_steps")
CAPS = ("cap_max", "pipeline.model.max_gs_num", "max_cap", "max_splats")


def setup_of(run: Run) -> Setup:
    """Whatever the run does not tell is left out, and the usage says so."""
    sizes = [camera.size_px[0] * camera.size_px[1] for camera in run.cameras]
    return Setup(measured_of(run), _degree(run), _optimiser(run), photos_of(run), max(sizes, default=None))


def counts_of(run: Run) -> Series | None:
    """As logged, else as saved; the saves after the last logged count are added."""
    saved = {c.iteration: float(c.count) for c in run.checkpoints if c.holds == "splats"}
    logged = run.series.get("num_gaussians")
    known = {} if logged is None else {
        int(i): float(v) for i, v in zip(logged.iterations, logged.values, strict=True) if np.isfinite(v)}
    last = max(known, default=-1)
    together = known | {i: n for i, n in saved.items() if i > last}
    if not together:
        return None
    iterations = np.array(sorted(together), np.int64)
    source = "saved point clouds" if logged is None else logged.source
    return Series("num_gaussians", iterations, np.array([together[int(i)] for i in iterations]), "count", source)


def course_of(run: Run, *, final: int | None = None) -> Course | None:
    """None without any count."""
    known = counts_of(run)
    if known is None:
        return None
    return course(known, schedule_of(run), last=_whole(run, LAST_ITERATION), cap=_whole(run, CAPS),
                  relocates=moves_the_dead(run), final=final)


def _degree(run: Run) -> int:
    """Of the saves, else as set; trainers allocate all coefficients from the start, whatever the active degree."""
    if run.checkpoints:
        return run.checkpoints[-1].sh_degree
    told = run.settings.value("sh_degree")
    return told if isinstance(told, int) and 0 <= told <= 4 else 3


def _optimiser(run: Run) -> str:
    told = str(run.settings.value("optimizer_type") or "adam")
    return told if told in MOMENTS else "adam"


def _whole(run: Run, names: tuple[str, ...]) -> int | None:
    told: list[Any] = [run.settings.value(name) for name in names]
    return next((int(v) for v in told if isinstance(v, (int, float)) and not isinstance(v, bool) and v > 0), None)
