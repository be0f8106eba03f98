"""Whether a save shows what training came to: after densification, not in the dip after a reset, nobody kept on purpose."""

from diagnostics.facts import logged, saved  # noqa: F401  (schedule, checkpoint)
from diagnostics.practice.practice import Practice
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


def kept_faint(practice: Practice | None, iteration: int) -> NotEvaluable | None:
    """Why a save tells nothing of its faint Gaussians: the trainer keeps them on purpose, as TruncGradGS does until it prunes."""
    intention = None if practice is None else practice.intends("dead-mass", iteration)
    return None if intention is None else NotEvaluable((f"a save in which faint Gaussians are no design ({intention.says})",))
