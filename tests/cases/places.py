"""Reports about where things stand: coordinates of a survey, a few cameras far away."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from diagnostics.diagnosis import Diagnosis
from runs.arrays import F64
from runs.cameras import Camera
from runs.points import PointCloud
from runs.writers.inria import InriaWriter
from tests.cases.public import Input, PublicCase, cameras_named, codes, said
from tests.support.runs import changed, cloud, points_of, ring_cameras
from tests.support.training import SETTINGS, healthy_series

SURVEY = np.array([500_000.0, 4_649_776.0, 120.0])
AWAY = frozenset({"view_003.png", "view_060.png", "view_111.png", "view_180.png"})


def _carried(camera: Camera, by: F64) -> Camera:
    pose = camera.world_from_camera.copy()
    pose[:3, 3] += by
    return replace(camera, world_from_camera=pose)


def in_survey_coordinates(folder: Path) -> Input:
    """metashape-scripts#66: cameras and points at an easting of 500,000 and a northing of 4,649,776, over 60 m."""
    base = cloud(2_000, seed=66, spread=20.0)
    cameras = tuple(_carried(camera, SURVEY) for camera in ring_cameras(40, radius=30.0))
    placed = changed(base, means=(base.means + SURVEY).astype(np.float32))
    told = points_of(base)
    points = PointCloud((told.xyz + SURVEY).astype(np.float32).astype(np.float64), told.rgb, "input.ply")
    writer = InriaWriter(folder, "/data/scene")
    writer.begin(cameras, points, SETTINGS)
    writer.save(2_000, placed)
    writer.finish()
    return Input(folder)


def four_cameras_far_away(folder: Path) -> Input:
    """brush#119: 200 cameras on a ring of one unit that look inward, four of them registered 500 units away."""
    ring = ring_cameras(204, radius=1.0)
    cameras = tuple(_carried(camera, np.array([500.0, 0.0, 0.0])) if camera.name in AWAY else camera for camera in ring)
    base = cloud(1_500, seed=119, spread=0.4)
    writer = InriaWriter(folder, "/data/scene")
    writer.begin(cameras, points_of(base), SETTINGS)
    series = healthy_series()
    for iteration in range(1, 2_001):
        writer.log(iteration, {"l1": series["loss/l1"][iteration], "n": 1_500})
    writer.save(2_000, base)
    writer.finish()
    return Input(folder)


def _names_the_four(diagnosis: Diagnosis) -> None:
    assert cameras_named(diagnosis, "N-01") == AWAY


def _half_a_metre(diagnosis: Diagnosis) -> None:
    assert "0.5" in said(diagnosis, "N-02")


CASES = (
    PublicCase(
        "agisoft-llc/metashape-scripts#66", in_survey_coordinates,
        why="Float32 steps of 0.03 m in x and 0.5 m in y: recentre before training. The poses are not at fault.",
        must=codes("N-02"), must_not=codes("IF-04 N-20 AF-08 N-01"), check=_half_a_metre,
    ),
    PublicCase(
        "ArthurBrussee/brush#119", four_cameras_far_away,
        why="Four cameras make the extent, and with it every step, hundreds of times too large. The learning rate as set is "
            "not at fault.",
        must=codes("N-01"), must_not=codes("OF-01 N-20"), check=_names_the_four,
    ),
)
