"""The plots of a report as values: curves with min/max envelopes, the range, the finding's interval, what happened when."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from diagnostics.diagnosis import Diagnosis, Reported
from diagnostics.report.axes import Axis, iteration_axis, linear_axis, log_axis
from diagnostics.report.wording import iterations, listed
from runs.arrays import F64, I64
from runs.run import Run
from runs.series import Series

BINS = 300  # more than a printed line can show; each bin keeps its lowest and its highest value
FROM_ZERO = 0.05  # a log that starts this early is drawn from iteration 0
LOG_FROM = 200.0  # a curve that spans this factor is flat nearly everywhere on a linear axis


@dataclass(frozen=True, eq=False)
class Curve:
    """One series, thinned without losing spikes. NaN separates stretches."""

    label: str
    source: str
    iterations: F64  # float64 [T]
    values: F64  # float64 [T], finite or NaN
    nonfinite: I64  # int64 [K], iterations whose logged value is NaN or infinite


@dataclass(frozen=True)
class Mark:
    """Something that happened at one iteration."""

    iteration: int
    label: str


@dataclass(frozen=True, eq=False)
class Plot:
    """One picture of curves that share a unit."""

    title: str
    unit: str
    across: Axis
    up: Axis
    curves: tuple[Curve, ...]
    span: tuple[int, int] | None  # the range that was diagnosed
    interval: tuple[int, int] | None  # the finding's
    marks: tuple[Mark, ...]
    along: str = "iteration"  # what `across` counts


@dataclass(frozen=True)
class Theme:
    """Series that are read together, and the words of a finding that ask for them."""

    title: str
    series: tuple[str, ...]
    words: tuple[str, ...]
    families: tuple[str, ...] = ()  # pattern codes that start so ask for it where no word does


THEMES = (
    Theme("Image quality", ("test/psnr", "train/psnr", "view/psnr"), ("psnr", " db", "quality"), ("CF", "IF", "AF")),
    Theme("Structural similarity", ("test/ssim", "train/ssim"), ("ssim",)),
    Theme("Loss", ("loss/total", "loss/l1", "loss/total_ema"), ("loss", "l1 "), ("OF",)),
    Theme("Number of Gaussians", ("num_gaussians",),
          ("gaussians grew", "count", "pruned", "cloned", "split", "densif", "number of gaussians"), ("DF", "AF", "MF")),
    Theme("Densification", ("densify/cloned", "densify/split", "densify/pruned"), ("cloned", "pruned", "densif")),
    Theme("Learning rate of positions", ("lr/xyz",), ("learning rate", "lr/xyz", "position_lr")),
    Theme("Gradient norm of positions", ("grad_norm/xyz",), ("gradient",)),
    Theme("Video memory", ("vram",), ("vram", "memory"), ("MF",)),
    Theme("Time per iteration", ("iter_time",), ("ms per iteration", "slow")),
)
OVERVIEW = ("Image quality", "Loss", "Number of Gaussians")
LABELS = {
    "test/psnr": "test PSNR", "train/psnr": "training PSNR (fixed views)", "view/psnr": "PSNR of each iteration's view",
    "test/ssim": "test SSIM", "train/ssim": "training SSIM", "loss/total": "total", "loss/l1": "L1",
    "loss/total_ema": "total, smoothed by the trainer", "num_gaussians": "Gaussians", "densify/cloned": "cloned",
    "densify/split": "split", "densify/pruned": "pruned",
}


def overview_plots(diagnosis: Diagnosis) -> tuple[Plot, ...]:
    """Quality, loss and count over the whole run."""
    themes = [theme for theme in THEMES if theme.title in OVERVIEW]
    return _plots(diagnosis.run, diagnosis.span, None, themes)


def finding_plots(diagnosis: Diagnosis, reported: Reported, most: int = 2) -> tuple[Plot, ...]:
    """The series that the finding is about, best match first; none where the run logged nothing of the kind."""
    said = _words_of(reported)
    asked = sorted((-sum(word in said for word in theme.words), index) for index, theme in enumerate(THEMES))
    themes = [THEMES[index] for score, index in asked if score < 0]
    themes += [theme for theme in THEMES if reported.pattern.code.startswith(theme.families) and theme not in themes]
    return _plots(diagnosis.run, diagnosis.span, reported.iterations, themes)[:most]


def _words_of(reported: Reported) -> str:
    rows = reported.finding.evidence
    return " ".join([reported.pattern.title, reported.finding.says, *(f"{row.what} {row.unit}" for row in rows)]).lower() + " "


def _plots(run: Run, span: tuple[int, int], interval: tuple[int, int] | None, themes: Iterable[Theme]) -> tuple[Plot, ...]:
    marks = schedule_marks(run)
    drawn = (_plot(theme, _readable(run, theme), span, interval, marks) for theme in themes)
    return tuple(plot for plot in drawn if plot is not None)


def _readable(run: Run, theme: Theme) -> list[Series]:
    """The theme's series that hold at least one value; smoothed and per-view ones only where nothing better is there."""
    found = [run.series[name] for name in theme.series if name in run.series and len(run.series[name])]
    return [series for series in found if len(found) == 1 or series.name not in ("view/psnr", "loss/total_ema")]


