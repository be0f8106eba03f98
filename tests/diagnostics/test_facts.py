"""Facts answer with what the run holds in the chosen range, and with None or a named lack otherwise."""

from dataclasses import replace

import numpy as np
import pytest

import diagnostics.detectors  # noqa: F401  (registers every fact)
from diagnostics.evidence import Evidence
from diagnostics.facts.logged import VIEWS
from diagnostics.registry import FACTS
from diagnostics.verdict import NotEvaluable
from runs.events import LogEvent
from runs.gaussians import Gaussians
from tests.support.runs import changed, cloud, made_run, points_of, state_of
from tests.support.training import LAST, RESETS, healthy_run, moved, start


def lacks(answer: object) -> bool:
    return isinstance(answer, NotEvaluable)


def test_per_gaussian_facts_are_about_the_last_checkpoint_of_the_range() -> None:
    """A user who chose a range must not be told about Gaussians outside it."""
    evidence = Evidence(healthy_run(), (1, 1500))
    assert [c.iteration for c in evidence.get("checkpoints")] == [200, 1000]
    assert evidence.get("checkpoint").iteration == 1000
    assert np.array_equal(evidence.get("opacities"), moved(700, 3).opacities)
    assert evidence.get("first_checkpoint").iteration == 200
    assert lacks(evidence.get("training_state"))


def test_an_empty_checkpoint_is_no_evidence() -> None:
    """A save with 0 Gaussians has no median; it must not reach a detector."""
    evidence = Evidence(made_run(checkpoints={100: changed_to_nothing()}), (0, 100))
    assert lacks(evidence.get("checkpoint"))
    assert lacks(evidence.get("first_gaussians"))


def changed_to_nothing() -> Gaussians:
    return start().take(np.zeros(0, np.int64))


@pytest.mark.parametrize("name", ["test_psnr", "train_psnr", "view_psnr", "loss_l1", "count_series", "pruned", "position_rate"])
def test_series_are_cut_to_the_range_and_named_when_missing(name: str) -> None:
    """The range belongs to the user; and a missing series is called by the name under which it is logged."""
    series = Evidence(healthy_run(), (400, 600)).get(name)
    assert series.iterations[0] >= 400
    assert series.iterations[-1] <= 600
    assert FACTS[name].missing == f"series {series.name}"
    assert lacks(Evidence(made_run(), (0, 600)).get(name))
    assert lacks(Evidence(healthy_run(), (5000, 6000)).get(name))


def test_log_events_of_the_range_and_those_without_an_iteration() -> None:
    """An out-of-memory text often does not say when; both ends of the range belong to it."""
    events = tuple(LogEvent("evaluation", at, f"at {at}", "log:1") for at in (99, 100, 200, 201, None))
    told = Evidence(made_run(events=events), (100, 200)).get("log_events")
    assert [event.iteration for event in told] == [100, 200, None]


def test_counts_come_from_saves_where_no_log_tells_them() -> None:
    """A stock run without a log still shows growth."""
    evidence = Evidence(healthy_run(series={"num_gaussians": None}), (1, LAST))
    assert evidence.get("counts").values.tolist() == [400, 700, 900]
    assert lacks(Evidence(made_run(checkpoints={1: start()}), (0, 1)).get("counts"))


def test_quality_prefers_fixed_views_and_smooths_single_ones() -> None:
    """One view per iteration jumps by several dB; taken raw, each jump would be an alarm."""
    run = healthy_run()
    assert Evidence(run, (1, LAST)).get("quality") is not None
    assert Evidence(run, (1, LAST)).get("quality").name == "train/psnr"
    bare = healthy_run(series={"train/psnr": None, "test/psnr": None})
    smooth = Evidence(bare, (1, LAST)).get("quality")
    assert smooth.name == "view/psnr"
    assert np.nanstd(np.diff(smooth.values)) < 0.5 * np.nanstd(np.diff(bare.series["view/psnr"].values))


def test_a_loss_reads_as_decibels() -> None:
    """A tenth of the error is 20 dB, in the direction in which quality rises."""
    loss = {i: 0.1 if i < 500 else 0.01 for i in range(1, 1001)}
    quality = Evidence(made_run(series={"loss/l1": loss}), (1, 1000)).get("quality")
    assert quality.unit == "dB"
    assert quality.at(VIEWS) == pytest.approx(20)
    assert quality.at(1000) == pytest.approx(40)


def test_the_initial_state_is_only_what_was_not_densified() -> None:
    """A save at 7,000 tells nothing about the initial scales."""
    late = healthy_run(checkpoints={1000: moved(700, 3), LAST: moved()})
    assert lacks(Evidence(late, (1, LAST)).get("initial_checkpoint"))
    assert Evidence(healthy_run(), (1, LAST)).get("initial_checkpoint").iteration == 200
    no_points = healthy_run(input_points=None)
    assert Evidence(no_points, (1, LAST)).get("initial_checkpoint").iteration == 200


