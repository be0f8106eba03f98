"""The nan probe: the first value that is not finite is named where it comes again, and nothing is invented where it does not."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from diagnostics.diagnose import diagnose
from diagnostics.evidence import Cancelled
from diagnostics.optimiser.context import Context
from diagnostics.optimiser.loss import Target
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.probes.answer import Judged, Result
from diagnostics.probes.ask import ask, bench_at
from diagnostics.probes.bench import Limits, Listener, Wish
from diagnostics.probes.nan_start import start_of
from diagnostics.probes.nan_watch import Broken, Watch, look_at_moments, look_at_parameters
from diagnostics.probes.registry import PROBES, pages
from render.raster.gradients import Gradients
from render.raster.parameters import GROUPS, Parameters
from runs.photos import Photo
from runs.run import Run
from tests.diagnostics.probes.states import with_columns, with_points, with_settings, with_state
from tests.lab.opened import opened

HEALTHY, OTHER = "usual-court-0_court-0_mini", "mcmc-studio_studio-2_mini"
ROWS, QUATS, LOSS = "non-finite-rows", "zero-quaternions", "loss-not-finite"
SHORT = Wish(steps=30)


def judged(result: Result, pattern: str) -> Judged:
    return next(each for each in result.answer.judged if each.pattern == pattern)


def causes(result: Result) -> list[str]:
    """The answer to each of the four, in the protocol's order."""
    rows = [row.what for row in result.answer.rows if row.what.startswith("cause ")]
    assert [what[:10] for what in rows] == [f"cause {i} of 4"[:10] for i in (1, 2, 3, 4)]
    return ["found" if ": found (" in what else "not found" for what in rows]


def changed(run: Run, column: str, change: Callable[[Any], None]) -> Run:
    """The run with a state of which one column is otherwise."""
    values = np.array(run.state_files[-1].state.gaussians.load(column))
    change(values)
    return with_state(run, lambda state: replace(state, gaussians=with_columns(state.gaussians, **{column: values})))


@pytest.mark.parametrize("slug", [HEALTHY, OTHER])
def test_a_sound_training_goes_on(slug: str) -> None:
    """With how far it was from the limits of its numbers; all four causes are answered."""
    result = ask("nan", opened(slug))
    assert result.outcome == "clear"
    assert {each.pattern for each in result.answer.judged} == set(pages()["nan"].settles)
    assert causes(result) == ["not found"] * 4
    assert result.answer.done["finite steps"] == "200 of 200"
    assert next(row.value for row in result.answer.rows if row.what == "largest gradient of a parameter") < 1  # type: ignore[operator]


@pytest.mark.parametrize("slug", ["nan-in-a-few-at-0.68_studio-0_mini", "loss-of-some-views-is-nan-at-2_shelf-0_mini"])
def test_what_does_not_come_again_stays_open(slug: str) -> None:
    """The trainer here is sound: what a broken step did elsewhere must not be blamed on anything that was looked at."""
    result = ask("nan", opened(slug))
    assert result.outcome == "open"
    assert all(each.finding is None and each.missing for each in result.answer.judged)
    assert "this trainer does not do" in result.answer.missing[0]
    assert causes(result) == ["not found"] * 4


def test_a_learning_rate_that_breaks_is_proved_by_a_usual_one() -> None:
    """Only the same stretch at usual rates shows that the rate did it."""
    result = ask("nan", with_settings(opened(HEALTHY), {"scaling_lr": 50.0}))
    found = judged(result, ROWS).finding
    assert found is not None
    assert causes(result)[0] == "found"
    assert "10,000 times the usual rate of the scales" in found.says
    assert found.gaussians is not None
    assert "at usual rates" in found.says


def test_an_overflowing_colour_rate_breaks_the_picture_or_its_gradients() -> None:
    result = ask("nan", with_settings(opened(HEALTHY), {"feature_lr": 1e20}), wish=SHORT)
    assert result.outcome == "finding"
    assert causes(result)[0] == "found"


@pytest.mark.parametrize(("column", "bad", "pattern"), [("log_scales", 60.0, ROWS), ("quats_wxyz", 0.0, QUATS)])
def test_rows_that_cannot_be_used_are_named_though_they_are_finite(column: str, bad: float, pattern: str) -> None:
    """Our renderer passes them over, so their loss is fine; others answer with NaN."""
    def spoil(values: Any) -> None:
        values[[3, 8]] = bad

    run = changed(opened(HEALTHY), column, spoil)
    result = ask("nan", run)
    found = judged(result, pattern).finding
    assert found is not None
    assert found.gaussians is not None
    assert found.gaussians.rows.tolist() == [3, 8]
    assert causes(result)[2] == "found"
    assert sum(row.what.startswith("row ") for row in found.evidence) == 2
    assert pattern in {reported.pattern.name for reported in diagnose(run, probed=[result]).findings}


def test_points_that_are_not_finite_stop_before_the_first_step() -> None:
    run = replace(opened(HEALTHY), checkpoints=(), state_files=())

    def spoil(points: Any) -> Any:
        xyz = np.array(points.xyz)
        xyz[5] = np.inf
        return replace(points, xyz=xyz)

    found = judged(ask("nan", with_points(run, spoil)), ROWS).finding
    assert found is not None
    assert "row 5" in found.says


