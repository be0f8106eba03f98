"""Paths are of another machine and data sets come from many tools: cameras and photos must still be found, or told missing."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from runs.cameras import Camera
from runs.errors import UnreadableFile
from runs.formats.cameras.colmap import read_model
from runs.formats.cameras.dataset import UNSTORED_TURN, DataSet, is_dataset, read_dataset
from runs.notes import NoteBook
from runs.open_run import open_run
from runs.trainers.shared.data_folder import data_root, find_photos, read_data_set
from tests.support.colmap_writer import Image as Posed
from tests.support.colmap_writer import Lens, Model, write_text
from tests.support.data import shared_data
from tests.support.files import random_gaussians, ring_of_cameras, write_inria_run, write_points, write_splats
from tests.support.runs import ring_cameras


def frames_of(cameras: tuple[Camera, ...], folder: str, ending: str = "") -> list[dict[str, Any]]:
    return [{"file_path": f"./{folder}/{Path(c.name).stem}{ending}",
             "transform_matrix": (c.world_from_camera * [1, -1, -1, 1]).tolist()} for c in cameras]


def write_blender(folder: Path, train: tuple[Camera, ...], test: tuple[Camera, ...]) -> Path:
    """As Blender sets are: both parts number their photos from 0, the field of view is the only intrinsic."""
    for part, cameras in (("train", train), ("test", test)):
        (folder / part).mkdir(parents=True)
        named = tuple(replace(camera, name=f"r_{i}.png") for i, camera in enumerate(cameras))
        for camera in named:
            Image.new("RGBA", camera.size_px).save(folder / part / camera.name)
        angle = 2 * np.arctan(cameras[0].size_px[0] / 2 / cameras[0].fx)
        text = json.dumps({"camera_angle_x": float(angle), "frames": frames_of(named, part)})
        (folder / f"transforms_{part}.json").write_text(text)
    return folder


def posed(names: list[str]) -> Model:
    lens = Lens(1, 1, "PINHOLE", (64, 48), (60.0, 60.0, 32.0, 24.0))
    return Model((lens,), tuple(Posed(i, (1.0, 0, 0, 0), (0, 0, float(i)), 1, name, ()) for i, name in enumerate(names)), ())


def opened(folder: Path) -> DataSet:
    found = read_dataset(folder)
    assert found is not None
    return found


def test_a_blender_set_has_both_parts(tmp_path: Path) -> None:
    """Names of both parts are kept apart by their folder, and each says whether it was held out."""
    ring = ring_cameras(8)
    found = opened(write_blender(tmp_path, ring[:6], ring[6:]))
    assert (found.kind, found.is_distorted, found.declares_split) == ("Blender", False, True)
    assert [c.name for c in found.cameras] == ["test/r_0.png", "test/r_1.png", *(f"train/r_{i}.png" for i in range(6))]
    for camera, true in zip(found.cameras, (*ring[6:], *ring[:6]), strict=True):
        np.testing.assert_allclose(camera.world_from_camera, true.world_from_camera)
        assert (camera.fx, camera.size_px) == (pytest.approx(true.fx), true.size_px)
        assert camera.split == camera.name.partition("/")[0]
        assert found.photo_paths[camera.name].is_file()


def test_the_trainer_says_which_kind_comes_first(tmp_path: Path) -> None:
    """INRIA's reads the COLMAP model of a folder that holds both, nerfstudio's the transforms."""
    write_text(posed(["a.png"]), tmp_path / "colmap" / "sparse" / "0")
    lens = {"fl_x": 60, "w": 64, "h": 48}
    (tmp_path / "transforms.json").write_text(json.dumps({**lens, "frames": frames_of(ring_cameras(2), "images", ".png")}))
    assert opened(tmp_path).kind == "COLMAP"
    told = read_dataset(tmp_path, ("transforms", "COLMAP"))
    assert told is not None
    assert (told.kind, len(told.cameras)) == ("transforms", 2)
    np.testing.assert_array_equal(told.world_from_original, UNSTORED_TURN)


@pytest.mark.parametrize("place", ["sparse/0", "sparse", ".", "0", "colmap/sparse/0", "colmap/sparse", "sparse/1"])
def test_a_colmap_model_is_found_wherever_tools_put_it(place: str, tmp_path: Path) -> None:
    """Each trainer has its own idea of the folder."""
    write_text(posed(["a.png", "b.png"]), tmp_path / place)
    assert [camera.name for camera in opened(tmp_path).cameras] == ["a.png", "b.png"]
    assert is_dataset(tmp_path)


@pytest.mark.parametrize(
    ("lists", "splits"),
    [
        ({"sparse/0/test.txt": "b.png\n"}, ["train", "test", "train"]),
        ({"test_list.txt": "b\n\nc.png\n", "train_list.txt": "a.png\n"}, ["train", "test", "test"]),
        ({"test_list.txt": "b\n", "train_list.txt": "a.png\n"}, ["train", "test", None]),
        ({"train_list.txt": "images/a.png\n"}, ["train", "test", "test"]),
        ({"test.txt": "of another scene.png\n"}, [None, None, None]),
        ({}, [None, None, None]),
    ],
)
def test_lists_of_names_divide_a_colmap_model(lists: dict[str, str], splits: list[str | None], tmp_path: Path) -> None:
    """INRIA's list lies beside the model, nerfbaselines' in the data folder."""
    write_text(posed(["a.png", "b.png", "c.png"]), tmp_path / "sparse" / "0")
    for name, text in lists.items():
        (tmp_path / name).write_text(text)
    assert [camera.split for camera in opened(tmp_path).cameras] == splits


def test_points_of_a_transforms_file_lie_in_its_world(tmp_path: Path) -> None:
    """nerfstudio's sparse_pc.ply."""
    xyz = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    write_points(tmp_path / "sparse_pc.ply", xyz, np.full((5, 3), 7))
    lens = {"fl_x": 60, "w": 64, "h": 48, "ply_file_path": "sparse_pc.ply"}
    (tmp_path / "transforms.json").write_text(json.dumps({**lens, "frames": frames_of(ring_cameras(2), "images", ".png")}))
    points = opened(tmp_path).points
    assert points is not None
    np.testing.assert_array_equal(points.xyz, xyz)


