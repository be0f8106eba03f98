"""Step lengths: a rate is held against the usual one, eps against √v, and where nothing is told, what moved."""

import pytest

from diagnostics.verdict import NotEvaluable
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.rates import eps_too_large, falling, falls_over_30000, never_falls, rates_by_100, walking
from tests.support.runs import state_of
from tests.support.training import LAST, healthy_run, moved


def test_the_fix_names_every_short_rate() -> None:
    """The user reads which flag to set from what to what."""
    fixes = {fix.setting: (fix.current, fix.proposed) for fix in found("learning-rate-too-low", rates_by_100()).fixes}
    assert fixes["scaling_lr"] == (1e-4, 5e-3)
    assert fixes["position_lr_init"][1] == 1.6e-4


@pytest.mark.parametrize(("group", "name", "rate"), [
    ("opacity", "opacity_lr", 5e-4), ("f_dc", "feature_lr", 2.5e-5), ("scaling", "scaling_lr", 5e-5),
    ("rotation", "rotation_lr", 1e-5),
])
def test_a_hundredth_of_any_rate_is_found(group: str, name: str, rate: float) -> None:
    """By the optimiser's own groups, and by the settings where no state was saved."""
    by_state = found("learning-rate-too-low", healthy_run(states={LAST: state_of(moved(), LAST, rates={group: rate})}))
    assert f"the settings say {name}" in by_state.says
    assert "the settings say" not in found("learning-rate-too-low", healthy_run(states={}, settings={name: rate})).says


@pytest.mark.parametrize("span", [(1, 300), (1400, LAST), (1900, LAST), (LAST, LAST)])
def test_a_late_range_does_not_make_a_rate_low(span: tuple[int, int]) -> None:
    """It falls to a hundredth by design; what a run began with is asked, whatever range is looked at."""
    assert verdict("learning-rate-too-low", healthy_run(), span) is None


def test_a_log_that_begins_late_does_not_tell_how_the_rate_began() -> None:
    """A resumed run often keeps only its second log."""
    late = {i: rate for i, rate in falling().items() if i > 1900}
    assert verdict("learning-rate-too-low", healthy_run(series={"lr/xyz": late})) is None


def test_eps_is_held_against_the_gradients_themselves() -> None:
    """1e-8 harmed nothing where √v was 1e-6; 1e-3 cost 13 dB."""
    finding = found("learning-rate-too-low", eps_too_large())
    assert finding.evidence[0].value == pytest.approx(0.1 / 1.1, rel=0.1)
    assert "eps" in finding.cause
    assert finding.fixes[0].proposed == 1e-15


WALK = 1.6e-6 * 3.3 * 500**0.5  # world units: 500 random steps at the lowest usual rate


@pytest.mark.parametrize(("times", "sick"), [(0.03, True), (0.3, False), (3, False), (0, False)])
def test_without_any_rate_the_way_tells_it(times: float, sick: bool) -> None:
    """A tenth of the usual rate is advised for large scenes; exactly no step at all is a frozen group."""
    answer = verdict("learning-rate-too-low", walking(times * WALK))
    assert (answer is not None) is sick
    if sick:
        assert found("learning-rate-too-low", walking(times * WALK)).severity == "minor"


def test_a_long_time_between_saves_tells_nothing() -> None:
    """Gaussians circle their optimum: in thousands of iterations they get no farther than in hundreds."""
    assert isinstance(verdict("learning-rate-too-low", walking(0.03 * WALK, apart=2_100, last=5_000)), NotEvaluable)


def test_a_rate_that_never_falls_is_a_mismatch_not_a_disaster() -> None:
    """It gained 0.7 dB in the calibration runs: minor where it contradicts the settings, information where it was set."""
    assert found("position-rate-off-schedule", never_falls()).severity is None
    chosen = healthy_run(series={"lr/xyz": falling(end=1.0)}, settings={"position_lr_final": 1.6e-4})
    assert found("position-rate-off-schedule", chosen).severity == "info"


def test_without_a_log_the_state_tells_it() -> None:
    """param_groups hold the rate of the iteration at which the state was saved."""
    level = {LAST: state_of(moved(), LAST, rates={"xyz": 1.6e-4 * 3.3})}
    bare = {"series": {"lr/xyz": None}, "settings": {"position_lr_max_steps": LAST}}
    assert found("position-rate-off-schedule", healthy_run(**bare, states=level)).evidence[0].value == pytest.approx(1.0)
    assert verdict("position-rate-off-schedule", healthy_run(**bare)) is None


@pytest.mark.parametrize("span", [(1, 50), (500, 700), (1900, LAST)])
def test_any_range_of_a_falling_rate_is_clear(span: tuple[int, int]) -> None:
    """Each part of the run falls by its part."""
    assert verdict("position-rate-off-schedule", healthy_run(), span) is None
    assert verdict("position-rate-off-schedule", falls_over_30000(), span) is None
