"""A schedule is made short without becoming another one: a trial must not be about the shortening."""

from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.probes.trial_schedule import Shortening, shortened

SHORT = Shortening(800, 50, 200, 20_000)


def test_moments_shrink_by_one_factor_and_intervals_stay_usable() -> None:
    """INRIA's 30,000 iterations in 800; a densification every third iteration would be a fault of its own."""
    control, trial = shortened(OptimiserSettings(), {}, SHORT, 7)
    assert control == trial
    assert (control.iterations, control.seed, control.position_lr_max_steps) == (800, 7, 800)
    assert (control.densify_from_iter, control.densify_until_iter, control.sh_interval) == (13, 400, 27)
    assert (control.densification_interval, control.opacity_reset_interval) == (50, 200)
    assert (control.position_lr_init, control.densify_grad_threshold) == (1.6e-4, 2e-4)


def test_a_changed_interval_keeps_its_ratio() -> None:
    """A tenth stays a tenth: else the shortening would take the fault away, or make one."""
    control, trial = shortened(OptimiserSettings(opacity_reset_interval=300), {"opacity_reset_interval": 3_000}, SHORT, 0)
    assert (control.opacity_reset_interval, trial.opacity_reset_interval) == (20, 200)
    own = OptimiserSettings(densification_interval=1)
    assert [side.densification_interval for side in shortened(own, {"densification_interval": 100}, SHORT, 0)] == [1, 50]


def test_a_training_that_is_short_already_stays_as_it_is() -> None:
    own = OptimiserSettings.mini(opacity_reset_interval=50, cap_max=900)
    control, trial = shortened(own, {"rotation_lr": 0.5}, SHORT, 0)
    names = ("iterations", "densify_until_iter", "sh_interval", "opacity_reset_interval")
    assert {name: getattr(control, name) for name in names} == {name: getattr(own, name) for name in names}
    assert (control.rotation_lr, trial.rotation_lr, control.cap_max) == (own.rotation_lr, 0.5, 900)
    assert max(control.save_iterations) == max(control.test_iterations) == 800


def test_caps_shrink_with_the_points() -> None:
    """A cap of a million means nothing where a hundredth of the points is used."""
    thin = Shortening(800, 50, 200, 20_000, thinning=0.01)
    own = OptimiserSettings(strategy="mcmc", cap_max=1_000_000)
    assert [side.cap_max for side in shortened(own, {"cap_max": 500_000}, thin, 0)] == [10_000, 5_000]
    assert shortened(OptimiserSettings(), {}, thin, 0)[0].cap_max == 20_000