def test_start_points_come_from_the_run_before_the_model() -> None:
    """input.ply is what the Gaussians were made from; the model is what it should have been."""
    model = points_of(cloud(10), "points3D.bin")
    assert len(Evidence(healthy_run(sfm_points=model), (1, LAST)).get("start_points")) == 400
    assert Evidence(made_run(sfm_points=model), (0, 0)).get("start_points").source == "points3D.bin"
    assert lacks(Evidence(made_run(), (0, 0)).get("start_points"))


def test_silence_by_design_is_no_silence() -> None:
    """Opacity moments are zero at a reset, and in a log of gradients a zero among others is no silence."""
    at_reset = healthy_run(states={RESETS[1]: state_of(moved(), RESETS[1], frozen=["opacity"])})
    assert Evidence(at_reset, (1, LAST)).get("silences") == ()
    later = healthy_run(states={RESETS[1] + 50: state_of(moved(), RESETS[1] + 50, frozen=["opacity"])})
    assert [s.group for s in Evidence(later, (1, LAST)).get("silences")] == ["opacity"]
    woken = healthy_run(series={"grad_norm/opacity": {i: float(i > 1000) for i in range(10, LAST, 10)}})
    assert Evidence(woken, (1, LAST)).get("silences") == ()
    lulled = healthy_run(series={"grad_norm/opacity": {i: float(i < 1000) for i in range(10, LAST + 1, 10)}})
    assert [(s.group, s.first, s.last) for s in Evidence(lulled, (1, LAST)).get("silences")] == [("opacity", 1000, LAST)]
    assert lacks(Evidence(made_run(), (0, 0)).get("silences"))


@pytest.mark.parametrize(("degree", "iteration", "silent"), [
    (0, 1500, []), (None, 1500, []), (1, 1500, []), (1, 1550, ["f_rest"]), (2, 2000, ["f_rest"]), (3, LAST, ["f_rest"]),
])
def test_the_active_degree_tells_whether_view_dependent_colours_should_learn(
    degree: int | None, iteration: int, silent: list[str],
) -> None:
    """A stock run logs no degree, but its state holds the active one; a degree added just now has no gradient yet."""
    state = replace(state_of(moved(), iteration, frozen=["f_rest"]), active_sh_degree=degree)
    run = healthy_run(series=dict.fromkeys(healthy_run().series), states={iteration: state}, checkpoints={LAST: moved()})
    assert [s.group for s in Evidence(run, (1, LAST)).get("silences")] == silent


def test_values_that_never_change_are_silent_without_any_log() -> None:
    """A stock run has only point clouds: a column that is the same bit by bit in two saves had no gradient."""
    later = cloud(900, seed=8)
    frozen = changed(later, logit_opacities=moved().logit_opacities)
    bare = {"series": dict.fromkeys(healthy_run().series), "states": {}}
    for last, groups in ((later, []), (frozen, ["opacity"]), (moved(), ["xyz", "f_dc", "opacity", "scaling", "rotation"])):
        run = healthy_run(**bare, checkpoints={1500: moved(), LAST: last})
        assert [s.group for s in Evidence(run, (1, LAST)).get("silences")] == groups


def test_rates_are_those_the_optimiser_used() -> None:
    """A setting may be overridden; the state and the log tell what was used, the means per unit of a sound extent."""
    run = healthy_run(states={LAST: state_of(moved(), LAST, rates={"scaling": 0.1})})
    rates = {rate.group: rate.value for rate in Evidence(run, (1, LAST)).get("rates")}
    assert rates["scaling"] == 0.1
    assert rates["opacity"] == 0.05
    assert rates["xyz"] == pytest.approx(1.6e-4, rel=0.05)
    unstored = made_run(defaults={"opacity_lr": 0.05})
    assert lacks(Evidence(unstored, (0, 0)).get("rates"))


def test_motion_is_measured_where_rows_stayed() -> None:
    """Between two saves of different counts a row is another Gaussian."""
    shifted = changed(moved(), means=moved().means + np.float32(0.5))
    run = healthy_run(checkpoints={1000: moved(700, 3), 1500: moved(), LAST: shifted})
    motion = Evidence(run, (1, LAST)).get("late_motion")
    assert (motion.first, motion.last) == (1500, LAST)
    visible = moved().opacities > 0.1
    assert motion.in_sizes == pytest.approx(float(np.median(np.sqrt(0.75) / moved().scales.max(axis=1)[visible])), rel=1e-5)
    assert lacks(Evidence(healthy_run(), (1, LAST)).get("late_motion"))
