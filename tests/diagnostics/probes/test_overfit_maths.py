"""What the overfit probe reckons with: where points lie, what is left of a difference, whom to blame, which settings."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.views import View
from diagnostics.probes.overfit_findings import judged
from diagnostics.probes.overfit_fits import Desk, beside, fit, flat_psnr
from diagnostics.probes.overfit_measured import Alone, Bars, Measured
from diagnostics.probes.overfit_model import _averaged
from diagnostics.probes.overfit_points import Whereabouts, placed, seen_by, serving_px, whereabouts
from diagnostics.probes.overfit_residuals import Residual, at_odds, disagreement, lagging, residuals
from diagnostics.probes.overfit_settings import FitSettings, for_fits
from diagnostics.probes.overfit_trials import Trials
from render.raster import differentiable
from runs.cameras import Camera, look_at
from runs.points import PointCloud

SIZE_PX = (40, 32)


def camera(name: str = "one") -> Camera:
    return look_at(np.array([0.0, 0.0, -4.0]), np.zeros(3), size_px=SIZE_PX, name=name)


def cloud(xyz: list[tuple[float, float, float]]) -> PointCloud:
    return PointCloud(np.array(xyz, np.float64), np.full((len(xyz), 3), 128, np.uint8), "made up")


def textured(seed: int = 0) -> np.ndarray:
    """A smooth photo with something in every part of it, float32 [32, 40, 3]."""
    y, x = np.mgrid[:32, :40] / 8.0
    waves = [np.sin(x * (1 + 0.3 * c) + seed) * np.cos(y * (1.2 - 0.2 * c)) for c in range(3)]
    return np.asarray(0.5 + 0.4 * np.stack(waves, axis=2), np.float32)


def test_every_point_is_counted_once_and_where_it_lies() -> None:
    """The cause that a finding names rests on these counts."""
    found = whereabouts(cloud([(0, 0, 0), (0, 0, -9), (0, 0, -3.9), (50, 0, 0), (float("nan"), 0, 0)]), camera())
    assert (found.inside, found.behind, found.too_near, found.beside, found.of) == (1, 1, 1, 2, 5)


def test_points_out_of_view_come_along_only_where_hardly_any_is_in_view() -> None:
    """A view of a large scene sees one point of a hundred: thinning all would leave it none."""
    rng = np.random.default_rng(0)
    near, far = rng.normal(0, 0.3, (900, 3)), rng.normal((0, 0, -20), 0.3, (9_000, 3))
    points = PointCloud(np.concatenate((far, near)), None, "made up")
    assert len(seen_by(points, (camera(),), 1_000)) == 900
    assert len(seen_by(points, (camera(),), 300)) == 300
    assert len(seen_by(replace(points, xyz=far), (camera(),), 1_000)) == 1_000


def test_pictures_get_smaller_where_points_are_few_but_never_tiny() -> None:
    """Thirty points cannot fill a large picture, and that must not look like a broken start."""
    wide = look_at(np.array([0.0, 0.0, -4.0]), np.zeros(3), size_px=(160, 128), name="one")
    points = PointCloud(np.zeros((640, 3)), None, "made up")  # 8 × 640 is a quarter of the pixels
    assert serving_px(points, (wide,)) == 80
    assert serving_px(replace(points, xyz=np.zeros((3, 3))), (wide,)) == 64
    assert serving_px(replace(points, xyz=np.zeros((5_000, 3))), (wide,)) == 160


def test_placed_points_fill_the_picture_in_its_own_colours() -> None:
    """They are the control: if they were not where the photo is, every start would be acquitted."""
    view = View(camera(), textured())
    points = placed(cloud([(0, 0, 1)]), view)
    own = points.xyz @ view.camera.camera_from_world[:3, :3].T + view.camera.camera_from_world[:3, 3]
    x, y = (view.camera.fx * own[:, 0] / own[:, 2] + view.camera.cx, view.camera.fy * own[:, 1] / own[:, 2] + view.camera.cy)
    assert np.allclose(own[:, 2], 5)
    assert len(points) == pytest.approx(640, rel=0.1)
    assert points.rgb is not None
    assert np.abs(points.rgb / 255 - view.photo[y.astype(int), x.astype(int)]).max() < 0.01


def test_a_fit_of_one_view_from_placed_points_learns_it_and_tells_its_course() -> None:
    """A desk whose rates were those of a single camera's extent, zero, would move nothing."""
    view = View(camera(), textured())
    heard: list[tuple[int, float]] = []
    found = fit(Desk(differentiable.render, 4.0, lambda: None), (view,), placed(cloud([(0, 0, 0)]), view),
                for_fits(OptimiserSettings(), white=False, steps=80, seed=0), 80, lambda step, psnr: heard.append((step, psnr)))
    assert [step for step, _ in heard] == list(range(10, 81, 10))
    assert found.psnr["one"] > flat_psnr(view.photo) + 6
    assert found.visible["one"] > 600
    shot = found.shots("alone")[0]
    assert shot.rgb.shape == (32, 82, 3)
    assert (shot.rgb[:, 40:42] == 255).all()


def test_render_and_photo_stand_side_by_side_even_where_a_render_is_not_finite() -> None:
    """A picture of a failure is the one that is looked at."""
    shown = beside(np.full((4, 4, 3), np.nan, np.float32), np.ones((4, 4, 3), np.float32))
    assert (shown[:, :4] == 0).all()
    assert (shown[:, 4:] == 255).all()