def _plot(
    theme: Theme, found: list[Series], span: tuple[int, int], interval: tuple[int, int] | None, marks: tuple[Mark, ...],
) -> Plot | None:
    curves = tuple(curve(series) for series in found)
    finite = np.concatenate([drawn.values[np.isfinite(drawn.values)] for drawn in curves]) if curves else np.zeros(0)
    if not len(finite):
        return None
    first = min(span[0], *(int(series.iterations[0]) for series in found))
    last = max(span[1], *(int(series.iterations[-1]) for series in found))
    first = 0 if first <= FROM_ZERO * last else first
    across = iteration_axis(first, last)
    inside = tuple(mark for mark in marks if first <= mark.iteration <= last)
    return Plot(theme.title, found[0].unit, across, value_axis(finite), curves, span, interval, inside)


def value_axis(values: F64) -> Axis:
    """From the lowest to the highest value; logarithmic where a linear axis would hide most of the curve."""
    low, high = float(values.min()), float(values.max())
    if low > 0 and high / low > LOG_FROM:
        return log_axis(low, high)
    near_zero = 0 <= low < 0.35 * high  # then zero belongs to the picture
    return linear_axis(0.0 if near_zero else low, high, 4)


def curve(series: Series, bins: int = BINS) -> Curve:
    """A series as it is drawn; short ones are kept whole."""
    return thinned(_label(series), series.source, series.iterations, series.values, bins)


def thinned(label: str, source: str, along: I64, values: F64, bins: int = BINS) -> Curve:
    """At most 2 points per bin, the lowest and the highest in the order they came; `along` and `values` are [T]."""
    finite = np.isfinite(values)
    shown = np.where(finite, values, np.nan)
    kept = envelope(shown, bins) if len(shown) > 2 * bins else np.arange(len(shown))
    return Curve(label, source, along[kept].astype(np.float64), shown[kept], along[~finite])


def envelope(values: F64, bins: int) -> I64:
    """int64 indices, increasing: of every bin the lowest and the highest finite value, a gap, and both ends."""
    edges = np.linspace(0, len(values), bins + 1).astype(int)
    kept = {0, len(values) - 1}
    for start, stop in pairwise(edges):
        part = values[start:stop]
        gaps = np.isnan(part)
        if not gaps.all():
            kept |= {start + int(np.nanargmin(part)), start + int(np.nanargmax(part))}
        if gaps.any():
            kept.add(start + int(np.argmax(gaps)))
    return np.array(sorted(kept), np.int64)


def _label(series: Series) -> str:
    return LABELS.get(series.name, series.name)


def schedule_marks(run: Run) -> tuple[Mark, ...]:
    """Opacity resets and the end of densification, as logged or as the settings plan them."""
    resets = run.series.get("opacity_reset")
    at = [] if resets is None else resets.iterations[resets.values > 0].tolist()
    if not at:
        at = [event.iteration for event in run.events if event.kind == "opacity_reset" and event.iteration is not None]
    marks = [Mark(int(iteration), "opacity reset") for iteration in at]
    end = run.settings.value("densify_until_iter")
    if isinstance(end, int) and not isinstance(end, bool):
        marks.append(Mark(end, "densification ends"))
    return tuple(sorted(marks, key=lambda mark: mark.iteration))


def plot_key(plots: Sequence[Plot]) -> str:
    """What the shading and the lines of plots drawn together mean, with the files that the values come from."""
    first = plots[0]
    told = [] if first.span is None else [f"Blue: the diagnosed range, {iterations(first.span)}."]
    if first.interval is not None:
        told.append(f"Orange: this finding, {iterations(first.interval)}.")
    marks = dict.fromkeys(mark for plot in plots for mark in plot.marks)
    for label, look in (("opacity reset", "Dotted"), ("densification ends", "Dashed")):
        at = [f"{mark.iteration:,}" for mark in marks if mark.label == label]
        if at:
            told.append(f"{look}: {label} at {listed(at, 8)}.")
    told += [lost(curve, plot.along) for plot in plots for curve in plot.curves if len(curve.nonfinite)]
    curves = [curve for plot in plots for curve in plot.curves]
    return " ".join([*told, f"From {listed(sorted({curve.source for curve in curves}))}."])


def lost(curve: Curve, along: str) -> str:
    """Where a curve has no number."""
    at = listed((f"{place:,}" for place in curve.nonfinite), 8)
    return f"Red crosses: {curve.label or curve.source} is not a finite number at {along} {at}."


def stretches(curve: Curve) -> list[slice]:
    """Runs of finite values."""
    finite = np.concatenate([[False], np.isfinite(curve.values), [False]]).astype(np.int8)
    edges = np.diff(finite)
    return [slice(start, stop) for start, stop in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True)]
