"""Facts in logs: one series per quantity, cut to the chosen range."""

from collections.abc import Mapping

import numpy as np

from diagnostics.facts import habits, saved  # noqa: F401  (counts_iterations, checkpoints)
from diagnostics.facts.alike import is_rounded
from diagnostics.facts.habits import full_size_from
from diagnostics.measures.courses import VIEWS as VIEWS
from diagnostics.measures.courses import smoothed
from diagnostics.measures.curves import since
from diagnostics.registry import fact
from diagnostics.schedule import Schedule, schedule_of
from runs.checkpoints import Checkpoint
from runs.events import LogEvent
from runs.run import Run
from runs.series import Series

Span = tuple[int, int]
# Below this, a series of evaluations says less than the noisy but dense one.
EVALUATIONS = 3
# Name of each group in other trainers -> INRIA's; gradients of networks and cameras are of no Gaussian.
GROUPS = {
    **{name: name for name in ("xyz", "f_dc", "f_rest", "opacity", "scaling", "rotation")},
    "means": "xyz", "means3d": "xyz", "positions": "xyz", "features_dc": "f_dc", "sh0": "f_dc", "features_rest": "f_rest",
    "shN": "f_rest", "opacities": "opacity", "scales": "scaling", "quats": "rotation", "rotations": "rotation",
}


def logged(run: Run, span: Span, name: str) -> Series | None:
    """The series `name` within the range, or None where it is not logged there."""
    series = run.series.get(name)
    inside = None if series is None else series.between(*span)
    return inside if inside is not None and len(inside) else None


@fact(missing="series test/psnr")
def test_psnr(run: Run, span: Span) -> Series | None:
    """dB, held-out views."""
    return logged(run, span, "test/psnr")


@fact(missing="series train/psnr")
def train_psnr(run: Run, span: Span) -> Series | None:
    """dB, evaluated on a fixed set of training views."""
    return logged(run, span, "train/psnr")


@fact(missing="series view/psnr")
def view_psnr(run: Run, span: Span) -> Series | None:
    """dB, the one training view of each iteration: jumps from view to view."""
    return logged(run, span, "view/psnr")


@fact(missing="series loss/l1")
def loss_l1(run: Run, span: Span) -> Series | None:
    """The one training view of each iteration."""
    return logged(run, span, "loss/l1")


@fact(missing="series loss/total")
def loss_total(run: Run, span: Span) -> Series | None:
    return logged(run, span, "loss/total")


@fact(missing="series num_gaussians")
def count_series(run: Run, span: Span) -> Series | None:
    """How many Gaussians there are, as the trainer logged it."""
    return logged(run, span, "num_gaussians")


@fact(missing="series densify/cloned or densify/split")
def grown(run: Run, span: Span) -> tuple[Series, ...] | None:
    """Logged births: clones and splits per densification, where the trainer writes them."""
    found = (logged(run, span, name) for name in ("densify/cloned", "densify/split"))
    return tuple(series for series in found if series is not None) or None


@fact(missing="series densify/pruned")
def pruned(run: Run, span: Span) -> Series | None:
    """Gaussians removed per densification."""
    return logged(run, span, "densify/pruned")


@fact(missing="series grad_norm/<parameter group>")
def gradient_norms(run: Run, span: Span) -> Mapping[str, Series] | None:
    """By parameter group, of the Gaussians' own. Their size says nothing under Adam; exact zeros do."""
    told = {name.removeprefix("grad_norm/"): name for name in run.series if name.startswith("grad_norm/")}
    found = {GROUPS.get(group, group): logged(run, span, name) for group, name in told.items()}
    return {group: series for group, series in found.items() if series is not None and group in GROUPS.values()} or None


@fact(missing="series lr/xyz")
def position_rate(run: Run, span: Span) -> Series | None:
    """Learning rate of the means, already multiplied by the cameras' extent."""
    return logged(run, span, "lr/xyz")


@fact(missing="log events")
def log_events(run: Run, span: Span) -> tuple[LogEvent, ...] | None:
    """Those of the range, and those whose iteration the log does not tell."""
    return tuple(e for e in run.events if e.iteration is None or span[0] <= e.iteration <= span[1]) or None


@fact(missing="the trainer's schedule (its settings, or a log of its densifications and opacity resets)")
def schedule(run: Run) -> Schedule | None:
    """Of the whole run: a reset before the range still shows within it."""
    return schedule_of(run)


@fact(missing="series num_gaussians, or two saved point clouds in the chosen range")
def counts(
    count_series: Series | None = None, checkpoints: tuple[Checkpoint, ...] | None = None, counts_iterations: bool | None = None,
) -> Series | None:
    """How many Gaussians there are, as logged, else as saved; at least two values.

    Saves in formats that drop rows, and those of which files are missing, tell no count; levels of detail are no course of time.
    """
    if count_series is not None and len(count_series) > 1:
        return count_series
    whole = [c for c in checkpoints or () if not is_rounded(c) and (c.shards is None or c.shards[0] == c.shards[1])]
    if len(whole) < 2 or not counts_iterations:
        return None
    iterations = np.array([c.iteration for c in whole], np.int64)
    values = np.array([c.count for c in whole], np.float64)
    return Series("num_gaussians", iterations, values, "count", "saved point clouds")


@fact(missing="a quality series (train/psnr, test/psnr, view/psnr or loss/l1)")
def quality(
    run: Run, train_psnr: Series | None = None, test_psnr: Series | None = None,
    view_psnr: Series | None = None, loss_l1: Series | None = None,
) -> Series | None:
    """dB. Evaluations on fixed views where there are enough of them, else the running median over single views, else of L1.

    Single views are those that trained: where they begin smaller and grow, quality falls at each step by design, so it is
    told from full size on.
    """
    full = full_size_from(run)
    for series in (train_psnr, test_psnr):
        if series is not None and len(series) >= EVALUATIONS:
            return series
    for series in (view_psnr, loss_l1):
        if series is not None and len(at_full_size := since(series, full) if full else series) >= 2 * VIEWS:
            return smoothed(at_full_size)
    return None
