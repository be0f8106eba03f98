"""Trainings of several processes: parts of one scene should differ, copies of one scene should not."""

import numpy as np
import pytest

from diagnostics.diagnose import diagnose
from diagnostics.verdict import NotEvaluable
from runs.run import Run, Trainer
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.crash import ILLEGAL, error
from tests.diagnostics.fixtures.ranks import (
    GRENDEL,
    GSPLAT,
    WATCHDOG,
    copies,
    copies_of_other_counts,
    linear,
    lost_worker,
    saved_in_parts,
    shared_out,
    square_root,
    wrapped,
)
from tests.support.runs import made_run, state_of
from tests.support.training import LAST, healthy_run, moved


def batched(views: int, scale: float, mode: str = "sqrt") -> Run:
    """Grendel's training state with a rate of the opacities of `scale` times the one that was set."""
    return made_run(trainer=GRENDEL, settings={"bsz": views, "lr_scale_mode": mode, "opacity_lr": 0.05},
                    states={LAST: state_of(moved(), LAST, rates={"opacity": 0.05 * scale})})


def of_gsplat(batch: int) -> Run:
    return made_run(trainer=GSPLAT, settings={"batch_size": batch})


def test_copies_that_drifted_are_found_and_their_distance_told() -> None:
    """Every Gaussian has its double in the other process, 2e-3 away; those of one process are 0.06 apart."""
    finding = found("rank-gradients-unsynchronised", copies())
    assert isinstance(finding.evidence[0].value, float)
    assert 0 < finding.evidence[0].value < 0.1
    assert [row.value for row in finding.evidence[1:]] == [900, 900]


def test_equal_copies_are_how_a_replicated_training_should_look() -> None:
    """Exactly the same numbers: gradients were averaged, and so were the decisions."""
    run = saved_in_parts(moved(), moved())
    assert verdict("rank-gradients-unsynchronised", run) is None
    assert verdict("ranks-densify-differently", run) is None


def test_parts_of_one_scene_have_other_counts_by_design() -> None:
    """The seed's "broadcast the count" would call every sharded training sick."""
    assert {f.pattern.code for f in diagnose(shared_out()).findings} & {"MF2-01", "MF2-03"} == set()


def test_parts_that_lie_apart_are_no_copies() -> None:
    """Grendel gives each process a stretch of the point list, which may be a corner of the scene."""
    order = np.argsort(moved().means[:, 0])
    assert verdict("rank-gradients-unsynchronised", saved_in_parts(moved().take(order[:450]), moved().take(order[450:]))) is None


def test_other_counts_follow_from_gradients_that_are_apart() -> None:
    """One cause, told first."""
    told = {f.pattern.code: f for f in diagnose(copies_of_other_counts()).findings}
    assert told["MF2-03"].consequence_of == ("MF2-01",)


def test_a_single_process_has_no_ranks_to_compare() -> None:
    """Nor a reason to be called healthy in that respect."""
    assert isinstance(verdict("ranks-densify-differently", healthy_run()), NotEvaluable)


def test_a_watchdog_tells_how_long_it_waited() -> None:
    """nerfstudio #3198: 30 minutes."""
    finding = found("dead-worker", lost_worker())
    assert "after 1,801 s of waiting" in finding.says
    assert finding.facts == {"waited": 1801}


def test_the_process_that_died_first_is_the_cause() -> None:
    """The others only waited for it: its own error names what to do."""
    run = healthy_run(events=(error("nccl_error", WATCHDOG, LAST, 95), error("illegal_access", ILLEGAL, LAST, 96)))
    assert verdict("dead-worker", run) is None
    assert [row.value for row in found("illegal-memory-access", run).evidence if row.what == "what came with it"]


def test_a_process_that_the_system_ended_is_told_beside_the_wait() -> None:
    """torchrun's summary tells exit code -9 after the watchdog's line."""
    run = healthy_run(events=(error("nccl_error", WATCHDOG, LAST, 95), error("killed", "exitcode: -9", LAST, 97)))
    assert "one was ended by the system" in found("dead-worker", run).says


@pytest.mark.parametrize(("views", "scale", "sick"), [
    (4, 2.0, False), (4, 1.0, True), (4, 4.0, True), (1, 1.0, False), (2, 1.41, False),
])
def test_the_optimiser_tells_whether_rates_follow_the_root_of_the_batch(views: int, scale: float, sick: bool) -> None:
    """What was used wins over what was set: 4 views are due twice the rate, neither once nor four times."""
    assert (verdict("multi-gpu-differs", batched(views, scale)) is not None) is sick


def test_accumulated_gradients_keep_their_rates() -> None:
    """Grendel's mode "accumu" is asked for by name."""
    assert verdict("multi-gpu-differs", batched(4, 1.0, "accumu")) is None


@pytest.mark.parametrize(("batch", "sick"), [(1, False), (8, False), (10, True)])
def test_gsplats_momentum_ends_at_ten_views(batch: int, sick: bool) -> None:
    """Its source says so itself: betas = 1 - BS (1 - 0.9)."""
    assert (verdict("multi-gpu-differs", of_gsplat(batch)) is not None) is sick


def test_a_trainer_whose_rule_nobody_read_is_not_judged() -> None:
    """An invented rule would be worse than none."""
    answer = verdict("multi-gpu-differs", made_run(trainer=Trainer("brush", 0.9, "x"), settings={"batch_size": 4}))
    assert answer == NotEvaluable(("how the trainer (brush) scales its rates with the batch",))


def test_settings_alone_are_enough_where_no_state_was_saved() -> None:
    """A linear rule can be read; the root is how it should be."""
    assert "multiplied by 4" in found("multi-gpu-differs", linear()).says
    assert verdict("multi-gpu-differs", square_root()) is None


def test_wrapped_names_are_counted_against_all() -> None:
    """The Gaussians' own six names carry no prefix."""
    finding = found("checkpoint-needs-unwrap", wrapped())
    assert [row.value for row in finding.evidence] == [2, 8]
    assert "module.embeds.weight" in finding.says
