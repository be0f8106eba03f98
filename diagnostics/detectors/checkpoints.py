"""What a resume from this run would lose, and what an earlier resume has lost."""

from diagnostics.facts.habits import OF_INRIA
from diagnostics.facts.rates import Jump
from diagnostics.facts.saved import file_of
from diagnostics.facts.states import Memory
from diagnostics.registry import detects
from diagnostics.schedule import Schedule
from diagnostics.verdict import EvidenceRow, Finding, NotEvaluable
from runs.checkpoints import Checkpoint, StateFile, TrainingState
from runs.run import Run

NO_STATES = "The trainer saved what can be drawn, and nothing to resume from; some trainers never do, others only where asked to."


@detects("optimiser-state-missing")
def optimiser_state_missing(
    run: Run, training_state: TrainingState, memories: tuple[Memory, ...], schedule: Schedule | None = None, *,
    step_share: float = 0.8, zero_share: float = 0.99,
) -> Finding | NotEvaluable | None:
    """The resumable file lacks Adam's moments, or Adam has stepped far less often than the run has iterated."""
    iteration = training_state.iteration
    if not training_state.gaussians.count:
        return NotEvaluable(("a training state that holds Gaussians",))
    each = training_state.iterations_per_step
    restart = _saved_near(_restart(memories, iteration, step_share, schedule, each), run)
    lost = [*_lost_moments(memories, zero_share), *_lost_steps(restart, iteration)]
    lost += training_state.missing
    if not lost:
        return None
    source = training_state.path.name
    steps = [memory.step for memory in memories if memory.step is not None]
    return Finding(
        f"A resume from {source} (iteration {iteration:,}) would start without: {'; '.join(lost)}",
        evidence=(
            EvidenceRow("most steps that any Adam group has taken", max(steps, default=None),
                        int(step_share * iteration / each), "steps", iteration, source),
            EvidenceRow("parameter groups with moments", sum(m.has_moments for m in memories), len(memories) or None, "groups",
                        iteration, source),
            *(EvidenceRow(f"{m.group}: rows whose second moment is zero", m.zero_share, zero_share, "share", iteration, source)
              for m in memories if m.has_moments),
        ),
        iterations=(restart or iteration, iteration),
        severity="major" if not any(memory.has_moments for memory in memories) else "minor",
        facts={"iteration": iteration},
    )


@detects("no-resumable-state")
def no_resumable_state(
    run: Run, saved_states: tuple[StateFile, ...], first_checkpoint: Checkpoint, planned_iterations: int, *,
    unfinished: float = 0.99,
) -> Finding | None:
    """The run is not finished and has left only point clouds: a PLY is not a checkpoint. Judged on the whole run."""
    last = max(run.checkpoints, key=lambda checkpoint: checkpoint.iteration, default=first_checkpoint)
    if saved_states or last.iteration >= unfinished * planned_iterations:
        return None
    source = file_of(last)
    return Finding(
        f"Up to iteration {last.iteration:,} of {planned_iterations:,} the run has saved no resumable state, only point clouds: "
        "these hold neither Adam's moments nor the step nor the densification statistics",
        evidence=(
            EvidenceRow("resumable files (chkpntN.pth)", 0, 1, "files", last.iteration, source),
            EvidenceRow("last saved iteration", last.iteration, int(unfinished * planned_iterations), "iterations",
                        last.iteration, source),
        ),
        iterations=(last.iteration, last.iteration), cause="" if run.trainer.name in OF_INRIA else NO_STATES,
        facts={"last": last.iteration, "planned": planned_iterations},
    )


@detects("schedule-lost-on-resume")
def schedule_lost(rate_jump: Jump, *, times: float = 2.0) -> Finding | None:
    """The rate of the means rose at one step: a resume began its schedule again."""
    jump = rate_jump
    if jump.times <= times:
        return None
    return Finding(
        f"The learning rate of the means jumped to {jump.times:.1f} times its value between iterations {jump.before:,} and "
        f"{jump.at:,}, where it should only fall",
        evidence=(EvidenceRow("learning rate of the means / its value before", jump.times, times, "", jump.at, jump.source),),
        iterations=(jump.before, jump.at), confidence=0.9, facts={"before": jump.before, "at": jump.at},
    )


def _lost_moments(memories: tuple[Memory, ...], zero_share: float) -> list[str]:
    """Missing groups, or moments that are zero in all of them: one zero group alone is frozen, not lost.

    Where Adam has stepped on nothing but zeros nothing is lost either: no gradient ever came.
    """
    without = [memory.group for memory in memories if not memory.has_moments]
    if without or not memories:
        return [f"Adam's moments of {', '.join(without) or 'every parameter'}"]
    zeroed = not any(memory.step for memory in memories) and all(memory.zero_share >= zero_share for memory in memories)
    return ["Adam's moments (stored, but zero in every group)"] if zeroed else []


def _lost_steps(restart: int | None, iteration: int) -> list[str]:
    if restart is None:
        return []
    return [f"{restart:,} of {iteration:,} optimiser steps (Adam was started anew at about iteration {restart:,})"]


def _saved_near(restart: int | None, run: Run) -> int | None:
    """A resume begins at something saved: the save within a hundredth of the run, if there is one. Steps are counted roughly."""
    if restart is None:
        return None
    saves = [*run.iterations, *(state.iteration for state in run.state_files)]
    near = [save for save in saves if abs(save - restart) <= max(saves) / 100]
    return min(near, key=lambda save: abs(save - restart), default=restart)


def _restart(
    memories: tuple[Memory, ...], iteration: int, step_share: float, schedule: Schedule | None, iterations_per_step: int,
) -> int | None:
    """Iteration after which Adam counted anew; None where it counted enough.

    A trainer that takes views in batches steps once for `iterations_per_step` of them. Densification replaces the
    parameters before the step, so each of those iterations legitimately lacks one.
    INRIA's sparse_adam (since October 2024) stores a counter that it never raises: zero steps beside moments tell nothing.
    """
    steps = [memory.step for memory in memories if memory.step is not None]
    if not any(steps):
        return None
    events = {*schedule.densifications, *schedule.resets} if schedule is not None else set()
    skipped = [event for event in events if event <= iteration]
    if (max(steps) + len(skipped)) * iterations_per_step >= step_share * iteration:
        return None
    restart = iteration - max(steps) * iterations_per_step
    return restart - sum(event > restart for event in skipped) * iterations_per_step
