"""transforms.json is how nerfstudio, instant-ngp and Blender sets tell their cameras: one flipped axis turns every view."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from runs.cameras import Camera
from runs.errors import RunError, UnreadableFile
from runs.formats.cameras.colmap import read_model
from runs.formats.cameras.transforms import photo_name, read_transforms
from tests.support.data import shared_data

# A camera at (1, 2, 3) that looks along the world's +x with +z up, OpenGL axes: right is -y, up is +z, backward is -x.
OPENGL = [[0, 0, -1, 1], [-1, 0, 0, 2], [0, 1, 0, 3], [0, 0, 0, 1]]
OPENCV = [[0, 0, 1, 1], [-1, 0, 0, 2], [0, -1, 0, 3], [0, 0, 0, 1]]  # right is -y, down is -z, forward is +x
FRAME: dict[str, Any] = {"file_path": "images/a.jpg", "transform_matrix": OPENGL}
LENS: dict[str, Any] = {"fl_x": 500.0, "fl_y": 510.0, "cx": 322.0, "cy": 238.0, "w": 640, "h": 480}


def written(folder: Path, frames: list[dict[str, Any]], **top: Any) -> Path:
    path = folder / "transforms.json"
    path.write_text(json.dumps({**top, "frames": frames}))
    return path


def opengl(camera: Camera) -> list[list[float]]:
    return (camera.world_from_camera * [1, -1, -1, 1]).tolist()


def test_opengl_axes_become_opencv_axes(tmp_path: Path) -> None:
    """By hand: the second and third column of the matrix change their sign, the position stays."""
    (frame,) = read_transforms(written(tmp_path, [FRAME], **LENS)).frames
    camera = frame.camera
    np.testing.assert_array_equal(camera.world_from_camera, OPENCV)
    np.testing.assert_array_equal(camera.forward, [1, 0, 0])
    assert (camera.name, camera.fx, camera.fy, camera.cx, camera.cy) == ("a.jpg", 500, 510, 322, 238)
    assert (camera.size_px, camera.split, camera.has_principal_point) == ((640, 480), None, True)
    assert (frame.photo, frame.lens, frame.distortion) == (tmp_path / "images" / "a.jpg", "PINHOLE", ())


def test_points_fall_where_the_colmap_model_sees_them(tmp_path: Path) -> None:
    """The same scene told by both: each of its points is shown at the same pixel."""
    model = read_model(shared_data("scenes", "synth0", "sparse", "0"))
    frames = [{"file_path": f"./images/{c.name}", "transform_matrix": opengl(c), "fl_x": c.fx, "fl_y": c.fy,
               "cx": c.cx, "cy": c.cy, "w": c.size_px[0], "h": c.size_px[1]} for c in model.cameras]
    told = read_transforms(written(tmp_path, frames)).frames
    assert [frame.camera.name for frame in told] == [camera.name for camera in model.cameras]
    assert model.points is not None
    points = np.c_[model.points.xyz, np.ones(len(model.points))]
    for frame, camera in zip(told, model.cameras, strict=True):
        mine, theirs = (points @ c.camera_from_world.T for c in (frame.camera, camera))
        np.testing.assert_allclose(mine, theirs, atol=1e-9)
        assert (frame.camera.fx, frame.camera.cx, frame.camera.size_px) == (camera.fx, camera.cx, camera.size_px)


def test_a_blender_set_tells_the_field_of_view_alone(tmp_path: Path) -> None:
    """Size from a photo's header, focal length from the angle: w / 2 / tan(angle / 2), the same for both axes."""
    (tmp_path / "train").mkdir()
    Image.new("RGBA", (800, 600)).save(tmp_path / "train" / "r_0.png")
    frames = [{"file_path": f"./train/r_{i}", "rotation": 0.1, "transform_matrix": OPENGL, "time": i / 2} for i in range(3)]
    path = written(tmp_path, frames, camera_angle_x=0.6911112070083618)
    told = read_transforms(path, "train")
    camera = told.frames[0].camera
    assert [frame.camera.name for frame in told.frames] == ["train/r_0.png", "train/r_1.png", "train/r_2.png"]
    assert (camera.size_px, camera.split, camera.has_principal_point) == ((800, 600), "train", False)
    assert camera.fx == camera.fy == pytest.approx(1111.1110311937682)
    assert [frame.time for frame in told.frames] == [0, 0.5, 1]


def test_without_size_and_photo_there_is_no_camera(tmp_path: Path) -> None:
    """A size would be invented."""
    told = read_transforms(written(tmp_path, [{"file_path": "./train/r_0", "transform_matrix": OPENGL}], camera_angle_x=0.7))
    assert told.frames == ()
    assert told.notes[0].startswith("1 frame left out (frame 0, counted from 0): the file stores no picture size")


@pytest.mark.parametrize(
    ("values", "lens", "distortion"),
    [
        ({"camera_model": "OPENCV", "k1": 0.1, "k2": 0.2, "p1": 0.3, "p2": 0.4}, "OPENCV", (0.1, 0.2, 0.3, 0.4)),
        ({"camera_model": "OPENCV_FISHEYE", "k1": 0.1, "k2": 0.2, "k3": 0.3, "k4": 0.4}, "OPENCV_FISHEYE", (0.1, 0.2, 0.3, 0.4)),
        ({"camera_model": "OPENCV", "k1": 0.0}, "OPENCV", ()),
        ({"k1": 0.1, "p2": 0.4}, "OPENCV", (0.1, 0.0, 0.0, 0.4)),
        ({"is_fisheye": True, "k1": 0.1}, "OPENCV_FISHEYE", (0.1, 0.0, 0.0, 0.0)),
        ({}, "PINHOLE", ()),
    ],
)
def test_lenses(values: dict[str, Any], lens: str, distortion: tuple[float, ...], tmp_path: Path) -> None:
    """In COLMAP's order, wherever the values stand."""
    (once,) = read_transforms(written(tmp_path, [FRAME], **LENS, **values)).frames
    (each,) = read_transforms(written(tmp_path, [{**FRAME, **LENS, **values}])).frames
    for frame in (once, each):
        assert (frame.lens, frame.distortion) == (lens, distortion)


