"""The schedule: alarms are only as good as what they know of resets and planned freezes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.schedule import Schedule, schedule_of
from runs.series import Series
from runs.settings import NOT_STORED
from tests.support.runs import made_run
from tests.support.training import DENSIFICATIONS, RESETS, SETTINGS, healthy_run

# The published settings of the 3DGS reference (30,000 iterations).
REFERENCE = {
    "densify_from_iter": 500, "densify_until_iter": 15_000, "densification_interval": 100, "opacity_reset_interval": 3000,
}
LONG = {"num_gaussians": {1: 10.0, 30_000: 10.0}}


def known(schedule: Schedule | None) -> Schedule:
    assert schedule is not None
    return schedule


def test_the_reference_settings_give_the_published_events() -> None:
    """600, 700 … 14,900 and resets at 3,000 … 12,000: off by one, and the last prune would be alarmed at."""
    schedule = known(schedule_of(made_run(settings=REFERENCE, series=LONG)))
    assert schedule.densifications == tuple(range(600, 15_000, 100))
    assert len(schedule.densifications) == 144
    assert schedule.resets == (3000, 6000, 9000, 12_000)
    assert schedule.planned_end == 14_900
    assert schedule.recovery == 1000


def test_a_white_background_resets_once_more() -> None:
    """The reference also resets at densify_from_iter with a white background: a dip there is by design."""
    schedule = known(schedule_of(made_run(settings=REFERENCE | {"white_background": True}, series=LONG)))
    assert schedule.resets == (500, 3000, 6000, 9000, 12_000)


def test_a_log_wins_over_settings() -> None:
    """What happened is known better than what was planned."""
    schedule = known(schedule_of(healthy_run(series={"opacity_reset": {700: 1.0, 800: 0.0}})))
    assert schedule.resets == (700,)
    assert schedule.densifications == DENSIFICATIONS
    assert schedule.source == "log, cfg_args"


def test_unknown_stays_unknown() -> None:
    """No number is invented: neither a log nor a setting, no schedule; no reset setting, resets not known."""
    assert schedule_of(made_run(series=LONG)) is None
    assert not known(schedule_of(made_run(settings={"densify_until_iter": 900}, series=LONG))).resets_known


def test_defaults_that_were_not_stored_are_named_so() -> None:
    """A finding that rests on a default must be able to say that it does."""
    assert NOT_STORED in known(schedule_of(made_run(defaults=REFERENCE, series=LONG))).source
    assert NOT_STORED not in known(schedule_of(healthy_run())).source


@pytest.mark.parametrize(("iteration", "muted"), [(499, False), (500, True), (667, True), (668, False), (1000, True)])
def test_alarms_are_muted_after_a_reset(iteration: int, muted: bool) -> None:
    """Resets every 500 may take a third of that; the reference's would mute a short run for ever."""
    assert known(schedule_of(healthy_run())).is_muted(iteration) is muted


@pytest.mark.parametrize(("resets", "recovery"), [((500, 1000), 167), ((500, 3000, 6000), 1000), ((500,), 1000)])
def test_logged_resets_tell_more_than_a_default(resets: tuple[int, ...], recovery: int) -> None:
    """A short run of a trainer whose default is 3,000 would be muted to its end; a white background adds a reset at the start."""
    series = {**LONG, "opacity_reset": dict.fromkeys(resets, 1.0)}
    assert known(schedule_of(made_run(defaults=REFERENCE, series=series))).recovery == recovery
    assert known(schedule_of(made_run(settings=REFERENCE, series=series))).recovery == 1000


def test_colour_degrees_are_read_from_the_log() -> None:
    """Before a degree is active its coefficients have no gradient, by design."""
    degrees = {i: float(i > 300) + float(i > 600) for i in range(1, 1001)}
    assert known(schedule_of(healthy_run(series={"sh_degree": degrees}))).sh_steps == (301, 601)


@given(st.lists(st.integers(1, 5000), max_size=5, unique=True), st.integers(1, 6000), st.integers(1, 5000))
def test_a_muted_iteration_follows_a_reset_within_the_recovery(resets: list[int], iteration: int, every: int) -> None:
    """Muting is bounded: no reset can hide a fault for longer than its recovery."""
    schedule = known(schedule_of(healthy_run(series={"opacity_reset": dict.fromkeys(resets, 1.0)},
                                             settings={"opacity_reset_interval": every})))
    since = schedule.since_reset(iteration)
    assert schedule.is_muted(iteration) == (since is not None and since <= schedule.recovery)
    assert 92 <= schedule.recovery <= 1000


def test_values_outside_resets_are_kept_whole() -> None:
    """The rest of a series must not lose or shift values."""
    run = healthy_run()
    series: Series = run.series["train/psnr"]
    calm = known(schedule_of(run)).outside_resets(series)
    assert [int(i) for i in calm.iterations] == [i for i in series.iterations if i not in (500, 600, 1000, 1100)]
    assert all(calm.at(int(i)) == series.at(int(i)) for i in calm.iterations)


def test_the_healthy_training_tells_its_own_schedule() -> None:
    """The fixtures of all patterns rest on this training: its log and its settings must agree."""
    planned = known(schedule_of(made_run(settings=SETTINGS, series={"num_gaussians": {1: 1.0, 2000: 1.0}})))
    assert (planned.densifications, planned.resets) == (DENSIFICATIONS, RESETS)
