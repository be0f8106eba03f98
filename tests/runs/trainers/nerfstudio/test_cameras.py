"""nerfstudio's cameras stand where only the data set and one small file tell; moved by an optimiser where it stored how."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from runs.arrays import F64
from runs.cameras import Camera
from runs.open_run import open_run
from runs.run import Run
from tests.support.colmap_writer import write_binary
from tests.support.files import random_gaussians, write_points
from tests.support.models import model_of
from tests.support.nerfstudio_writer import begun, orient, write_checkpoint, write_movement, write_transforms
from tests.support.runs import points_of, ring_cameras

TURN = np.array([[0.0, 1, 0, 0], [1, 0, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]])  # of nerfstudio's converters
ANY = Rotation.from_euler("xyz", [0.3, -1.1, 2.0]).as_matrix()


def says(run: Run) -> list[str]:
    return [note.says for note in run.notes]


def pixels(camera: Camera, xyz: F64) -> F64:
    """Where points of the camera's world fall."""
    seen = xyz @ camera.camera_from_world[:3, :3].T + camera.camera_from_world[:3, 3]
    return np.stack([camera.fx * seen[:, 0] / seen[:, 2] + camera.cx, camera.fy * seen[:, 1] / seen[:, 2] + camera.cy], axis=1)


def assert_same_views(run: Run, cameras: tuple[Camera, ...], transform: F64, scale: float) -> None:
    """A point of the original world, moved as the trainer moves points, falls on the same pixel of every view."""
    xyz = np.random.default_rng(0).normal(0, 0.5, (30, 3))
    moved = scale * (xyz @ transform[:, :3].T + transform[:, 3])
    told = {camera.name: camera for camera in cameras}
    assert {camera.name for camera in run.cameras} == set(told)
    for camera in run.cameras:
        np.testing.assert_allclose(pixels(camera, moved), pixels(told[camera.name], xyz), atol=1e-4)


