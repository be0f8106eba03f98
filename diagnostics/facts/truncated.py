"""TruncGradGS keeps faint Gaussians on purpose: until when what looks dead in its runs is by design.

It pulls Gaussians with an opacity of at most 0.01 towards error by a gradient of its own, and so prunes late: only while
densification is on, and after `pruning_from_iter`; by default that is from 24,500 to 24,900 of 30,000 (science: A.2).
"""

from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from runs.run import Run
from runs.settings import Settings

NAME = "truncgradgs"
# In iterations: densification is on for `DURATION`, then the pull for `PULL`, and so on in turns, until only the pull is left.
DURATION, PULL, ONLY_PULL, PRUNES_FROM = 3_150, 5_000, 25_000, 20_000
BY_DESIGN = "a save after iteration {:,}: until then TruncGradGS keeps faint Gaussians on purpose and pulls them towards error"


@fact(missing="the run")
def keeps_faint_until(run: Run) -> int:
    """The last iteration until which faint Gaussians are kept by design; 0 for every other trainer."""
    if run.trainer.name != NAME:
        return 0
    duration, pull, start = (_whole(run.settings, name, usual) for name, usual in (
        ("adc_duration", DURATION), ("adc_interval", PULL), ("pruning_from_iter", PRUNES_FROM)))
    begins = range(0, ONLY_PULL, duration + pull)
    return next((max(begin, start) for begin in begins if begin + duration > start), ONLY_PULL)


def by_design(iteration: int, until: int) -> NotEvaluable | None:
    """Why a save tells nothing of faint Gaussians; None where it may."""
    return NotEvaluable((BY_DESIGN.format(until),)) if iteration <= until else None


def _whole(settings: Settings, name: str, usual: int) -> int:
    value = settings.value(name)
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0 else usual