def test_no_data_set_and_a_broken_one(tmp_path: Path) -> None:
    """Trouble becomes a note, and the run opens without cameras."""
    assert read_dataset(tmp_path) is None
    assert not is_dataset(tmp_path)
    (tmp_path / "transforms.json").write_text("{")
    book = NoteBook()
    assert read_data_set(tmp_path, book) is None
    assert [Path(note.file).name for note in book] == ["transforms.json"]


@pytest.mark.parametrize("part", [".", "sparse/0", "sparse", "images", "images_4", "transforms.json"])
def test_the_user_may_name_any_part_of_the_data_set(part: str, tmp_path: Path) -> None:
    """People drop what they see."""
    write_text(posed(["a.png"]), tmp_path / "sparse" / "0")
    for folder in ("images", "images_4"):
        (tmp_path / folder).mkdir()
    (tmp_path / "transforms.json").write_text("{}")
    assert data_root(tmp_path / part) == tmp_path


def test_a_data_folder_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    """For every kind of run."""
    write_splats(tmp_path / "a_7.ply", random_gaussians(5))
    with pytest.raises(UnreadableFile, match="this data folder does not exist"):
        open_run(tmp_path, tmp_path / "nothing")


def test_photos_are_found_by_record_then_by_name(tmp_path: Path) -> None:
    """A recorded path of another machine is passed over; masks are never taken for photos."""
    for name in ("masks/a.png", "images_4/a.png", "elsewhere/b.png", "images_4/b.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.new("RGB", (4, 4)).save(tmp_path / name)
    recorded = {"a.png": Path("/another/machine/a.png"), "b.png": tmp_path / "elsewhere" / "b.png"}
    book = NoteBook()
    found = find_photos(tmp_path, "images", ("a.png", "b.png"), book, recorded)
    assert {name: photo.path.relative_to(tmp_path).as_posix() for name, photo in found.items()} == {
        "a.png": "images_4/a.png", "b.png": "elsewhere/b.png"}
    assert not list(book)
    shutil.rmtree(tmp_path / "images_4")
    assert set(find_photos(tmp_path, "images", ("a.png",), book)) == set()


def test_a_turn_that_only_viewers_make_is_told(tmp_path: Path) -> None:
    """EXIF orientation: the photo looks upright in a viewer, and trainers read it lying."""
    (tmp_path / "images").mkdir()
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (8, 4)).save(tmp_path / "images" / "a.jpg", exif=exif)
    book = NoteBook()
    (photo,) = find_photos(tmp_path, None, ("a.jpg",), book).values()
    assert (photo.exif_orientation, photo.size_px, photo.pixels().shape) == (6, (8, 4), (4, 8, 3))
    assert ["EXIF orientation 6" in note.says for note in book] == [True]


