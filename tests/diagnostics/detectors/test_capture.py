"""Cameras and clouds: which outliers are named, and which lopsided captures are left alone."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.diagnose import diagnose
from diagnostics.diagnosis import Reported
from diagnostics.verdict import NotEvaluable
from runs.points import PointCloud
from runs.run import Run, Trainer
from tests.diagnostics.detectors.support import verdict
from tests.diagnostics.fixtures.capture import axes_flipped, carried, two_far_cameras, wide_random_start, world_of_size
from tests.support.runs import ring_cameras
from tests.support.training import healthy_run


def found(run: Run, name: str) -> Reported | None:
    return next((f for f in diagnose(run).findings if f.pattern.name == name), None)


def test_the_outliers_are_named_and_the_factor_told() -> None:
    """The user must know which photos to take out, and what for."""
    reported = found(two_far_cameras(), "extent-inflated-by-outlier-cameras")
    assert reported is not None
    assert set(reported.finding.cameras) == {"view_005.png", "view_020.png"}
    assert reported.finding.facts["inflation"] > 50
    assert any("view_005.png" in fix.do for fix in reported.fixes)


@pytest.mark.parametrize(("count", "times", "expected"), [(4, 100, True), (6, 100, False), (4, 20, False), (2, 20, True)])
def test_a_group_of_cameras_is_wrong_only_where_no_photo_can_be_from(count: int, times: float, expected: bool) -> None:
    """A failed sub-model brings several cameras; an aerial ring around a street walk is a second group, and sound."""
    far = [carried(camera, (times - 1) * camera.centre) for camera in ring_cameras(24)[:: 24 // count]]
    run = healthy_run(cameras=(*(c for c in ring_cameras(24) if c.name not in {f.name for f in far}), *far))
    reported = found(run, "extent-inflated-by-outlier-cameras")
    assert (reported is not None) is expected
    assert reported is None or len(reported.finding.cameras) == count


def test_the_axis_conversion_that_repairs_the_cloud_is_named() -> None:
    """"Different frames" alone leaves the user guessing among four conventions."""
    reported = found(axes_flipped(), "cloud-and-cameras-in-different-frames")
    assert reported is not None
    assert "y and z flipped" in reported.finding.says
    assert any("y and z flipped" in fix.do for fix in reported.fixes)


def test_one_fault_of_the_start_cloud_gets_one_name() -> None:
    """A flipped cloud is not a wide random one, nor the other way round: the fixes differ."""
    assert found(axes_flipped(), "far-initialisation") is None
    assert found(wide_random_start(), "cloud-and-cameras-in-different-frames") is None


def test_a_cloud_of_another_scene_is_told_without_a_repair() -> None:
    """Where no conversion helps, none may be advised."""
    ahead = tuple(camera for camera in ring_cameras(40) if camera.forward[2] > 0.8)
    aside = np.array([-400.0, 0, 0]) + np.random.default_rng(0).normal(0, 0.5, (400, 3))
    run = healthy_run(cameras=ahead, input_points=PointCloud(aside, None, "input.ply"))
    reported = found(run, "cloud-and-cameras-in-different-frames")
    assert reported is not None
    assert "None of the usual axis conversions" in reported.finding.says
    assert len(reported.fixes) == 1


@pytest.mark.parametrize("factor", [0.001, 0.01, 0.05, 1, 100])
def test_the_size_of_the_world_moves_no_start_cloud(factor: float) -> None:
    """COLMAP's unit is arbitrary: where points lie in the pictures does not hang on it."""
    codes = {reported.pattern.code for reported in diagnose(world_of_size(factor)).findings}
    assert codes - {"AF-07"} == ({"N-21"} if factor < 0.1 else set())  # what the near plane cuts pops


def test_the_world_is_asked_to_grow_as_much_as_is_needed() -> None:
    """At 0.15 units from the middle, 0.1 from the nearest point: five times as large, all is drawn, with room."""
    reported = found(world_of_size(0.05), "near-plane-cuts-the-scene")
    assert reported is not None
    assert reported.finding.facts["factor"] == 5
    assert reported.fixes[0].do.startswith("Scale the world up 5 times")


def test_another_trainer_has_another_near_plane() -> None:
    """gsplat draws from 0.01 on; what its near plane was is in no file."""
    run = replace(world_of_size(0.05), trainer=Trainer("gsplat", 0.9, "its configuration"))
    answer = verdict("near-plane-cuts-the-scene", run)
    assert isinstance(answer, NotEvaluable)
    assert "gsplat" in answer.missing[0]
    assert verdict("near-plane-cuts-the-scene", replace(healthy_run(), trainer=run.trainer)) is None


@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_handful_of_cameras_is_never_judged(count: int) -> None:
    """With four cameras each is a quarter of the capture: no share of them says anything."""
    run = healthy_run(cameras=ring_cameras(count), input_points=wide_random_start().input_points)
    for name in ("extent-inflated-by-outlier-cameras", "far-initialisation"):
        assert found(run, name) is None
