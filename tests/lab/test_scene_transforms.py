"""Transformations of the lab's scenes: a fault that also breaks something else would be blamed for it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from diagnostics.optimiser.views import View
from runs.formats.cameras.colmap import read_model
from runs.photos import Photo
from tests.lab.scenes import Scene, build, transforms
from tests.lab.scenes import photo_transforms as photos
from tests.lab.scenes.tracks import mean_errors_px, residuals_px


@pytest.fixture(autouse=True, scope="module")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPLATDOCTOR_LAB_CACHE", str(tmp_path_factory.mktemp("lab")))
        yield


@pytest.fixture
def scene() -> Scene:
    return build("studio", 48, views=12, test_views=3, points=400)


@pytest.fixture
def statue() -> Scene:
    return build("statue", 48, views=12, test_views=3, points=400)


def _off_px(scene: Scene) -> float:
    """Root mean square of the reprojection errors."""
    assert scene.tracks is not None
    cameras = {view.name: view.camera for view in scene.views}
    off = residuals_px([cameras[name] for name in scene.tracks.image_names], scene.data.points.xyz, scene.tracks)
    return float(np.sqrt(np.mean(off**2)))


def _changed(one: Scene, other: Scene, part: Callable[[View], object]) -> list[str]:
    """The names of the views whose part differs."""
    pairs = zip(one.views, other.views, strict=True)
    return [a.name for a, b in pairs if not np.array_equal(np.asarray(part(a)), np.asarray(part(b)))]


def _photo(view: View) -> object:
    return view.photo


def _pose(view: View) -> object:
    return view.camera.world_from_camera


PHOTO_FAULTS: dict[str, Callable[[Scene, tuple[str, ...]], Scene]] = {
    "blurred": lambda scene, names: photos.blurred(scene, 1.5, names),
    "motion": lambda scene, names: photos.motion_blurred(scene, 4, names),
    "exposed": lambda scene, names: photos.exposed(scene, dict.fromkeys(names, 1.3)),
    "noisy": lambda scene, names: photos.noisy_photos(scene, 0.05, names),
    "swapped channels": photos.channels_swapped,
    "passers-by": lambda scene, names: photos.passers_by(scene, 0.5, names),
}


@pytest.mark.parametrize("fault", PHOTO_FAULTS)
def test_a_photo_fault_touches_the_named_photos_only(fault: str, scene: Scene) -> None:
    # The score of guilty cameras counts on these names.
    names = photos.drawn(scene, 0.25, seed=3)
    spoilt = PHOTO_FAULTS[fault](scene, names)
    assert len(names) == 3
    assert _changed(scene, spoilt, _photo) == list(names)
    assert _changed(scene, spoilt, _pose) == []
    assert all(view.photo.dtype == np.float32 and 0 <= view.photo.min() <= view.photo.max() <= 1 for view in spoilt.views)


def test_blur_takes_detail_and_keeps_brightness(scene: Scene) -> None:
    # A blur that darkened photos would be found as an exposure fault.
    for spoilt in (photos.blurred(scene, 1.5), photos.motion_blurred(scene, 5)):
        for before, after in zip(scene.views, spoilt.views, strict=True):
            assert np.abs(np.diff(after.photo, axis=1)).mean() < 0.8 * np.abs(np.diff(before.photo, axis=1)).mean()
            assert after.photo.mean() == pytest.approx(before.photo.mean(), rel=0.06)


def test_exposure_drift_has_the_spread_that_was_asked_for(scene: Scene) -> None:
    # The strength of a fault is an axis of the scoreboard.
    drifted = photos.exposure_drift(scene, 0.2)
    gains = [np.median(b.photo[a.photo > 0.2] / a.photo[a.photo > 0.2]) for a, b in zip(scene.views, drifted.views, strict=True)]
    assert 0.1 < np.std(np.log(gains)) < 0.3


def test_swapped_photos_are_the_same_photos(scene: Scene) -> None:
    # Each under another camera's name, none lost.
    spoilt = photos.photos_swapped(scene, 0.5)
    assert _changed(scene, spoilt, _photo) == list(photos.drawn(scene, 0.5))
    assert sorted(view.photo.sum() for view in spoilt.views) == sorted(view.photo.sum() for view in scene.views)
    with pytest.raises(ValueError, match="larger share"):
        photos.photos_swapped(scene, 0.01)


def test_a_cut_out_on_a_colour_is_that_colour_where_nothing_is(statue: Scene) -> None:
    # The wrong-background faults start here.
    laid = photos.on_background(statue, (1.0, 0.5, 0.0))
    assert not laid.alphas
    for before, after in zip(statue.views, laid.views, strict=True):
        alpha = statue.alphas[before.name]
        np.testing.assert_allclose(after.photo[alpha == 0], np.broadcast_to([1, 0.5, 0], ((alpha == 0).sum(), 3)), atol=1e-6)
        np.testing.assert_allclose(after.photo[alpha == 1], before.photo[alpha == 1], atol=1e-6)
    corners = [view.photo[0, 0] for view in photos.on_background(statue, "random").views]
    assert len({tuple(corner) for corner in corners}) == len(corners)


def test_a_background_needs_alpha(scene: Scene) -> None:
    # Laying an opaque photo on white would silently do nothing.
    with pytest.raises(ValueError, match="cut_out"):
        photos.on_background(scene, (1.0, 1.0, 1.0))
    white = photos.on_background(photos.cut_out(scene), (1.0, 1.0, 1.0))
    assert white.data.train[0].photo[0, 0].tolist() == [1, 1, 1]


@pytest.mark.parametrize("kind", ["band", "patches"])
def test_masks_hide_the_share_that_was_asked_for_and_are_written(kind: str, scene: Scene, tmp_path: Path) -> None:
    # A mask counts where it is 1.
    spoilt = photos.masked(scene, 0.5, kind)
    spoilt.write(tmp_path)
    for view in spoilt.views:
        assert view.mask is not None
        assert 1 - view.mask.mean() == pytest.approx(0.5, abs=0.04)
        stored = Photo(view.name, tmp_path / "masks" / view.name).pixels()
        np.testing.assert_array_equal(stored[..., 0], view.mask)


def test_smaller_photos_keep_their_geometry(scene: Scene) -> None:
    # Otherwise a healthy control at another size would be a sick run.
    small = transforms.downscaled(scene, 2)
    assert small.data.train[0].photo.shape == (24, 24, 3)
    assert _off_px(small) == pytest.approx(_off_px(scene) / 2)
    again = transforms.rebuilt(scene, size_px=96)
    assert again.data.train[0].camera.fx == 2 * scene.data.train[0].camera.fx
    np.testing.assert_allclose(again.data.train[0].camera.centre, scene.data.train[0].camera.centre)
    with pytest.raises(ValueError, match="divided by 5"):
        transforms.downscaled(scene, 5)


def test_fewer_views_keep_what_those_views_saw(scene: Scene, tmp_path: Path) -> None:
    # Tracks of photos that are not there would make the model unreadable.
    few = transforms.without_test(transforms.fewer_views(scene, 4))
    assert (len(few.data.train), len(few.data.test), len(few.data.points)) == (4, 0, 400)
    few.write(tmp_path)
    model = read_model(tmp_path / "sparse" / "0")
    assert len(model.cameras) == 4
    assert model.observations is not None
    assert few.data.points.track_lengths is not None
    assert len(model.observations.xy_px) == few.data.points.track_lengths.sum()


def test_fewer_points_keep_their_own_tracks(scene: Scene) -> None:
    # A track that moved to another point would be a wrong match.
    few = transforms.points_kept(scene, 50)
    assert len(few.data.points) == 50
    assert few.tracks is not None
    assert _off_px(few) < 1.2 * _off_px(scene)
    np.testing.assert_array_equal(np.bincount(few.tracks.point_index), few.data.points.track_lengths)


CAMERA_FAULTS: dict[str, Callable[[Scene], Scene]] = {
    "poses": lambda scene: transforms.perturbed_poses(scene, 0.01, 1.0),
    "focal": lambda scene: transforms.focal_scaled(scene, 1.1),
    "principal": lambda scene: transforms.principal_centred(transforms.rebuilt(scene, principal_shift=(0.1, 0.0))),
    "axes": transforms.opengl_axes,
    "inverted": transforms.poses_inverted,
    "cloud scaled": lambda scene: transforms.points_scaled(scene, 3),
    "cloud moved": lambda scene: transforms.points_moved(scene, (0.2, 0, 0)),
    "cloud turned": lambda scene: transforms.points_turned(scene, (90, 0, 0)),
    "cloud noisy": lambda scene: transforms.points_noisy(scene, 0.02),
    "outliers": lambda scene: transforms.points_with_outliers(scene, 0.2, 1.0),
}


@pytest.mark.parametrize("fault", CAMERA_FAULTS)
def test_a_lie_about_geometry_shows_in_the_reprojection(fault: str, scene: Scene) -> None:
    # Photos and keypoints stay as they were taken, so the lie can be found at all.
    spoilt = CAMERA_FAULTS[fault](scene)
    assert _off_px(spoilt) > 3 * _off_px(scene)
    if fault != "principal":
        assert _changed(scene, spoilt, _photo) == []


def test_perturbed_poses_come_with_the_errors_that_they_cause(scene: Scene) -> None:
    # As in a model whose poses came from another device.
    names = photos.drawn(scene, 0.25)
    spoilt = transforms.perturbed_poses(scene, 0.01, 1.0, names)
    assert _changed(scene, spoilt, _pose) == list(names)
    assert spoilt.tracks is not None
    cameras = [view.camera for view in spoilt.views]
    np.testing.assert_allclose(spoilt.data.points.error_px, mean_errors_px(cameras, spoilt.data.points.xyz, spoilt.tracks))


def test_a_moved_world_is_as_healthy_as_it_was(scene: Scene) -> None:
    # Geographic coordinates are no fault of the data, only of float32.
    moved = transforms.moved_world(scene, (5e5, -3e5, 100.0), scale=2.5, turn_deg=(20.0, 0.0, 70.0))
    assert _off_px(moved) == pytest.approx(_off_px(scene), rel=1e-4)
    assert moved.data.extent == pytest.approx(2.5 * scene.data.extent)
    assert moved.world is not None
    near = transforms.moved_world(scene, (3.0, -2.0, 1.0), scale=2.5, turn_deg=(20.0, 0.0, 70.0))
    assert near.world is not None
    pictures = zip(scene.data.test, near.data.test, strict=True)
    # The ambient light comes from the world's z, so the shade may differ a little; shapes and patterns may not.
    assert max(np.abs(near.world.picture(b.camera)[..., :3] - a.photo).mean() for a, b in pictures) < 0.02


def test_points_without_structure_from_motion_have_no_tracks(scene: Scene, tmp_path: Path) -> None:
    # A random start must not carry evidence that nobody measured.
    random = transforms.points_random(scene, 300, 1.2)
    assert random.tracks is None
    assert len(random.data.points) == 300
    random.write(tmp_path)
    model = read_model(tmp_path / "sparse" / "0")
    assert model.points is not None
    assert model.points.track_lengths is None
    assert model.points.error_px is not None
    assert np.isnan(model.points.error_px).all()


def test_points_of_one_place_and_without_colour(scene: Scene) -> None:
    # The starts of "zero covariance" and "grey start".
    assert np.ptp(transforms.points_of_one_place(scene).data.points.xyz, axis=0).max() == 0
    assert set(np.unique(transforms.points_without_colour(scene).data.points.rgb)) == {128}


def test_transformations_leave_the_given_scene_alone(scene: Scene) -> None:
    # Scenes are shared by many runs.
    before = [view.photo.copy() for view in scene.views], scene.data.points.xyz.copy()
    for change in (*CAMERA_FAULTS.values(), photos.channels_swapped, lambda given: photos.exposure_drift(given, 0.3)):
        change(scene)
    for view, photo in zip(scene.views, before[0], strict=True):
        np.testing.assert_array_equal(view.photo, photo)
    np.testing.assert_array_equal(scene.data.points.xyz, before[1])
    assert replace(scene).arguments == scene.arguments