class _Fitted:
    """Pictures of three views without a training."""

    def __init__(self, pictures: list[np.ndarray]) -> None:
        names = [f"view {i}" for i in range(len(pictures))]
        self.views = tuple(View(camera(name), textured()) for name in names)
        self.pictures, self.psnr = dict(zip(names, pictures, strict=True)), dict.fromkeys(names, 20.0)


def test_a_shift_and_a_gain_are_told_apart() -> None:
    """One leads to the pose probe, the other to the exposure probe."""
    moved = [np.roll(textured(), 1, axis=1)] * 3
    shifted = disagreement(residuals(_Fitted(moved)))  # type: ignore[arg-type]
    assert shifted.shift_px == pytest.approx(1, abs=0.1)
    assert shifted.moved > 0.8
    assert shifted.tint < 1e-6
    tinted = disagreement(residuals(_Fitted([textured() * gain for gain in (0.8, 0.9, 1.0)])))  # type: ignore[arg-type]
    assert tinted.tinted > 0.9
    assert tinted.tint == pytest.approx(1.4826 * np.log(0.9 / 0.8), rel=0.15)
    assert tinted.moved < 0.1


def test_a_black_render_gives_no_gain_and_no_alarm() -> None:
    """A camera that sees nothing has no brightness to compare."""
    found = residuals(_Fitted([np.zeros((32, 40, 3), np.float32)]))  # type: ignore[arg-type]
    assert np.isnan(found[0].log_gains).all()
    assert found[0].tinted == 0
    assert np.isnan(disagreement(found).tint)


def test_only_who_loses_far_more_than_the_others_and_keeps_nearly_nothing_is_at_odds() -> None:
    """Hard views, and views that are still learning, lag as well."""
    views = [Residual(str(i), psnr, 0.0, 0.0, np.zeros(3), 0.0) for i, psnr in enumerate((28, 27, 26, 14, 20))]
    assert lagging(views, 3.0, 3) == ("3", "4")
    lost, gained = {"0": 5.0, "1": 6.0, "3": 14.0, "4": 12.0}, {"0": 20.0, "1": 20.0, "3": 15.0, "4": 20.0}
    assert at_odds(lost, gained, ("3", "4"), 5.0, 0.3) == ("3",)


@pytest.mark.parametrize(("changed", "blame"), [
    ({"settings": 30.0, "start": 30.0, "both": 30.0}, "settings"), ({"background": 30.0, "both": 30.0}, "background"),
    ({"start": 30.0, "both": 30.0}, "start"), ({"both": 30.0}, "settings and start"), ({}, None),
    ({"start": 24.5, "both": 24.5}, None),
])
def test_blame_falls_on_the_first_single_change_that_mends_it(changed: dict[str, float], blame: str | None) -> None:
    """And on nobody where not even everything together does: the photo may be beyond reach."""
    usual = {"flat": 12.0, "own": 22.0, "settings": 12.0, "background": 12.0, "start": 12.0, "both": 12.0}
    trials = Trials(View(camera(), textured()), **{**usual, **changed})
    assert trials.blame(12.0, 3.0) == blame


def test_settings_far_from_the_reference_are_named_and_mild_ones_are_not() -> None:
    """Twice a rate is a choice; a hundredth of it is why nothing learns."""
    values = OptimiserSettings(opacity_lr=0.0005, feature_lr=0.005, adam_eps=1e-3, init_scale=0.1, init_opacity=0.5)
    told = {name: value for name, value, _ in FitSettings(values, (), ()).differing()}
    assert told == {"opacity_lr": 0.0005, "adam_eps": 1e-3}  # MCMC starts at 0.1 and 0.5


def test_pictures_are_made_smaller_by_areas() -> None:
    """As photos are: a save must not lose to its photo by the way it was shrunk."""
    row = np.array([0.0, 1, 2, 3, 4, 5], np.float32).reshape(6, 1, 1)
    assert _averaged(row, 3).ravel().tolist() == [0.5, 2.5, 4.5]
    assert _averaged(row, 4).ravel() == pytest.approx([1 / 3, 5 / 3, 10 / 3, 14 / 3])


@pytest.mark.parametrize(("own", "cures", "severity"), [
    (21.0, {"start": 30.0, "both": 30.0}, "minor"), (21.0, {"settings": 30.0, "both": 30.0}, "major"),
    (14.0, {"start": 30.0, "both": 30.0}, None), (14.0, {"settings": 30.0, "both": 30.0}, None),
])
def test_a_start_that_learns_slowly_is_no_grave_fault(own: float, cures: dict[str, float], severity: str | None) -> None:
    """Many sound trainings begin at random points, and growth makes up for it; a start that learns nothing is critical."""
    usual = {"flat": 12.0, "own": own, "settings": 12.0, "background": 12.0, "start": 12.0, "both": 12.0}
    trials = Trials(View(camera(), textured()), **{**usual, **cures})
    alone = Alone("one", own, 12.0, 5, Whereabouts(10, 5, 1, 1, 3))
    measured = Measured((alone,), FitSettings(OptimiserSettings(), (), ()), 500, trials=trials)
    (cannot, _) = judged(measured, Bars(12.0, 3.0, 0.08, 0.002, 0.05, 0.08, 5.0, 0.3, 6.0, 500))
    assert cannot.finding is not None
    assert cannot.finding.severity == severity