@pytest.mark.parametrize("evaluated", [True, False])
def test_names_that_both_parts_of_a_blender_set_use_stay_apart(evaluated: bool, tmp_path: Path) -> None:
    """INRIA's cameras.json calls the first photo of either part r_0; half of the cameras would be lost."""
    ring = ring_of_cameras([f"c{i}" for i in range(8)])
    first, second = (ring[6:], ring[:6]) if evaluated else (ring[:6], ring[6:])
    entries = [{**entry, "img_name": f"r_{i}"} for part in (first, second) for i, entry in enumerate(part)]
    run_folder = write_inria_run(tmp_path / "run", cameras=["x"], evaluated=evaluated)
    (run_folder / "cameras.json").write_text(json.dumps(entries))
    for part, count in (("test", 2), ("train", 6)):
        (tmp_path / "data" / part).mkdir(parents=True)
        for i in range(count):
            Image.new("RGBA", (64, 48)).save(tmp_path / "data" / part / f"r_{i}.png")
    (tmp_path / "data" / "transforms_train.json").write_text('{"camera_angle_x": 0.7, "frames": []}')
    run = open_run(run_folder, tmp_path / "data")
    assert {c.name for c in run.cameras} == {f"train/r_{i}" for i in range(6)} | {"test/r_0", "test/r_1"}
    assert {c.split for c in run.cameras} == ({"train", "test"} if evaluated else {"train"})
    by_name = {c.name: c for c in run.cameras}
    np.testing.assert_array_equal(by_name["test/r_1"].centre, ring[7]["position"])
    assert {name: photo.path.parent.name for name, photo in run.photos.items()} == {n: n.partition("/")[0] for n in by_name}


def test_loose_splats_beside_their_data_set_can_be_diagnosed(tmp_path: Path) -> None:
    """Brush, OpenSplat, a single PLY from anywhere: with --data they have the data set's cameras, photos and points."""
    ply = max(shared_data("runs", "fox-a").glob("point_cloud/*/point_cloud.ply"))
    shutil.copyfile(ply, tmp_path / "fox_3000.ply")
    data = shared_data("scenes", "fox")
    run = open_run(tmp_path / "fox_3000.ply", data)
    model = read_model(data / "sparse" / "0")
    assert [c.name for c in run.cameras] == [c.name for c in model.cameras] == sorted(run.photos)
    for mine, theirs in zip(run.cameras, model.cameras, strict=True):
        np.testing.assert_allclose(mine.world_from_camera, theirs.world_from_camera)
    assert run.sfm_points is not None
    assert run.notes == ()


def test_loose_splats_of_another_world_get_no_cameras(tmp_path: Path) -> None:
    """They would look past the splats, and the diagnosis would blame the poses."""
    shutil.copyfile(max(shared_data("runs", "synth-a").glob("point_cloud/*/point_cloud.ply")), tmp_path / "x_1.ply")
    run = open_run(tmp_path, shared_data("scenes", "fox"))
    assert run.cameras == ()
    assert run.photos == {}
    assert ["do not lie on the points" in note.says for note in run.notes] == [True]


def test_a_run_without_cameras_json_has_those_of_its_data_set(tmp_path: Path) -> None:
    """4DGaussians writes none, and copied runs have often lost it; the split follows the trainer's rule."""
    ring = ring_cameras(9)
    data = write_blender(tmp_path / "blender", ring[:6], ring[6:])
    folder = write_inria_run(tmp_path / "run", evaluated=True)
    run = open_run(folder, data)
    assert {c.name: c.split for c in run.cameras} == {
        **{f"test/r_{i}.png": "test" for i in range(3)}, **{f"train/r_{i}.png": "train" for i in range(6)}}
    assert sorted(run.photos) == sorted(c.name for c in run.cameras)
    assert any("stores no cameras; those of the data set" in note.says for note in run.notes)
    write_text(posed([f"{i}.png" for i in range(10)]), tmp_path / "colmap" / "sparse" / "0")
    held = [c.name for c in open_run(folder, tmp_path / "colmap").cameras if c.split == "test"]
    assert held == ["0.png", "8.png"]
