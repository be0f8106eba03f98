"""The two sides of a trial differ by one thing alone: anything else that differs would be taken for the fix."""

from dataclasses import fields, replace

import numpy as np
import pytest

from diagnostics.probes.ask import bench_at
from diagnostics.probes.bench import OutOfReach
from diagnostics.probes.trial_changes import Change
from diagnostics.probes.trial_schedule import Shortening
from diagnostics.probes.trial_sides import Side, Sizes, ground_of, sides_of
from runs.run import Run
from tests.lab.opened import opened

SIZES, SHORT = Sizes(48, 500, 12), Shortening(100, 50, 200, 5_000)
RUN, SHIFTED = "few-poses-off-at-0.2_shelf-0_mini", "principal-point-ignored-at-0.05_corridor-0_mini"


def _sides(change: Change, slug: str = RUN, run: Run | None = None) -> tuple[Side, Side]:
    return sides_of(ground_of(bench_at(run or opened(slug)), change, SIZES), change, SHORT, 5)


def _differing(control: Side, trial: Side) -> set[str]:
    """What a training would notice."""
    one, two = control.settings, trial.settings
    found = {field.name for field in fields(one) if getattr(one, field.name) != getattr(two, field.name)}
    if [view.name for view in control.data.train] != [view.name for view in trial.data.train]:
        found.add("views")
    cameras = [{view.name: view.camera for view in (*side.data.train, *side.data.test)} for side in (control, trial)]
    for name in cameras[1]:
        mine, theirs = cameras[0][name], cameras[1][name]
        found |= {what for what in ("fx", "fy", "cx", "cy") if getattr(mine, what) != getattr(theirs, what)}
        found |= set() if np.array_equal(mine.world_from_camera, theirs.world_from_camera) else {"pose"}
    return found if control.data.points is trial.data.points else found | {"points"}


@pytest.mark.parametrize(("change", "slug", "differs"), [
    (Change("a", 1), RUN, set()),
    (Change("a", 1, settings={"rotation_lr": 0.5}), RUN, {"rotation_lr"}),
    (Change("a", 1, background="white"), RUN, {"white_background"}),
    (Change("a", 1, focal=1.1), RUN, {"fx", "fy"}),
    (Change("a", 1, principal_point=True), SHIFTED, {"cx", "cy"}),
    (Change("a", 1, model_points=True), "start-at-random-in-the-scene-at-0.9_shelf-0_mini", {"points"}),
])
def test_one_thing_differs(change: Change, slug: str, differs: set[str]) -> None:
    assert _differing(*_sides(change, slug)) == differs


def test_cameras_that_are_left_out_are_missing_on_one_side_and_measured_on_none() -> None:
    """A guilty held-out view would punish the side that is right."""
    without = ("train_011.png", "test_001.png")
    control, trial = _sides(Change("a", 1, without=without))
    assert len(control.data.train) == SIZES.most_views  # of twice as many, the one that matters among them
    assert {view.name for view in control.data.train} - {view.name for view in trial.data.train} == {"train_011.png"}
    assert [view.name for view in control.data.test] == [view.name for view in trial.data.test]
    assert "test_001.png" not in {view.name for view in control.measured}
    assert "train_011.png" not in {camera.name for camera in trial.told.cameras}


def test_poses_of_the_model_are_carried_into_the_world_of_the_run() -> None:
    """A run whose cameras were moved gets those of its COLMAP model back."""
    run = opened("usual-court-0_court-0_mini")
    moved = []
    for number, camera in enumerate(run.cameras):
        pose = camera.world_from_camera.copy()
        pose[:3, 3] += 0.05 * number * pose[:3, 0] if number % 3 == 0 else 0.0
        moved.append(replace(camera, world_from_camera=pose))
    wrong = replace(run, sources=replace(run.sources, cameras=lambda: tuple(moved)))
    control, trial = _sides(Change("a", 1, model_poses=True), run=wrong)
    right = {camera.name: camera.world_from_camera for camera in run.cameras}
    assert _differing(control, trial) == {"pose"}
    for view in trial.data.train:
        np.testing.assert_allclose(view.camera.world_from_camera, right[view.name], atol=1e-5)


@pytest.mark.parametrize(("change", "why"), [
    (Change("a", 1, background="black"), "another background than the run's own black"),
    (Change("a", 1, principal_point=True), "it drew around it already"),
    (Change("a", 1, model_poses=True), "it was trained with those"),
    (Change("a", 1, model_points=True), "it started from those"),
    (Change("a", 1, without=("nobody.png",)), "photos of the cameras that the fix leaves out"),
    (Change("a", 1, without=tuple(f"train_{n:03}.png" for n in range(24))), "at least 3 training views that stay"),
])
def test_a_trial_that_would_change_nothing_is_refused(change: Change, why: str) -> None:
    """Else the noise of two equal trainings would be told as an outcome."""
    with pytest.raises(OutOfReach, match=why):
        _sides(change)
