"""Whether a save shows what training came to: after densification, and not in the dip after a reset."""

from diagnostics.facts import logged, saved  # noqa: F401  (schedule, checkpoint)
from diagnostics.registry import fact
from diagnostics.schedule import Schedule
from diagnostics.verdict import NotEvaluable
from runs.checkpoints import Checkpoint

SETTLED = "a save after densification has ended, outside the dip after an opacity reset"


@fact(missing=SETTLED)
def settled(checkpoint: Checkpoint, schedule: Schedule) -> bool | NotEvaluable | None:
    """The last save of the range is one: before, renders are soft and thin by design."""
    if schedule.planned_end is None:
        return NotEvaluable(("when densification ends (setting densify_until_iter)",))
    return True if checkpoint.iteration >= schedule.planned_end and not schedule.is_muted(checkpoint.iteration) else None
