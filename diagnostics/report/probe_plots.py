"""The curves of a probe as plots: comparable ones in one axes, as many as a legend can name, and what is left out in words."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

import numpy as np

from diagnostics.probes.answer import Curve
from diagnostics.report import plots
from diagnostics.report.axes import iteration_axis
from diagnostics.report.plots import Plot, value_axis
from diagnostics.report.probe_words import MOST_NAMED, course, curve_words
from diagnostics.report.wording import capitalised, count, listed

MIXED = "Measured while the probe worked"  # curves of one unit that share no words
LINKING = frozenset({"of", "at", "in", "on", "for", "with", "from"})  # words that no title ends with
MOST_TOLD = 12  # curves that are not drawn are told with their course, so many at most


def probe_plots(curves: Sequence[Curve]) -> tuple[Plot, ...]:
    """One plot for the curves of each unit, or, where they have none, that begin with the same word; without numbers no plot."""
    drawn = (_plot(same[:MOST_NAMED]) for same in _comparable(curves))
    return tuple(plot for plot in drawn if plot is not None)


def plots_caption(curves: Sequence[Curve]) -> str:
    """What the plots do not show: values that are no number, and curves beyond those that a legend can name."""
    told = [plots.lost(curve, plot.along) for plot in probe_plots(curves) for curve in plot.curves if len(curve.nonfinite)]
    left = [curve for same in _comparable(curves) for curve in same[MOST_NAMED:]]
    if left:
        named = listed((f"{curve.name} ({course(curve)})" for curve in left), MOST_TOLD)
        told.append(f"Measured too and not drawn, {count(len(left), 'curve')}: {named}.")
    told += [f"{curve_words(curve)}." for curve in curves if not np.isfinite(curve.values).any()]
    return " ".join(told)


def _comparable(curves: Sequence[Curve]) -> list[list[Curve]]:
    """Bare numbers, such as a loss and a gradient, are comparable only where they are called the same."""
    kinds = [(curve.unit, "" if curve.unit else curve.name.split(" ", 1)[0]) for curve in curves]
    return [[curve for curve, own in zip(curves, kinds, strict=True) if own == kind] for kind in dict.fromkeys(kinds)]


def _plot(curves: Sequence[Curve]) -> Plot | None:
    measured = [curve for curve in curves if np.isfinite(curve.values).any()]
    if not measured:
        return None
    title, labels = _names([curve.name for curve in measured])
    finite = np.concatenate([_finite(curve) for curve in measured])
    steps = [step for curve in measured for step in curve.steps]
    lines = tuple(plots.thinned(label, curve.name, np.array(curve.steps, np.int64), np.array(curve.values, np.float64))
                  for label, curve in zip(labels, measured, strict=True))
    across, up = iteration_axis(min(steps), max(steps)), value_axis(finite)
    return Plot(title, measured[0].unit, across, up, lines, None, None, (), _along(measured))


def _along(curves: Sequence[Curve]) -> str:
    """What the steps count: "PSNR by degree" says it, every other curve counts steps."""
    told = {word for curve in curves for word in re.findall(r"\bby (\w+)", curve.name)}
    return told.pop() if len(told) == 1 else "step"


def _finite(curve: Curve) -> np.ndarray:
    values = np.array(curve.values, np.float64)
    return values[np.isfinite(values)]


def _names(names: Sequence[str]) -> tuple[str, list[str]]:
    """The words that all begin with as the title, and what is left of each for the legend: "PSNR of" a.png, b.png."""
    if len(names) == 1:
        return capitalised(names[0]), [""]
    words = [name.split() for name in names]
    shared = [column[0] for column in takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False))]
    rest = [" ".join(own[len(shared):]) for own in words]
    title = list(_without_links(shared))
    return (capitalised(" ".join(title)), rest) if title and all(rest) else (MIXED, list(names))


def _without_links(words: Sequence[str]) -> Iterator[str]:
    """The words up to the last one that means something by itself."""
    end = max((place + 1 for place, word in enumerate(words) if word.rstrip(",:;") not in LINKING), default=0)
    yield from (word if place + 1 < end else word.rstrip(",:;") for place, word in enumerate(words[:end]))
