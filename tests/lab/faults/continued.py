"""Faults that begin during a run: NaN at an iteration, a resume that forgets."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from diagnostics.optimiser.settings import OptimiserSettings
from tests.lab.broken import gradients
from tests.lab.faults.fault import Fault, codes
from tests.lab.plan import Plan, Resume

FEW = 25


def _off_beat(settings: OptimiserSettings, share: float) -> int:
    """An iteration at this share of the run that is neither a densification nor a reset: those lose their step."""
    iteration = round(settings.iterations * share)
    return iteration + (7 if iteration % settings.densification_interval == 0 else 0)


def _poisoned(plan: Plan, share: float, *, rows: int | None) -> Plan:
    """All means, or the scales of the first `rows`; after densification has ended rows keep their numbers."""
    step = partial(gradients.poisoned, at=_off_beat(plan.settings, share), group="log_scales" if rows else "means", rows=rows)
    return replace(plan.with_steps(gradients=step), guilty_rows=tuple(range(rows)) if rows else None)


def _resumed(plan: Plan, share: float, **forgets: bool) -> Plan:
    return replace(plan, resume=Resume(_resume_at(plan, share), **forgets))


def _resume_at(plan: Plan, share: float) -> int:
    return round(plan.settings.iterations * share)


def _at(of: Callable[[OptimiserSettings, float], int]) -> Callable[[Plan, float], int]:
    return lambda plan, share: of(plan.settings, share)


FAULTS = (
    Fault(
        "nan-everywhere", "continued", partial(_poisoned, rows=None), codes("N-11"),
        "One NaN gradient for all means: from then on the picture is empty. What learns nothing afterwards is a consequence.",
        (0.47, 0.66), codes("OF-03 DF-01 DF-05 DF-07 OF-01 M-04"), codes("IF-04 CF-03 IF-05"), onset=_at(_off_beat),
    ),
    Fault(
        "nan-in-a-few", "continued", partial(_poisoned, rows=FEW), codes("N-11"),
        "25 scales become NaN and vanish from the picture: PSNR unchanged, only the saved rows and Adam's moments show it.",
        (0.68, 0.8), codes("OF-03"), onset=_at(_off_beat),
    ),
    Fault(
        "resumed-without-moments", "continued", partial(_resumed, keeps_moments=False), codes("CK-1"),
        "Adam starts anew: its step counter is far below the iteration; early on clones stay glued together. Curves show 2 %.",
        (0.5, 0.25, 0.6, 0.4), wrong=codes("OF-03 OF-02 CK-7"), onset=_resume_at,
    ),
    Fault(
        "resumed-without-schedule", "continued", partial(_resumed, keeps_moments=False, keeps_schedule=False),
        codes("CK-7 CK-1"),
        "A resume from the point cloud alone: the moments (CK-1) and the schedule (CK-7) are lost, the rate of the means jumps "
        "back up.",
        (0.5, 0.6), codes("OF-01 OF-08 N-24"), onset=_resume_at,
    ),
)
