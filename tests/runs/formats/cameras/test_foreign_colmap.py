"""Models written by COLMAP's own library, with every lens that has a focal length: our reader must see what COLMAP sees."""

import json
from typing import Any

import numpy as np
import pytest

from runs.arrays import F64
from runs.cameras import Camera
from runs.formats.cameras.colmap import ColmapModel, find_model, read_model
from runs.formats.cameras.colmap_types import CAMERA_MODELS, PANORAMA, is_distorted
from tests.support.exchange import FOREIGN

MODELS = FOREIGN / "colmap"
TRUTH: dict[str, Any] = json.loads((MODELS / "truth.json").read_text("utf-8"))  # as pycolmap's own objects tell


@pytest.fixture(params=["binary", "text"])
def model(request: pytest.FixtureRequest) -> ColmapModel:
    folder = find_model(MODELS / request.param)
    assert folder is not None
    return read_model(folder)


def test_every_camera_stands_where_colmap_says(model: ColmapModel) -> None:
    """Pose, focal lengths and principal point, for each lens model; parameters in another order would show here."""
    assert [camera.name for camera in model.cameras] == sorted(TRUTH["images"])
    for camera in model.cameras:
        told = TRUTH["images"][camera.name]
        np.testing.assert_allclose(camera.camera_from_world[:3], told["camera_from_world"], atol=1e-12)
        np.testing.assert_allclose(camera.centre, told["centre"], atol=1e-12)
        np.testing.assert_allclose([camera.fx, camera.fy, camera.cx, camera.cy], [*told["focal"], *told["principal"]])
        assert camera.size_px == (640, 480)
        assert model.camera_models[camera.name] == told["lens"]


def test_all_lenses_are_there(model: ColmapModel) -> None:
    """A panorama has no focal length; every other lens that COLMAP 4.2 knows is in the model."""
    assert set(model.camera_models.values()) == {lens.name for lens in CAMERA_MODELS.values()} - {PANORAMA}


def shown_px(model: ColmapModel, camera: Camera) -> tuple[F64, F64]:
    """Where our pinhole camera shows the points that an image sees, and where COLMAP found them: float64 [M, 2] each."""
    points, seen = model.points, model.observations
    assert points is not None
    assert seen is not None
    mine = seen.image_index == seen.image_names.index(camera.name)
    xyz = np.c_[points.xyz[seen.point_index[mine]], np.ones(mine.sum())] @ camera.camera_from_world[:3].T
    return xyz[:, :2] / xyz[:, 2:] * [camera.fx, camera.fy] + [camera.cx, camera.cy], seen.xy_px[mine]


def test_keypoints_lie_where_our_cameras_show_their_points_but_for_distorted_lenses(model: ColmapModel) -> None:
    """COLMAP projected them: a flipped axis would miss, and every lens that a pinhole camera misses is told as distorted."""
    for camera in model.cameras:
        shown, found = shown_px(model, camera)
        lens = model.camera_models[camera.name]
        assert is_distorted(lens, model.distortion[camera.name]) is not np.allclose(shown, found, atol=1e-6), lens
    assert model.is_distorted


def test_points_and_keypoints_are_those_of_colmap(model: ColmapModel) -> None:
    """The points that photos are held against."""
    points, seen = model.points, model.observations
    assert points is not None
    assert seen is not None
    by_x, told_points = points.xyz[np.argsort(points.xyz[:, 0])], sorted(TRUTH["points"], key=lambda point: point["xyz"][0])
    np.testing.assert_allclose(by_x, [point["xyz"] for point in told_points], atol=1e-12)
    assert points.rgb is not None
    assert points.rgb[np.argsort(points.xyz[:, 0])].tolist() == [point["rgb"] for point in told_points]
    assert points.track_lengths is not None
    assert set(points.track_lengths) == {point["track"] for point in told_points}
    for index, name in enumerate(seen.image_names):
        mine = seen.image_index == index
        told = np.array(TRUTH["images"][name]["keypoints"])  # in another order in the file
        np.testing.assert_allclose(np.sort(seen.xy_px[mine], axis=0), np.sort(told, axis=0), atol=1e-6)
