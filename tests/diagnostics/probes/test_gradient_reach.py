"""The gradient-reach probe must tell why a Gaussian gets no gradient, and recommend a costly method only where it pays."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.evidence import Cancelled
from diagnostics.optimiser.initialise import gaussians_at, sh0_of
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.views import TrainingData, View
from diagnostics.probes.answer import Result
from diagnostics.probes.ask import ask, bench_at, probe_named
from diagnostics.probes.bench import Listener, OutOfReach, Wish
from diagnostics.probes.material import Source
from diagnostics.probes.reach_measured import Light, Reach, reach_of
from diagnostics.probes.reach_stand import Stand, stand_at
from diagnostics.probes.reach_trial import INSIDE, METHOD, PLAIN, SCHEDULE, Trial, inside_points, short_settings
from diagnostics.probes.reach_words import Found, Limits, finding, verdict
from render.raster.parameters import Parameters
from runs.points import PointCloud
from tests.diagnostics.optimiser.made_up import cameras
from tests.lab.opened import opened
from tests.support.runs import made_run

QUICK = Wish(steps=30, seeds=2)
LIGHT = Light((0.0, 0.0, 0.0), OptimiserSettings(), 0)
LIMITS = Limits(0.02, 0.7, 0.5, 0.3)


def views(count: int = 3) -> tuple[View, ...]:
    """White photos from a circle of radius three round the origin."""
    return tuple(View(camera, np.ones((20, 24, 3), np.float32)) for camera in cameras(count))


def placed(*xyz: tuple[float, float, float], opacity: float = 0.5, size: float = 0.1) -> Parameters:
    return gaussians_at(np.array(xyz), sh0_of(np.full((len(xyz), 3), 0.5)), np.full(len(xyz), size),
                        OptimiserSettings(init_opacity=opacity, sh_degree=0))


def measured(parameters: Parameters, seen: tuple[View, ...], all_views: tuple[View, ...] = ()) -> Reach:
    return reach_of(parameters, seen, tuple(view.camera for view in all_views or seen), LIGHT, lambda _: None)


def test_each_reason_has_its_own_count() -> None:
    """One that shows, one beside all pictures, one too faint, one in a dark box of walls, one that only another view has."""
    shows, off = placed((0, 0, 0)), placed((0, 0, 40.0), (0, 30.0, 0))
    faint = placed((0.3, 0, 0), opacity=0.003)
    seen = views(1)
    walls = placed(*[(0.0, -0.6 + 0.02 * k, -2.0) for k in range(8)], opacity=0.9999, size=0.9)
    behind = placed((0.0, 0.5, 5.0))
    reach = measured(shows.joined(off.take(np.array([1])), faint), seen)
    np.testing.assert_array_equal(reach.reached, [True, False, False])
    np.testing.assert_array_equal(reach.off, [False, True, False])
    np.testing.assert_array_equal(reach.faint, [False, False, True])
    np.testing.assert_array_equal(reach.called, [False, False, True])
    assert not reach.hidden.any()
    covered = measured(walls.joined(behind), seen)
    assert covered.hidden[-1]
    assert not covered.off.any()
    elsewhere = measured(placed((0, 0, -4.5)), seen, views(4))  # behind the first camera, before its opposite
    assert elsewhere.unasked.all()
    assert elsewhere.share(elsewhere.lost) == 0


def test_bare_pixels_are_those_of_photos_that_nothing_shows() -> None:
    """A white photo wants coverage everywhere; a black one, before black, nowhere."""
    white, seen = measured(placed((0, 0, 0)), views(1)), views(1)
    black = measured(placed((0, 0, 0)), tuple(replace(view, photo=np.zeros((20, 24, 3), np.float32)) for view in seen))
    assert white.pixels == 24 * 20
    assert 0.5 < white.bare / white.pixels < 1
    assert (black.pixels, black.bare) == (0, 0)


def test_a_faint_one_answers_bare_pixels() -> None:
    """After: truncated gradients give the empty pixels around a dead Gaussian somebody to pull at."""
    reach = measured(placed((0, 0, 0), opacity=0.003), views(1))
    assert reach.called.all()
    assert 0 < reach.answered < reach.bare


def found(trial: Trial | None, called: int = 3) -> Found:
    mask = np.arange(4) > 0
    none = np.zeros(4, bool)
    reach = Reach(~mask, none, mask, none, none, none, np.arange(4) > 3 - called, 480, 400, 100, np.array([1, 2, 3]), 0.01, 0.01)
    data = TrainingData(views(), (), PointCloud(np.zeros((4, 3)), None, "made up"))
    source = Source(tuple(view.camera for view in data.train), (), "black", False)
    stand = Stand(placed(*[(0, 0, 0)] * 4), np.arange(4), 4, None, True, data, source, OptimiserSettings())
    return Found(stand, reach, trial, LIMITS)


def trial(plain: float, method: float, schedule: float, noise: float = 0.05) -> Trial:
    def three(mean: float) -> tuple[float, ...]:
        return mean - noise, mean, mean + noise

    each = {PLAIN: three(plain), METHOD: tuple(reversed(three(method))), SCHEDULE: three(schedule), INSIDE: three(plain + 5)}
    return Trial(each, dict.fromkeys(each, (1.0, 1.0, 1.0)) | {METHOD: (2.0, 2.2, 2.4)}, True, 400)


def test_the_method_is_recommended_only_where_it_earns_it() -> None:
    """More than its noise, more than its own schedule, and only where it reaches most of those without gradient."""
    assert found(trial(20, 22, 20.5)).recommends
    assert not found(trial(20, 22, 22)).recommends  # the schedule does it
    assert not found(trial(20, 22, 20.5, noise=2)).recommends  # the seeds scatter by more
    assert not found(trial(20, 22, 20.5), called=1).recommends
    assert not found(None).recommends
    does = [fix.do for fix in finding(found(trial(20, 22, 20.5))).fixes]
    assert [do.split()[0] for do in does] == ["Start", "Train"]
    assert [fix.do.split()[0] for fix in finding(found(trial(20, 22, 22))).fixes] == ["Start", "Prune"]
    assert "2.2 times the time" in verdict(found(trial(20, 22, 20.5)))
    assert "not recommended" in verdict(found(trial(20, 22, 22)))
    assert "not tried" in verdict(found(None))


def test_points_inside_lie_where_many_cameras_look() -> None:
    seen = tuple(view.camera for view in views(6))
    cube = PointCloud(np.random.default_rng(0).uniform(-8, 8, (200, 3)), None, "cube")
    inside = inside_points(cube, seen, 200)
    assert inside is not None
    assert len(inside) == 200
    assert np.linalg.norm(inside.xyz, axis=1).max() < 4
    assert inside_points(replace(cube, xyz=cube.xyz + 100), seen, 200) is None


def test_the_short_schedule_keeps_the_run_s_rates() -> None:
    own = OptimiserSettings(opacity_lr=0.01, lambda_dssim=0.5, strategy="mcmc", cap_max=9, opacity_reg=0.01)
    short = short_settings(own, (64, 48), 400, 1_000)
    assert (short.opacity_lr, short.lambda_dssim, short.strategy, short.opacity_reg) == (0.01, 0.5, "default", 0.0)
    assert (short.densify_grad_threshold, short.cap_max, short.densify_until_iter) == (pytest.approx(1.5e-3), 4_000, 200)


def asked(slug: str, wish: Wish = QUICK) -> Result:
    return ask("gradient-reach", opened(slug), wish=wish)


def test_a_wide_start_is_found_with_its_trial() -> None:
    result = asked("start-in-a-wide-cube-at-1.3_studio-0_mini")
    assert result.outcome == "finding"
    said = result.answer.judged[0].finding
    assert said is not None
    assert "in no picture" in said.says
    rows = {row.what: row.value for row in said.evidence}
    assert 0.02 < float(rows["Gaussians without gradient from any view"] or 0) < 0.2
    assert f"PSNR, {METHOD}" in rows
    assert said.cameras
    assert said.iterations == (0, 0)
    assert result.answer.shots[0].rgb.shape[0] == 64


@pytest.mark.parametrize("slug", ["usual-court-0_court-0_mini", "mcmc-studio_studio-2_mini"])
def test_sound_starts_are_left_alone(slug: str) -> None:
    result = asked(slug)
    assert result.outcome == "clear"
    assert "nothing to do" in result.answer.says
    assert result.answer.done["trial"] == "none"


def test_a_save_is_counted_and_judged_only_when_early() -> None:
    """A finished scene hides and fades Gaussians by design."""
    early, late = (stand_at(bench_at(opened("usual-court-0_court-0_mini"), wish=Wish(iteration=at))) for at in (100, 800))
    assert (early.early, late.early) == (True, False)
    answer = asked("usual-court-0_court-0_mini", Wish(iteration=800)).answer
    assert answer.iteration == 800
    assert answer.judged[0].finding is None


def test_without_cameras_it_stays_open_and_it_can_be_stopped() -> None:
    assert ask("gradient-reach", made_run()).outcome == "open"
    with pytest.raises(OutOfReach):
        stand_at(bench_at(made_run()))

    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        ask("gradient-reach", opened("usual-court-0_court-0_mini"), listener=Listener(wait=stop))
    work = probe_named("gradient-reach").workload(bench_at(opened("usual-court-0_court-0_mini")))
    assert (work.steps, work.draws, work.gaussians) == (72, 24, 2_000)
