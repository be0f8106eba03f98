"""Cameras of trainers that store none: those of the data set, with one sentence where there are none."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from runs.notes import NoteBook
from runs.points import PointCloud
from runs.trainers.shared.data_world import NO_CAMERAS, NO_DATA_SET, DataWorld, Words
from tests.support.colmap_writer import Lens, Model, write_text
from tests.support.files import write_points
from tests.support.models import model_of
from tests.support.runs import ring_cameras

POINTS = PointCloud(np.random.default_rng(0).normal(size=(6, 3)), None, "made")


def world(folder: Path | None, run: Path = Path("run")) -> tuple[DataWorld, NoteBook]:
    book = NoteBook()
    return DataWorld(run, folder, None, book), book


def test_a_colmap_model_gives_cameras_points_and_photos(tmp_path: Path) -> None:
    """Each of its photos that is there."""
    write_text(model_of(ring_cameras(5), POINTS), tmp_path / "sparse" / "0")
    for camera in ring_cameras(5):
        path = tmp_path / "images" / camera.name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"")
    found, book = world(tmp_path)
    assert [camera.name for camera in found.cameras] == [camera.name for camera in ring_cameras(5)]
    assert len(found.sfm_points) == 6
    assert set(found.photos) == {camera.name for camera in ring_cameras(5)}
    assert list(book) == []


def test_transforms_give_cameras_with_our_axes(tmp_path: Path) -> None:
    """Stored with OpenGL's axes; photos lie where the file says."""
    frames = []
    for camera in ring_cameras(4):
        pose = camera.world_from_camera.copy()
        pose[:3, 1:3] *= -1
        frames.append({"file_path": f"images/{camera.name}", "transform_matrix": pose.tolist()})
        (tmp_path / "images").mkdir(exist_ok=True)
        (tmp_path / "images" / camera.name).write_bytes(b"")
    lens = {"fl_x": 90.0, "fl_y": 90.0, "cx": 48.0, "cy": 48.0, "w": 96, "h": 96}
    (tmp_path / "transforms.json").write_text(json.dumps({**lens, "frames": frames, "ply_file_path": "points.ply"}))
    write_points(tmp_path / "points.ply", POINTS.xyz)
    found, _ = world(tmp_path)
    poses = [[camera.world_from_camera for camera in cameras] for cameras in (found.cameras, ring_cameras(4))]
    np.testing.assert_allclose(*poses, atol=1e-9)
    assert {photo.path.parent.name for photo in found.photos.values()} == {"images"}
    assert len(found.sfm_points) == 6


def test_without_a_folder_nothing_is_there(tmp_path: Path) -> None:
    """The user is told what to name."""
    found, book = world(None)
    assert (found.cameras, found.sfm_points, found.photos) == ((), None, {})
    assert [note.says for note in book] == [NO_CAMERAS]
    found, book = world(tmp_path)
    assert (found.cameras, found.sfm_points, found.photos) == ((), None, {})
    assert [note.says for note in book] == [NO_DATA_SET]


def test_a_kind_that_the_trainer_does_not_read_is_no_data_set(tmp_path: Path) -> None:
    """gsplat's trainer reads COLMAP models alone: a transforms.json beside its photos must not silence why it has no cameras."""
    (tmp_path / "transforms.json").write_text(json.dumps({"frames": []}))
    book = NoteBook()
    found = DataWorld(Path("run"), tmp_path, None, book, ("COLMAP",), Words(no_data_set="holds no model"))
    assert found.cameras == ()
    assert [note.says for note in book] == ["holds no model"]


def test_cameras_of_a_moved_world_are_left_out_where_the_movement_is_not_known(tmp_path: Path) -> None:
    """And moved where it is; photos are those of the cameras that are shown."""
    write_text(model_of(ring_cameras(5), POINTS), tmp_path / "sparse" / "0")
    found, _ = world(tmp_path)
    shifted = found.moved(lambda camera: replace(camera, split="test"))
    assert [camera.split for camera in shifted] == ["test"] * 5
    assert (found.moved(None), found.photos_of((), None)) == ((), {})


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"frames": 3}'])
def test_a_damaged_data_set_is_told_once(content: bytes, tmp_path: Path) -> None:
    """And the run opens without cameras."""
    (tmp_path / "transforms.json").write_bytes(content)
    found, book = world(tmp_path)
    assert (found.cameras, found.sfm_points) == ((), None)
    assert len(list(book)) == 1


def test_a_distorted_lens_is_told(tmp_path: Path) -> None:
    """Its pinhole part fits only the middle of the photo."""
    model = model_of(ring_cameras(3), POINTS)
    lenses = tuple(Lens(lens.id, 2, "SIMPLE_RADIAL", lens.size_px, (*lens.params[1:], 0.1)) for lens in model.lenses)
    write_text(Model(lenses, model.images, model.points), tmp_path / "sparse" / "0")
    found, book = world(tmp_path)
    assert len(found.cameras) == 3
    assert any("its lens is distorted" in note.says for note in book)