class TestCameras:
    """The data set's cameras, turned, centred and scaled as training had them."""

    @pytest.mark.parametrize("converted", [np.eye(4), TURN, np.vstack([np.column_stack([ANY, [0.3, 2.0, -1.0]]), [0, 0, 0, 1]])])
    @pytest.mark.parametrize("scale", [1.0, 2.5])
    def test_views_of_transforms_json(self, converted: F64, scale: float, uneven: tuple[Camera, ...], tmp_path: Path) -> None:
        """Whatever its converter did before. Where that scaled, the run's file maps no point exactly, but cameras it does."""
        transform, size = orient(uneven, converted, ANY, scale)
        write_transforms(tmp_path / "data" / "transforms.json", uneven, converted=converted, scale=scale)
        write_movement(begun(tmp_path / "run"), transform, size)
        run = open_run(tmp_path / "run", tmp_path / "data")
        stored = np.stack([scale * (converted @ [*camera.centre, 1])[:3] for camera in uneven])
        turned = (stored - stored.mean(axis=0)) @ ANY.T
        expected = dict(zip([camera.name for camera in uneven], turned / np.abs(turned).max(), strict=True))
        assert {camera.name for camera in run.cameras} == set(expected)
        for camera in run.cameras:
            np.testing.assert_allclose(camera.centre, expected[camera.name], atol=1e-9)
        if scale == 1:
            assert_same_views(run, uneven, transform, size)

    @pytest.mark.parametrize("in_movement", [True, False])
    def test_a_conversion_that_was_not_stored(self, in_movement: bool, uneven: tuple[Camera, ...], tmp_path: Path) -> None:
        """Older converters stored none; whether the trainer knew of it depends on its version, and the middle tells."""
        transform, size = orient(uneven, TURN, ANY)
        without, _ = orient(uneven, TURN, ANY)
        if not in_movement:
            without = (np.vstack([transform, [0, 0, 0, 1]]) @ np.linalg.inv(TURN))[:3]
        write_transforms(tmp_path / "data" / "transforms.json", uneven, converted=TURN, stored=False)
        (tmp_path / "data" / "colmap" / "sparse" / "0").mkdir(parents=True)
        write_movement(begun(tmp_path / "run"), transform if in_movement else without, size)
        run = open_run(tmp_path / "run", tmp_path / "data")
        assert_same_views(run, uneven, transform, size)

    def test_views_of_a_colmap_model(self, uneven: tuple[Camera, ...], tmp_path: Path) -> None:
        """`ns-train splatfacto … colmap`: views are ordered by the model's image numbers, every eighth is held out."""
        turn = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
        transform, size = orient(uneven, turn, ANY)
        backwards = uneven[::-1]
        points = points_of(random_gaussians(12))
        write_binary(model_of(backwards, points), tmp_path / "data" / "sparse" / "0")
        write_movement(begun(tmp_path / "run", colmap=True), transform, size)
        run = open_run(tmp_path / "run", tmp_path / "data")
        assert_same_views(run, uneven, transform, size)
        assert [camera.name for camera in run.cameras] == [camera.name for camera in backwards]
        assert [i for i, camera in enumerate(run.cameras) if camera.split == "test"] == [0, 8, 16]
        np.testing.assert_allclose(run.input_points.xyz, size * (points.xyz @ transform[:, :3].T + transform[:, 3]))
        np.testing.assert_allclose(run.sfm_points.xyz, points.xyz)

    def test_points_of_transforms_json(self, uneven: tuple[Camera, ...], tmp_path: Path) -> None:
        """What the Gaussians began from lies among the cameras, in the run's world."""
        transform, size = orient(uneven, np.eye(4), ANY)
        xyz = random_gaussians(12).means
        write_points(tmp_path / "data" / "sparse_pc.ply", xyz, np.full((12, 3), 9))
        write_transforms(tmp_path / "data" / "transforms.json", uneven, points="sparse_pc.ply")
        write_movement(begun(tmp_path / "run"), transform, size)
        run = open_run(tmp_path / "run", tmp_path / "data")
        np.testing.assert_allclose(run.input_points.xyz, size * (xyz.astype(float) @ transform[:, :3].T + transform[:, 3]))
        random = begun(tmp_path / "random", settings={"random_init": True})
        write_movement(random, transform, size)
        assert open_run(random, tmp_path / "data").input_points is None

    def test_another_scene_shows_no_cameras(self, uneven: tuple[Camera, ...], tmp_path: Path) -> None:
        """Wrong cameras would raise wrong alarms: those of another data set are told by their middle and size."""
        transform, size = orient(uneven, np.eye(4), ANY)
        write_transforms(tmp_path / "data" / "transforms.json", ring_cameras(20, radius=5.0))
        write_movement(begun(tmp_path / "run"), transform, size)
        run = open_run(tmp_path / "run", tmp_path / "data")
        assert run.cameras == ()
        assert "are not those that were trained on" in says(run)[0]

    def test_without_the_small_file_there_are_none(self, uneven: tuple[Camera, ...], tmp_path: Path) -> None:
        """The run alone does not tell where it moved the scene."""
        write_transforms(tmp_path / "data" / "transforms.json", uneven)
        run = open_run(begun(tmp_path / "run"), tmp_path / "data")
        assert run.cameras == ()
        assert "no dataparser_transforms.json" in says(run)[0]

    def test_without_data_one_sentence_says_how(self, tmp_path: Path) -> None:
        """Nothing else is missed aloud."""
        run = open_run(begun(tmp_path))
        assert (run.cameras, run.photos, run.input_points, run.sfm_points) == ((), {}, None, None)
        assert says(run) == ["stores no cameras; name the data folder that it was trained on to see them (--data)"]

    @pytest.mark.parametrize(("parser", "held_out"), [
        ({"eval_mode": "fraction", "train_split_fraction": 0.9}, [9, 18]),
        ({"eval_mode": "fraction", "train_split_fraction": 1.0}, []),
        ({"eval_mode": "interval", "eval_interval": 7}, [0, 7, 14]),
        ({"eval_mode": "all"}, []),
    ])
    def test_views_are_held_out_as_the_parser_does(
        self, parser: dict[str, Any], held_out: list[int], uneven: tuple[Camera, ...], tmp_path: Path,
    ) -> None:
        """By place in the order of paths; the fraction spreads the trained ones from first to last."""
        transform, size = orient(uneven, np.eye(4), ANY)
        write_transforms(tmp_path / "data" / "transforms.json", uneven[::-1])
        write_movement(begun(tmp_path / "run", parser=parser), transform, size)
        run = open_run(tmp_path / "run", tmp_path / "data")
        assert [i for i, camera in enumerate(run.cameras) if camera.split == "test"] == held_out
        assert [camera.name for camera in run.cameras] == sorted(camera.name for camera in uneven)

    def test_lists_in_the_file_win(self, uneven: tuple[Camera, ...], tmp_path: Path) -> None:
        """train_filenames and val_filenames override every rule."""
        transform, size = orient(uneven, np.eye(4), ANY)
        names = [f"images/{camera.name}" for camera in uneven]
        write_transforms(tmp_path / "data" / "transforms.json", uneven, train_filenames=names[3:], val_filenames=names[:3])
        write_movement(begun(tmp_path / "run"), transform, size)
        run = open_run(tmp_path / "run", tmp_path / "data")
        assert [camera.split for camera in run.cameras] == ["test"] * 3 + ["train"] * 17

    @pytest.mark.parametrize(("parser", "folders", "factor"), [
        ({"downscale_factor": 4}, (), 4), ({}, (2, 4), 2), ({}, (), 1), ({}, (4,), 1),
    ])
    def test_photos_are_shrunken_as_the_parser_does(
        self, parser: dict[str, Any], folders: tuple[int, ...], factor: int, uneven: tuple[Camera, ...], tmp_path: Path,
    ) -> None:
        """Above 1,600 px by halves, as far as folders of smaller photos are there; sizes are rounded down, lenses are not."""
        large = tuple(camera.resized((3_001, 2_001)) for camera in uneven)
        transform, size = orient(large, np.eye(4), ANY)
        write_transforms(tmp_path / "data" / "transforms.json", large)
        for folder in folders:
            path = tmp_path / "data" / f"images_{folder}" / large[0].name
            path.parent.mkdir()
            path.write_bytes(b"never opened")
        write_movement(begun(tmp_path / "run", parser=parser), transform, size)
        camera = open_run(tmp_path / "run", tmp_path / "data").cameras[0]
        assert camera.size_px == (3_001 // factor, 2_001 // factor)
        np.testing.assert_allclose((camera.fx, camera.cy), (large[0].fx / factor, large[0].cy / factor))


class TestPoseDeltas:
    """How far the camera optimizer moved each trained view."""

    def test_rows_belong_to_the_trained_views(self, uneven: tuple[Camera, ...], tmp_path: Path) -> None:
        """In the parser's order, those held out left out."""
        pytest.importorskip("torch")
        transform, size = orient(uneven, np.eye(4), ANY)
        write_transforms(tmp_path / "data" / "transforms.json", uneven)
        write_movement(begun(tmp_path / "run"), transform, size)
        rows = np.arange(18 * 6).reshape(18, 6) / 1024
        write_checkpoint(tmp_path / "run", 9, random_gaussians(3, degree=1), poses=rows)
        run = open_run(tmp_path / "run", tmp_path / "data")
        trained = [camera.name for camera in run.cameras if camera.split == "train"]
        assert list(run.pose_deltas) == trained
        np.testing.assert_array_equal(np.stack(list(run.pose_deltas.values())), rows)

    def test_without_names_places_are_told(self, tmp_path: Path) -> None:
        """No data set is at hand."""
        pytest.importorskip("torch")
        write_checkpoint(begun(tmp_path), 9, random_gaussians(3, degree=1), poses=np.ones((4, 6)))
        assert list(open_run(tmp_path).pose_deltas) == [0, 1, 2, 3]

    def test_without_a_camera_optimizer_there_are_none(self, tmp_path: Path) -> None:
        """It is off by default."""
        pytest.importorskip("torch")
        write_checkpoint(begun(tmp_path), 9, random_gaussians(3, degree=1))
        assert open_run(tmp_path).pose_deltas == {}
