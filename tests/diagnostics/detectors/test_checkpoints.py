"""The checkpoint audit: each thing that a resume would lose is named, and what is by design is not."""

from dataclasses import replace

import pytest

from diagnostics.verdict import Finding, NotEvaluable, Verdict
from runs.checkpoints import TrainingState
from runs.run import Trainer
from tests.diagnostics.detectors.support import verdict
from tests.diagnostics.fixtures.checkpoints import schedule_restarted
from tests.support.runs import state_of
from tests.support.training import LAST, healthy_run, moved


def judged(state: TrainingState) -> Verdict:
    return verdict("optimiser-state-missing", healthy_run(states={LAST: state}), (0, LAST))


def test_a_state_without_any_moments_is_named_as_such() -> None:
    """A dump of the parameters alone looks like a checkpoint until it is resumed."""
    state = state_of(moved(), LAST)
    bare = {name: replace(group, step=None, exp_avg=None, exp_avg_sq=None) for name, group in state.adam.items()}
    found = judged(replace(state, adam=bare))
    assert isinstance(found, Finding)
    assert found.severity == "major"
    assert "xyz" in found.says
    assert isinstance(judged(replace(state, adam={})), Finding)


def test_what_the_reader_misses_is_told() -> None:
    """The reader knows the trainer's tuple; the audit must pass on what was not in it."""
    found = judged(replace(state_of(moved(), LAST), missing=("the exposure of each photo",)))
    assert isinstance(found, Finding)
    assert "exposure" in found.says
    assert found.severity == "minor"


@pytest.mark.parametrize("frozen", [(), ("opacity",), ("xyz", "opacity", "rotation")])
def test_zero_moments_of_some_groups_are_another_pattern(frozen: tuple[str, ...]) -> None:
    """A save right after an opacity reset has zero moments for the opacities: a public trap, and a false alarm in the lab."""
    assert judged(state_of(moved(), LAST, frozen=frozen)) is None


def test_moments_that_are_zero_everywhere_were_never_used() -> None:
    """An optimiser that was built and not loaded stores zeros, not nothing."""
    found = judged(never_moved(step=0))
    assert isinstance(found, Finding)
    assert "zero in every group" in found.says


def test_steps_without_any_gradient_are_no_lost_optimiser() -> None:
    """Where no camera sees anything Adam steps on zeros; a resume would lose nothing, and the trouble lies elsewhere."""
    assert judged(never_moved(step=LAST)) is None


def never_moved(step: int) -> TrainingState:
    """Every moment is zero."""
    state = state_of(moved(), LAST)
    still = state_of(moved(), LAST, frozen=tuple(state.adam))
    return replace(still, adam={name: replace(group, step=step) for name, group in still.adam.items()})


@pytest.mark.parametrize(("step", "sick"), [(LAST, False), (LAST - 12, False), (1700, False), (LAST // 2, True)])
def test_lost_steps_are_told_from_skipped_ones(step: int, sick: bool) -> None:
    """Densification iterations lose their step by design (0.99 of all in healthy runs); half of them is a lost optimiser."""
    state = state_of(moved(), LAST)
    found = judged(replace(state, adam={name: replace(group, step=step) for name, group in state.adam.items()}))
    assert isinstance(found, Finding) is sick


@pytest.mark.parametrize(("batch", "step", "sick"), [(4, LAST // 4, False), (4, LAST // 8, True), (1, LAST // 4, True)])
def test_one_step_per_batch_of_views_is_no_lost_step(batch: int, step: int, sick: bool) -> None:
    """Grendel-GS counts views and steps once per batch: at batch size 4 a whole optimiser has taken a quarter of the steps."""
    state = state_of(moved(), LAST)
    adam = {name: replace(group, step=step) for name, group in state.adam.items()}
    found = judged(replace(state, adam=adam, iterations_per_step=batch))
    assert isinstance(found, Finding) is sick


@pytest.mark.parametrize("name", ["brush", "scaffold-gs", "deformable-3dgs", "yindaheng98", "monogs"])
def test_a_trainer_that_never_saves_a_state_has_not_forgotten_to(name: str) -> None:
    """Its user could not have done otherwise: the pattern is not judged, and says of whom it speaks."""
    run = replace(healthy_run(states={}, checkpoints={1000: moved(700, 3)}), trainer=Trainer(name, 0.9, "made up"))
    found = verdict("no-resumable-state", run, (0, LAST))
    assert isinstance(found, NotEvaluable)
    assert name in found.missing[0]


def test_an_optimiser_that_counts_no_steps_has_lost_none() -> None:
    """INRIA's sparse_adam never raises its counter: 0 steps beside full moments are by design."""
    state = state_of(moved(), LAST)
    assert judged(replace(state, adam={name: replace(group, step=0) for name, group in state.adam.items()})) is None


def test_a_range_that_ends_early_is_not_a_run_that_ended_early() -> None:
    """The user looks at the first half of a finished run: nothing is missing for a resume of the whole."""
    assert verdict("no-resumable-state", healthy_run(states={}), (0, LAST // 2)) is None


def test_a_lost_optimiser_is_dated() -> None:
    """The counter tells when it was started anew, give or take the steps that densification skips."""
    found = judged(replace(state_of(moved(), LAST), adam={
        name: replace(group, step=LAST // 4) for name, group in state_of(moved(), LAST).adam.items()}))
    assert isinstance(found, Finding)
    assert found.iterations == (1500, LAST)
    assert "anew at about iteration 1,500" in found.says


def test_a_restarted_schedule_is_dated() -> None:
    """The jump is between two logged iterations, and nowhere else."""
    found = verdict("schedule-lost-on-resume", schedule_restarted())
    assert isinstance(found, Finding)
    assert found.iterations == (LAST // 2, LAST // 2 + 1)
    assert found.evidence[0].value == pytest.approx(10, rel=0.02)
    assert verdict("schedule-lost-on-resume", schedule_restarted(), (1, LAST // 2)) is None


@pytest.mark.parametrize(("steps", "restart"), [(998, 1000), (1001, 1000), (1100, 898)])
def test_a_restart_is_dated_to_the_save_that_it_began_from(steps: int, restart: int) -> None:
    """The count is off by the odd step; a resume begins at something saved. Here at iteration 1,000, or at none that is known."""
    state = state_of(moved(), LAST)
    adam = {name: replace(group, step=steps) for name, group in state.adam.items()}
    found = judged(replace(state, adam=adam))
    assert isinstance(found, Finding)
    assert found.iterations == (restart, LAST)