def test_lists_of_names_tell_the_split(tmp_path: Path) -> None:
    """Validation is held out too; a frame in no list has no split, one that is trained on is not held out."""
    frames = [{**FRAME, "file_path": f"images/{name}.jpg"} for name in "abcde"]
    path = written(tmp_path, frames, **LENS, train_filenames=["images/a.jpg", "./images/b.jpg"], val_filenames=["images/c.jpg"],
                   test_filenames=["images/d.jpg", "images/b.jpg"])
    splits = {frame.camera.name[0]: frame.camera.split for frame in read_transforms(path).frames}
    assert splits == {"a": "train", "b": "train", "c": "test", "d": "test", "e": None}


def test_masks_depths_points_and_what_was_done_to_the_world(tmp_path: Path) -> None:
    """Everything that the file names beside the photos."""
    turn = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, -1, 0.5]]
    frame = {**FRAME, "mask_path": "masks/a.png", "depth_file_path": "depths/a.png"}
    top = {**LENS, "ply_file_path": "sparse_pc.ply", "applied_transform": turn, "applied_scale": 2}
    told = read_transforms(written(tmp_path, [frame], **top))
    assert (told.frames[0].mask, told.frames[0].depth) == (tmp_path / "masks" / "a.png", tmp_path / "depths" / "a.png")
    assert told.points == tmp_path / "sparse_pc.ply"
    assert told.applied is not None
    np.testing.assert_array_equal(told.applied, [[0, 2, 0, 0], [2, 0, 0, 0], [0, 0, -2, 1], [0, 0, 0, 1]])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"file_path": None}, "names no photo"),
        ({"transform_matrix": [[1, 0], [0, 1]]}, "no rotation and position"),
        ({"transform_matrix": "x"}, "no matrix"),
        ({"transform_matrix": [[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0]]}, "no rotation and position"),
        ({"transform_matrix": [[float("nan")] * 4] * 3}, "no rotation and position"),
        ({"w": 0}, "impossible size"),
        ({"w": 1e12}, "impossible size"),
        ({"fl_x": -1, "fl_y": 0}, "no focal length"),
        ({"camera_model": "EQUIRECTANGULAR"}, "no perspective one"),
    ],
)
def test_a_frame_that_makes_no_sense_is_left_out_and_named(change: dict[str, Any], says: str, tmp_path: Path) -> None:
    """The other cameras still open."""
    told = read_transforms(written(tmp_path, [FRAME, {**FRAME, "file_path": "b.jpg", **change}], **LENS))
    assert len(told.frames) == 1
    assert told.notes[0].startswith("1 frame left out (frame 1, counted from 0)")
    assert says in told.notes[0]


@pytest.mark.parametrize(
    ("stored", "name"),
    [
        ("./images/left/1.jpg", "left/1.jpg"), ("images_4/1.jpg", "1.jpg"), ("1.jpg", "1.jpg"), ("../input/1.jpg", "1.jpg"),
        ("/home/x/scene/images/cam0/1.jpg", "cam0/1.jpg"), (r"C:\scene\images\1.jpg", "1.jpg"), ("/somewhere/1.jpg", "1.jpg"),
        (r"images\left\1.jpg", "left/1.jpg"), ("./train/r_0.png", "train/r_0.png"), ("images", "images"),
    ],
)
def test_photos_are_named_as_colmap_would(stored: str, name: str) -> None:
    """Names join files of different tools, and paths come from other machines (T32)."""
    assert photo_name(stored) == name


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "{}", '{"frames": 3}', '{"frames": {}}'])
def test_other_json_is_one_sentence(text: str, tmp_path: Path) -> None:
    """The file is named."""
    path = tmp_path / "transforms.json"
    path.write_text(text)
    with pytest.raises(UnreadableFile, match=r"transforms\.json$"):
        read_transforms(path)


lists = st.lists(st.floats() | st.lists(st.floats()))
values = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | lists
keys = st.sampled_from(sorted({*FRAME, *LENS, "k1", "camera_model", "is_fisheye", "mask_path", "time", "camera_angle_x"}))
tops = st.sampled_from(sorted({*LENS, "applied_transform", "applied_scale", "ply_file_path", "train_filenames", "frames", "w"}))


@given(st.lists(st.dictionaries(keys, values) | values, max_size=3), st.dictionaries(tops, values))
def test_no_content_raises_anything_but_its_sentence(
    tmp_path_factory: pytest.TempPathFactory, frames: list[Any], top: dict[str, Any],
) -> None:
    """Files are edited by hand and by scripts."""
    path = tmp_path_factory.mktemp("set") / "transforms.json"
    path.write_text(json.dumps({"frames": frames, **top}))
    try:
        told = read_transforms(path)
    except RunError:
        return
    assert all(np.isfinite(frame.camera.world_from_camera).all() for frame in told.frames)
