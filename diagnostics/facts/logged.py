"""Facts in logs: one series per quantity, cut to the chosen range."""

from collections.abc import Mapping

from diagnostics.registry import fact
from diagnostics.schedule import Schedule, schedule_of
from runs.events import LogEvent
from runs.run import Run
from runs.series import Series

Span = tuple[int, int]


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
    """By parameter group. Their size says nothing under Adam; exact zeros do (science: B 2)."""
    found = {name.removeprefix("grad_norm/"): logged(run, span, name) for name in run.series if name.startswith("grad_norm/")}
    return {group: series for group, series in found.items() if series is not None} or None


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
