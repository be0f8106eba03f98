"""Facts about resumes: where a training that goes on counting was meant to end, before and after."""

from dataclasses import dataclass
from itertools import pairwise

from diagnostics.facts.logged import logged
from diagnostics.registry import fact
from runs.run import Run

BARS = ("iter_rate", "loss/total_ema", "loss/total_shown")  # what progress bars tell, each with its planned end
PLANNED = "planned_iterations"


@dataclass(frozen=True)
class Replan:
    """Two planned ends that one log tells, the later one after the earlier."""

    before: int  # last iteration under the old plan
    at: int  # first one seen under the new
    old: int  # iterations
    new: int
    source: str


@fact(missing="progress bars in a text log, which name the planned number of iterations")
def replans(run: Run, span: tuple[int, int]) -> tuple[Replan, ...] | None:
    """Changes of the planned end; () where the log tells one plan throughout."""
    planned = logged(run, span, PLANNED)
    if planned is None:
        return () if any(name in run.series for name in BARS) else None
    told = [(int(at), int(end)) for at, end in zip(planned.iterations, planned.values, strict=True)]
    return tuple(Replan(before, at, old, new, planned.source) for (before, old), (at, new) in pairwise(told) if old != new)
