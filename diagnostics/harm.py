"""Harm: a deviation after which quality still ended at its best is told as a deviation and not as a fault."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from diagnostics.diagnosis import Reported
from diagnostics.verdict import LAYERS, Layer
from runs.run import Run
from runs.series import Series

# What is set otherwise than usual may be meant, and may help: in our lab a position rate ten times too high gains 1.0 dB and one
# that does not decay as much, while what is wrong in files, data or values never does.
DEVIATIONS: tuple[Layer, ...] = LAYERS[LAYERS.index("optimiser"):LAYERS.index("statistics")]
BELOW_BEST_DB = 0.1  # dB that the last value may lie below the best one: half of what two trainings of one kind differ by
FEWEST = 3  # values; fewer are no course
LATE = 0.9  # part of the training after which the last value must lie
CURVES = ("test/psnr", "train/psnr")  # held-out views where there are any; fixed views, not the one that each step trains on


def with_harm(run: Run, findings: Sequence[Reported], last: int) -> tuple[Reported, ...]:
    """Each finding, those that did no visible harm with a sentence that says so; `last` is the last iteration that was judged."""
    ended = _ended_at_best(run, last)
    explained = {code for found in findings for code in found.consequence_of}
    return tuple(replace(found, harmless=ended) if _may_be_meant(found, explained) else found for found in findings)


def _may_be_meant(found: Reported, explained: set[str]) -> bool:
    """It lies in how the training was set, it follows from nothing, and nothing follows from it."""
    pattern = found.pattern
    return (pattern.kind == "training" and pattern.layer in DEVIATIONS and found.severity != "critical"
            and not found.consequence_of and pattern.code not in explained)


def _ended_at_best(run: Run, last: int) -> str:
    """One sentence, or nothing where no curve shows it."""
    series = next((run.series[name] for name in CURVES if name in run.series), None)
    value = None if series is None else _last_if_best(series, last)
    if series is None or value is None:
        return ""
    at, psnr = value
    return (f"No harm shows: {series.name} ended at its best ({psnr:.2f} dB at iteration {at:,}), and nothing else was found to "
            "follow from this. Whether the usual way would have done better, only a second run can tell.")


def _last_if_best(series: Series, last: int) -> tuple[int, float] | None:
    judged = series.iterations <= last
    iterations, values = series.iterations[judged], series.values[judged]
    if len(values) < FEWEST or not np.isfinite(values).all() or iterations[-1] < LATE * last:
        return None
    return (int(iterations[-1]), float(values[-1])) if values[-1] >= values.max() - BELOW_BEST_DB else None
