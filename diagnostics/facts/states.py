"""Facts about resumable training states: what Adam remembers of each parameter group, and what is not there."""

from dataclasses import dataclass

import numpy as np

from diagnostics.facts import saved
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from runs.checkpoints import AdamGroup, StateFile, TrainingState
from runs.run import Run

# By design, whatever their settings: these save what can be drawn and cannot resume (docs/formats.md, "missing on disk").
# Scaffold-GS has an option for it that ends in an error, SplaTAM resumes between frames from its parameters alone.
SAVES_NO_STATE = frozenset({
    "gsplat", "gsplat-2dgs", "brush", "opensplat", "scaffold-gs", "deformable-3dgs", "fastgs", "monogs", "splatam", "yindaheng98",
    "physgaussian",
})


@dataclass(frozen=True)
class Memory:
    """What one parameter group would take up again after a resume."""

    group: str
    step: int | None  # Adam's step counter; None where the group never stepped or was not saved
    has_moments: bool
    zero_share: float  # rows whose second moment is exactly zero, 0..1; NaN without moments


@fact(missing=saved.STATE)
def memories(training_state: TrainingState) -> tuple[Memory, ...]:
    """One per parameter group of the last training state in the range."""
    return tuple(_memory(group) for group in training_state.adam.values())


@fact(missing="the planned number of iterations (setting iterations)")
def planned_iterations(run: Run) -> int | None:
    """Where the trainer meant to stop, as the run stored it: a default may have been overridden."""
    for name in ("iterations", "max_steps", "max_num_iterations"):
        setting = run.settings.get(name)
        value = setting.value if setting is not None and setting.stored else None
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return None


@fact(missing="files of the run")
def saved_states(run: Run) -> tuple[StateFile, ...] | NotEvaluable:
    """Resumable files of the whole run; an empty tuple is an answer too, but not from a trainer that never saves one."""
    if run.trainer.name in SAVES_NO_STATE and not run.state_files:
        return NotEvaluable((f"a resumable state, which the trainer ({run.trainer.name}) cannot save",))
    return run.state_files


def _memory(group: AdamGroup) -> Memory:
    if group.exp_avg_sq is None or not len(group.exp_avg_sq):
        return Memory(group.name, group.step, False, float("nan"))
    untouched = (group.exp_avg_sq.reshape(len(group.exp_avg_sq), -1) == 0).all(axis=1)
    return Memory(group.name, group.step, True, float(np.mean(untouched)))
