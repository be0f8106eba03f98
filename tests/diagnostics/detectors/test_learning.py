"""Learning: rates are judged by their step, silence by exact zeros; what was meant raises no alarm."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.diagnose import diagnose
from diagnostics.facts.rates import TITLES
from diagnostics.verdict import Finding
from runs.arrays import Array
from runs.run import Run, Trainer
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.learning import opacities_frozen, rates_times_100, wandering
from tests.support.runs import changed, look_from, ring_cameras, state_of
from tests.support.training import LAST, healthy_run, moved, start


@pytest.mark.parametrize(("setting", "times"), [("position_lr_init", 10), ("opacity_lr", 2), ("feature_lr", 5)])
def test_rates_that_do_no_harm_are_clear(setting: str, times: float) -> None:
    """Ten times the rate of the means gained 0.8 dB in the calibration runs: unusual is not broken."""
    run = healthy_run(series={"lr/xyz": None}, states={}, settings={setting: times * healthy_run().settings[setting].value})
    assert verdict("learning-rate-too-high", run) is None


def test_the_fix_names_the_flag_from_and_to() -> None:
    """20 times the opacity rate: the user reads opacity_lr, 1.0 -> 0.05."""
    reported = next(f for f in diagnose(rates_times_100()).findings if f.pattern.code == "OF-01")
    assert ("opacity_lr", 1.0, 0.05) in [(fix.setting, fix.current, fix.proposed) for fix in reported.fixes]
    assert "100 times" in reported.finding.says


def test_a_rate_blown_up_by_a_far_camera_is_found() -> None:
    """The setting is sound, and yet every step of the means is a hundred times too long."""
    far = look_from((0.0, 0.0, -400.0))
    cameras = (*ring_cameras(40), far)
    run = healthy_run(cameras=cameras, series={"lr/xyz": {i: 430 * 1.6e-4 * 0.01 ** (i / LAST) for i in range(1, LAST + 1)}})
    finding = found("learning-rate-too-high", run)
    assert finding.evidence[0].unit == "extents / step"


def test_means_that_wander_while_quality_falls_are_found_without_a_rate() -> None:
    """A stock run does not log rates that a far camera or a wrong schedule blows up."""
    finding = found("learning-rate-too-high", wandering())
    assert finding.iterations == (1500, LAST)
    moved_by = finding.evidence[0].value
    assert isinstance(moved_by, float)
    assert 4 < moved_by < 8
    assert finding.evidence[1].value == pytest.approx(3.0, abs=0.6)


def test_means_that_move_and_gain_are_no_fault() -> None:
    """A rate that never decays moved the means twenty times as far as usual in the calibration, and gained 0.7 dB."""
    assert verdict("learning-rate-too-high", wandering(fall_db=0.0)) is None
    unlogged = dict.fromkeys(("train/psnr", "test/psnr", "view/psnr", "loss/l1"))
    saves = {c.iteration: c.gaussians for c in wandering().checkpoints}
    assert verdict("learning-rate-too-high", healthy_run(series=unlogged, states={}, checkpoints=saves)) is None


def test_rows_in_another_order_do_not_wander() -> None:
    """A trainer that sorts its rows at each save moves none of them."""
    fallen = wandering()
    other = moved().take(np.random.default_rng(0).permutation(moved().count))
    saves = {200: start(), 1500: moved(), LAST: other}
    assert verdict("learning-rate-too-high", healthy_run(states={}, series=dict(fallen.series), checkpoints=saves)) is None


def test_faint_gaussians_may_wander() -> None:
    """MCMC shakes them on purpose, to find where they are needed."""
    fallen = wandering()
    faint = {save.iteration: changed(save.gaussians, logit_opacities=np.full(save.count, -4.0)) for save in fallen.checkpoints}
    assert verdict("learning-rate-too-high", healthy_run(states={}, series=dict(fallen.series), checkpoints=faint)) is None


def test_frozen_opacities_are_critical_frozen_rotations_are_not() -> None:
    """Without opacities the picture collapses at the next reset; without rotations about 1 dB is lost."""
    assert found("gradients-vanish", opacities_frozen()).severity == "critical"
    zero = dict.fromkeys(range(10, LAST + 1, 10), 0.0)
    assert found("gradients-vanish", healthy_run(series={"grad_norm/rotation": zero})).severity is None


def test_adam_tells_it_where_the_log_does_not() -> None:
    """A stock run logs no gradients; its state has second moments of exactly zero."""
    run = opacities_frozen()
    bare = healthy_run(series={name: None for name in run.series if name.startswith("grad_norm/")},
                       states={LAST: state_of(moved(), LAST, frozen=["opacity"])})
    finding = found("gradients-vanish", bare)
    assert finding.evidence[0].source == f"chkpnt{LAST}.pth"


def test_a_rate_of_zero_says_that_freezing_is_meant() -> None:
    """Who sets opacity_lr to 0 does not want to be told that opacities do not learn."""
    frozen = opacities_frozen()
    zero = dict.fromkeys(frozen.series["grad_norm/opacity"].iterations.tolist(), 0.0)
    assert verdict("gradients-vanish", healthy_run(series={"grad_norm/opacity": zero}, settings={"opacity_lr": 0.0})) is None


def test_a_state_of_an_unknown_schedule_is_not_held_against_its_opacities() -> None:
    """Where nobody knows when resets happen, zero opacity moments may come from one."""
    run = healthy_run(series=dict.fromkeys(healthy_run().series), states={LAST: state_of(moved(), LAST, frozen=["opacity"])})
    unknown = replace(run, sources=replace(run.sources, settings=lambda: type(run.settings)({})))
    assert verdict("gradients-vanish", unknown) is None


@pytest.mark.parametrize("group", ["xyz", "f_dc", "f_rest", "opacity", "scaling", "rotation"])
def test_each_group_that_no_gradient_reaches_is_named(group: str) -> None:
    """Zero moments of one group, in a state saved well after the resets: that group, and no other."""
    degree = {i: float(i > 300) for i in range(1, LAST + 1)}
    run = healthy_run(series={f"grad_norm/{group}": None, "sh_degree": degree},
                      states={LAST: state_of(moved(), LAST, frozen=[group])})
    finding = found("gradients-vanish", run)
    assert finding.facts["groups"] == TITLES[group]


def test_a_rate_of_zero_in_the_optimiser_is_told_apart_from_one_that_was_set() -> None:
    """The group halts although the settings say otherwise; gradients may arrive, so nothing is said about them."""
    run = healthy_run(states={LAST: state_of(moved(), LAST, rates={"opacity": 0.0})})
    finding = found("gradients-vanish", run)
    assert "No gradient" not in finding.says
    assert "opacities" in finding.says
    assert verdict("learning-rate-too-low", run) is None


def test_a_rate_that_the_settings_do_not_tell_is_found_in_the_optimiser() -> None:
    """A mistake in the code leaves the settings sound; param_groups hold what was used."""
    run = healthy_run(states={LAST: state_of(moved(), LAST, rates={"scaling": 0.1})})
    finding = found("learning-rate-too-high", run)
    assert "scales 20 times" in finding.says
    assert "the settings say scaling_lr = 0.005" in finding.says


def test_a_late_state_alone_tells_a_rate_of_the_means_that_is_far_too_high() -> None:
    """It has fallen by then, so it was at least as high at the start."""
    bare = {"series": {"lr/xyz": None}, "settings": {"position_lr_init": None}}
    fast = healthy_run(**bare, states={LAST: state_of(moved(), LAST, rates={"xyz": 3.3 * 1.6e-2})})
    assert "means 100 times" in found("learning-rate-too-high", fast).says
    assert verdict("learning-rate-too-high", healthy_run(**bare)) is None


def test_where_no_gaussian_is_left_no_gradient_is_missed() -> None:
    """A run that pruned its last Gaussian logs zeros ever after; the fault is the pruning."""
    gone = {i: 400.0 if i < 500 else 0.0 for i in range(1, LAST + 1)}
    zero = {i: 1e-3 if i < 500 else 0.0 for i in range(10, LAST + 1, 10)}
    series = {"num_gaussians": gone, **{f"grad_norm/{group}": zero for group in ("xyz", "opacity", "scaling")}}
    assert verdict("gradients-vanish", healthy_run(series=series, states={}, checkpoints={200: start()})) is None


@pytest.mark.parametrize(("times", "sick"), [(0.5, False), (2, False), (10, False), (100, True)])
def test_noise_is_a_learning_rate_of_mcmc(times: float, sick: bool) -> None:
    """Faint Gaussians are shaken on purpose, but not a hundred times as hard."""
    run = healthy_run(settings={"strategy": "mcmc", "noise_lr": times * 5e5})
    assert (verdict("learning-rate-too-high", run) is not None) is sick


def stock(**columns: Array) -> Run:
    """One save at the end, and nothing else that could tell of gradients."""
    nothing = dict.fromkeys(healthy_run().series)
    return healthy_run(series=nothing, states={}, checkpoints={LAST: changed(moved(), **columns)})


def test_one_save_tells_of_harmonics_and_rotations_that_never_learned() -> None:
    """All a stock run leaves is its file; exact start values in every row do not happen by chance."""
    flat = stock(sh_rest=np.zeros_like(moved().sh_rest))
    assert found("gradients-vanish", flat).facts["groups"] == "view-dependent colours"
    unturned = stock(quats_wxyz=np.tile([1, 0, 0, 0], (moved().count, 1)))
    assert found("gradients-vanish", unturned).facts["groups"] == "rotations"


def test_balls_and_unknown_writers_are_not_held_against_gradients() -> None:
    """Isotropic Gaussians have no gradient of rotation; converters fill columns that they do not know with zeros."""
    balls = np.repeat(moved().log_scales[:, :1], 3, axis=1)
    unturned = stock(quats_wxyz=np.tile([1, 0, 0, 0], (moved().count, 1)), log_scales=balls)
    assert not isinstance(verdict("gradients-vanish", unturned), Finding)
    zero = changed(moved(), sh_rest=np.zeros_like(moved().sh_rest))
    unknown = healthy_run(series=dict.fromkeys(healthy_run().series), states={}, checkpoints={LAST: zero},
                          trainer=Trainer("unknown", 0.3, "point_cloud/iteration_*"))
    assert not isinstance(verdict("gradients-vanish", unknown), Finding)
    early = healthy_run(series=dict.fromkeys(healthy_run().series), states={}, checkpoints={900: zero})
    assert not isinstance(verdict("gradients-vanish", early), Finding)


def test_where_nothing_is_drawn_no_gradient_is_missed() -> None:
    """A regulariser made every Gaussian invisible: zeros in the log are its consequence, not a detached tensor."""
    zero = {i: 1e-3 if i < 1500 else 0.0 for i in range(10, LAST + 1, 10)}
    series = {f"grad_norm/{group}": zero for group in ("xyz", "f_dc", "rotation")}
    faint = changed(moved(), logit_opacities=np.full(moved().count, -8.0))
    assert verdict("gradients-vanish", healthy_run(series=series, checkpoints={LAST: faint})) is None
    assert verdict("gradients-vanish", healthy_run(series=series)) is not None
