"""The lab's scenes: a diagnosis measured on inconsistent data would be worth nothing."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from diagnostics.optimiser.views import View
from runs.cameras import Camera
from runs.formats.cameras.colmap import read_model
from runs.photos import Photo
from tests.lab.scenes import SCENES, Scene, build
from tests.lab.scenes.building import cache_folder
from tests.lab.scenes.fox import fox
from tests.lab.scenes.planting import free_places, surface_distance, surface_places
from tests.lab.scenes.points import KEYPOINT_NOISE
from tests.lab.scenes.tracks import colours_seen, residuals_px

SIZE_PX = 64


@pytest.fixture(autouse=True, scope="module")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing that an earlier run left can hide a fault."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPLATDOCTOR_LAB_CACHE", str(tmp_path_factory.mktemp("lab")))
        yield


@pytest.fixture(params=sorted(SCENES))
def scene(request: pytest.FixtureRequest) -> Scene:
    return SCENES[request.param](SIZE_PX)


def test_keypoints_lie_where_the_cameras_project_their_points(scene: Scene) -> None:
    # Poses, intrinsics, points and tracks are one model: what a detector of bad poses calls healthy.
    assert scene.tracks is not None
    off_px = residuals_px([view.camera for view in scene.views], scene.data.points.xyz, scene.tracks)
    assert np.sqrt((off_px**2).mean()) < 1.5 * KEYPOINT_NOISE * SIZE_PX
    assert off_px.max() < 8 * KEYPOINT_NOISE * SIZE_PX
    lengths = np.bincount(scene.tracks.point_index)
    assert lengths.min() >= 2
    np.testing.assert_array_equal(lengths, scene.data.points.track_lengths)
    np.testing.assert_allclose(np.bincount(scene.tracks.point_index, off_px) / lengths, scene.data.points.error_px, rtol=1e-5)


def test_points_are_as_exact_as_structure_from_motion_makes_them(scene: Scene) -> None:
    # Exact points would start a training better than any user's; a cloud off the surfaces would be a fault.
    off = surface_distance(scene, scene.data.points.xyz) / scene.data.extent
    assert len(scene.data.points) >= 1500
    assert 1e-4 < np.median(off) < 0.01


def test_a_surface_has_one_colour_up_to_gloss(scene: Scene) -> None:
    # Were the photos not pictures of one world, no training of the lab could be healthy.
    assert scene.tracks is not None
    assert scene.data.points.rgb is not None
    seen = colours_seen(scene.views, scene.tracks)
    off = np.abs(seen - scene.data.points.rgb[scene.tracks.point_index] / 255).mean(1)
    strangers = np.abs(seen - np.roll(seen, 97, axis=0)).mean(1)
    assert np.median(off) < 0.04
    assert np.median(off) < 0.3 * np.median(strangers)


def test_every_photo_has_detail_to_match(scene: Scene) -> None:
    # A blank photo says nothing about a pose.
    assert scene.tracks is not None
    assert np.bincount(scene.tracks.image_index).min() > 100
    for view in scene.views:
        assert view.photo[view.photo.max(2) > 0.02].std() > 0.08


def test_a_written_folder_opens_as_the_same_scene(scene: Scene, tmp_path: Path) -> None:
    # The lab's runs are read through the folder that a user would have.
    scene.write(tmp_path)
    model = read_model(tmp_path / "sparse" / "0")
    assert model.notes == ()
    assert [camera.name for camera in model.cameras] == [view.name for view in _by_name(scene)]
    for read, view in zip(model.cameras, _by_name(scene), strict=True):
        np.testing.assert_allclose(read.world_from_camera, view.camera.world_from_camera, atol=1e-12)
        assert _lens(read) == _lens(view.camera)
        pixels = Photo(read.name, tmp_path / "images" / read.name).pixels()
        assert (pixels.shape[2] == 4) == bool(scene.alphas)
        np.testing.assert_allclose(pixels[..., :3] * pixels[..., 3:] if scene.alphas else pixels, view.photo, atol=0.004)


def test_a_written_model_has_the_points_and_their_tracks(scene: Scene, tmp_path: Path) -> None:
    # Detectors of bad registration live on them.
    scene.write(tmp_path)
    model = read_model(tmp_path / "sparse" / "0")
    assert model.points is not None
    assert model.observations is not None
    assert scene.tracks is not None
    for column in ("xyz", "rgb", "track_lengths", "error_px"):
        np.testing.assert_allclose(getattr(model.points, column), getattr(scene.data.points, column), rtol=1e-5)
    seen = model.observations
    read = sorted(zip([seen.image_names[i] for i in seen.image_index], seen.point_index, seen.xy_px.tolist(), strict=True))
    names = [scene.tracks.image_names[i] for i in scene.tracks.image_index]
    told = sorted(zip(names, scene.tracks.point_index, scene.tracks.xy_px.tolist(), strict=True))
    assert [row[:2] for row in read] == [row[:2] for row in told]
    np.testing.assert_allclose([row[2] for row in read], [row[2] for row in told], atol=1e-4)


def _by_name(scene: Scene) -> list[View]:
    return sorted(scene.views, key=lambda view: view.name)


def _lens(camera: Camera) -> dict[str, object]:
    return {key: value for key, value in asdict(camera).items() if key != "world_from_camera"}


def test_a_cached_scene_is_the_fresh_one() -> None:
    # A run must not depend on whether another ran before it.
    fresh = build("statue", 48, seed=5, views=9, test_views=2, points=200)
    files = list(cache_folder().glob("statue-*.npz"))
    again = build("statue", 48, seed=5, views=9, test_views=2, points=200)
    assert list(cache_folder().glob("statue-*.npz")) == files
    for one, other in zip(fresh.views, again.views, strict=True):
        np.testing.assert_array_equal(one.photo, other.photo)
        np.testing.assert_array_equal(one.camera.world_from_camera, other.camera.world_from_camera)
        np.testing.assert_array_equal(fresh.alphas[one.name], again.alphas[other.name])
    for column in ("xyz", "rgb", "error_px", "track_lengths"):
        np.testing.assert_array_equal(getattr(fresh.data.points, column), getattr(again.data.points, column))


def test_a_cache_file_that_was_cut_short_is_made_again() -> None:
    # A full disk or a killed process must not spoil every later run.
    fresh = build("studio", 32, views=6, test_views=1, points=100)
    newest = max(cache_folder().glob("studio-*.npz"), key=lambda path: path.stat().st_mtime_ns)
    newest.write_bytes(newest.read_bytes()[:1000])
    np.testing.assert_array_equal(build("studio", 32, views=6, test_views=1, points=100).data.points.xyz, fresh.data.points.xyz)


def test_another_seed_is_another_capture_of_the_same_kind() -> None:
    # Seeds are the lab's independent samples: copies would make its error bars too small.
    one, other = build("studio", 48, seed=0), build("studio", 48, seed=1)
    assert np.abs(one.data.train[3].photo - other.data.train[3].photo).mean() > 0.02
    assert np.linalg.norm(one.data.train[3].camera.centre - other.data.train[3].camera.centre) > 0.02
    assert one.data.extent == pytest.approx(other.data.extent, rel=0.15)


def test_test_views_stand_apart_from_training_views(scene: Scene) -> None:
    # A test view on top of a training view could not show overfitting.
    train = np.array([view.camera.centre for view in scene.data.train])
    gaps = [np.linalg.norm(train - view.camera.centre, axis=1).min() for view in scene.data.test]
    assert min(gaps) > 0.02 * scene.data.extent


def test_the_principal_point_moves_the_picture() -> None:
    # The fault "principal point ignored" needs cameras whose principal point is truly elsewhere.
    plain, shifted = build("court", 64), build("court", 64, principal_shift=(0.125, 0.0))
    assert shifted.data.train[0].camera.cx == plain.data.train[0].camera.cx + 8
    np.testing.assert_allclose(shifted.data.train[0].photo[:, 8:], plain.data.train[0].photo[:, :-8], atol=0.005)


def test_free_places_are_off_every_surface_and_surface_places_on_one(scene: Scene) -> None:
    # Floaters are planted there and scored: one inside a surface would be no floater.
    loose = surface_distance(scene, free_places(scene, 300, far=0.6))
    fixed = surface_distance(scene, surface_places(scene, 300)[0])
    assert np.median(loose) > 8 * np.median(fixed)
    assert (loose < np.quantile(fixed, 0.9)).mean() < 0.05


def test_the_real_capture_keeps_its_model_when_it_is_shrunk() -> None:
    # Scaled photos under unscaled intrinsics would be the very fault we look for.
    scene = fox(96)
    assert scene.tracks is not None
    assert max(scene.data.train[0].photo.shape) == 96
    assert (len(scene.data.train), len(scene.data.test)) == (43, 7)
    order = {view.name: view.camera for view in scene.views}
    off_px = residuals_px([order[name] for name in scene.tracks.image_names], scene.data.points.xyz, scene.tracks)
    assert np.median(off_px) < 0.1  # 0.3 px in photos of twice 474 px
    assert np.quantile(off_px, 0.99) < 0.4