def test_a_photo_that_is_not_finite_is_the_first_tensor(tmp_path: Path) -> None:
    """Named with its camera, at the step that visits it."""
    run = opened(HEALTHY)
    name = next(camera.name for camera in run.cameras if camera.split == "train")
    pixels = np.asarray(Image.open(run.photos[name].path).convert("L"), np.float32) / 255
    pixels[4, 5] = np.nan
    path = tmp_path / "photo.tiff"
    Image.fromarray(pixels).save(path)
    photos = {**run.photos, name: Photo(name, path)}
    result = ask("nan", replace(run, sources=replace(run.sources, photos=lambda: photos)))
    found = judged(result, LOSS).finding
    assert found is not None
    assert found.cameras == (name,)
    assert "the photo" in found.says
    assert causes(result)[1] == "found"


def test_it_begins_at_the_last_save_before_the_first_bad_one() -> None:
    """Later saves hold the consequence, earlier ones only cost time."""
    assert start_of(bench_at(opened("nan-in-a-few-at-0.68_studio-0_mini"))).iteration == 500
    assert start_of(bench_at(opened(HEALTHY))).iteration == 800
    assert start_of(bench_at(opened(HEALTHY), wish=Wish(iteration=450))).iteration == 400
    assert start_of(bench_at(opened("loss-of-some-views-is-nan-at-2_shelf-0_mini"))).state is None


def test_the_watch_stops_at_each_part_of_a_step() -> None:
    """In the order in which they are computed: what comes later is a consequence."""
    photo, bad = np.full((12, 12, 3), 0.5, np.float32), np.full((12, 12, 3), np.nan, np.float32)
    watch, settings = Watch(), OptimiserSettings()
    for picture, target, tensor in ((photo, bad, "the photo"), (bad, photo, "the picture")):
        with pytest.raises(Broken) as caught:
            watch.loss(picture, Target(target), settings)
        assert caught.value.tensor == tensor
    assert np.isfinite(watch.loss(photo, Target(photo), settings).total)
    parameters = Parameters.of(opened(HEALTHY).state_files[-1].state.gaussians)
    look_at_parameters(parameters)
    for group in GROUPS:
        values = {name: np.array(getattr(parameters, name)) for name in GROUPS}
        values[group].reshape(-1)[0] = np.inf
        with pytest.raises(Broken) as caught:
            watch.gradients(context(), Gradients(**values, means2d_px=np.zeros((1, 2), np.float32)))
        assert (caught.value.stage, caught.value.rows.tolist()) == ("gradients", [0])
        with pytest.raises(Broken):
            look_at_parameters(Parameters(**values))
        with pytest.raises(Broken):
            look_at_moments(group, getattr(parameters, group), values[group])


def context() -> Context:
    nothing = np.zeros((0, 3), np.float32)
    gradients = Gradients(nothing, nothing, np.zeros((0, 4), np.float32), np.zeros(0, np.float32), nothing,
                          np.zeros((0, 0, 3), np.float32), np.zeros((0, 2), np.float32))
    return Context(1, OptimiserSettings(), 1.0, np.random.default_rng(0), gradients)


def test_growth_is_told_of_the_last_gradient() -> None:
    watch = Watch([1.0] * 10 + [500.0])
    assert watch.growth == 500
    assert np.isnan(Watch([1.0, 2.0]).growth)


def test_the_question_stays_open_where_nothing_can_be_trained() -> None:
    run = opened(HEALTHY)
    blind = replace(run, sources=replace(run.sources, photos=dict))
    assert "photos" in ask("nan", blind).answer.missing[0]
    empty = replace(run, checkpoints=(), state_files=(), sources=replace(
        run.sources, input_points=lambda: None, sfm_points=lambda: None))
    assert "points that training started from" in ask("nan", empty).answer.missing[0]
    assert "more time" in ask("nan", run, limits=Limits(seconds=1e-9)).answer.missing[0]


def test_a_stretch_that_found_no_time_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing broke in no steps at all: that is no clear verdict, and no proof that usual rates would do."""
    monkeypatch.setattr("diagnostics.probes.questions.nan.FIRST_PASS", 0.0)
    assert "only 0 of 200 steps" in ask("nan", opened(HEALTHY)).answer.missing[0]
    monkeypatch.undo()
    monkeypatch.setattr("diagnostics.probes.questions.nan.LAST_PASS", 0.0)
    assert causes(ask("nan", with_settings(opened(HEALTHY), {"scaling_lr": 50.0})))[0] == "not found"


def test_it_can_be_called_off() -> None:
    def stop(fraction: float, _text: str) -> None:
        if fraction > 0:
            raise Cancelled

    with pytest.raises(Cancelled):
        ask("nan", opened(HEALTHY), listener=Listener(progress=stop))


def test_the_cost_is_told_before_and_every_limit_has_its_reason() -> None:
    work = PROBES["nan"].workload(bench_at(opened(HEALTHY)))
    assert (work.steps, work.size_px, work.at_least) == (200, (64, 64), True)
    assert set(pages()["nan"].limits) == set(PROBES["nan"].limits)
