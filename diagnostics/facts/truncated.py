"""TruncGradGS, a fork of INRIA's trainer that keeps faint Gaussians on purpose: how its runs are told from others.

It pulls dead Gaussians (opacity at most 0.01) towards error by a gradient of its own, and so prunes late: only while
densification is on and after `pruning_from_iter`, that is from 24,500 to 24,900 of 30,000 (science: A.2).
"""

from collections.abc import Mapping

from diagnostics.registry import fact
from runs.run import Run

# Arguments of trinity-graphics/truncgradgs that no other fork has; cfg_args holds the first one.
SIGNS = ("no_motion_mask", "disable_truncated_gradient", "disable_pull_strength_schedule", "adc_duration")
NAME = "truncgradgs"
# In iterations: densification is on until its first switch, then in turns with the pull, and off from `ONLY_PULL` on.
DURATION, PULL, ONLY_PULL, PRUNES_FROM = 3_150, 5_000, 25_000, 20_000


@fact(missing="the run")
def keeps_faint_until(run: Run) -> int:
    """The last iteration until which faint Gaussians are kept by design; 0 for every other trainer."""
    if run.trainer.name != NAME and not any(name in run.settings for name in SIGNS):
        return 0
    told = {name: run.settings.value(name) for name in ("adc_duration", "adc_interval", "pruning_from_iter")}
    duration, pull, start = (_whole(told, name, usual) for name, usual in (
        ("adc_duration", DURATION), ("adc_interval", PULL), ("pruning_from_iter", PRUNES_FROM)))
    return _first_prune(duration, pull, start)


def _first_prune(duration: int, pull: int, start: int) -> int:
    """Densification lasts `duration`, the pull `pull`, and so on; the first time that it is on after `start`."""
    begins = 0
    while begins < ONLY_PULL:
        if begins + duration > start:
            return max(begins, start)
        begins += duration + pull
    return ONLY_PULL


def _whole(told: Mapping[str, object], name: str, usual: int) -> int:
    value = told[name]
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0 else usual
