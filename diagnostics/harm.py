"""Harm: a deviation after which quality still ended at its best is told as a deviation and not as a fault."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from diagnostics.diagnosis import Reported
from runs.run import Run
from runs.series import Series

# Settings and habits that in our lab cost nothing or helped: quality of their runs against healthy ones of the same scene, in the
# median from -0.1 dB up. What freezes parameters, prunes what is needed or loses a step costs quality in a run that rises too.
MAY_HELP = frozenset({
    "position-rate-off-schedule",  # a rate that does not decay: +1.0 dB
    "learning-rate-too-high",  # of positions +1.0 dB, of rotations +0.2 dB, of scales +0.1 dB
    "densification-runs-away",  # +2.2 dB, for many times the Gaussians
    "loss-weight-drives-densification",  # +1.1 dB, likewise
    "events-off-schedule",  # +0.1 to +0.3 dB
    "clones-displaced", "prunes-too-little", "ssim-misused", "grows-after-densification-ended",  # within 0.1 dB
})
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
    """It is one of those, it follows from nothing, and nothing follows from it."""
    return (found.pattern.name in MAY_HELP and found.severity != "critical"
            and not found.consequence_of and found.pattern.code not in explained)


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
