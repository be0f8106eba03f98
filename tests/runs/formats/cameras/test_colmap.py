"""COLMAP models give poses, points and the split that most evidence rests on: both encodings must agree, damage must be told."""

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.errors import UnreadableFile
from runs.formats.cameras import colmap_binary
from runs.formats.cameras.colmap import find_model, read_model, sub_models
from runs.formats.cameras.colmap_types import CAMERA_MODELS
from tests.support.colmap_writer import Image, Lens, Model, Point, write_binary, write_text
from tests.support.data import shared_data
from tests.support.hostile import only_our_error

finite = st.floats(-1e6, 1e6, allow_subnormal=False)
positive = st.floats(1e-3, 1e6)
names = st.text("abcXYZ019 _-/.ä", min_size=1, max_size=20).map(lambda text: f"im{text.strip()}.png")


@st.composite
def models(draw: st.DrawFn) -> Model:
    """A consistent model with every lens type, unique names, and keypoints with and without a point."""
    model_id = draw(st.sampled_from(sorted(set(CAMERA_MODELS) - {17})))  # a panorama is no pinhole camera at all
    kind = CAMERA_MODELS[model_id]
    params = tuple(draw(st.lists(positive, min_size=kind.params, max_size=kind.params)))
    lens = Lens(draw(st.integers(1, 2**31 - 1)), model_id, kind.name, (draw(st.integers(1, 10_000)), 480), params)
    ids = draw(st.lists(st.integers(0, 2**40), unique=True, max_size=6))
    keypoint = st.tuples(finite, finite, st.sampled_from([-1, *ids]))
    images = [
        Image(
            number,
            draw(st.tuples(positive, finite, finite, finite)),
            draw(st.tuples(finite, finite, finite)),
            lens.id,
            name,
            tuple(draw(st.lists(keypoint, max_size=4))),
        )
        for number, name in enumerate(draw(st.lists(names, unique=True, min_size=1, max_size=4)))
    ]
    track = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=4).map(tuple)
    points = [
        Point(
            number,
            draw(st.tuples(finite, finite, finite)),
            draw(st.tuples(*[st.integers(0, 255)] * 3)),
            draw(st.floats(-1, 100)),
            draw(track),
        )
        for number in ids
    ]
    return Model((lens,), tuple(images), tuple(points))


def small_model(**changes: object) -> Model:
    """Two images of one lens that see one of two points."""
    parts: dict[str, object] = {
        "lenses": (Lens(7, 1, "PINHOLE", (640, 480), (500.0, 510.0, 321.0, 239.0)),),
        "images": (
            Image(1, (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 2.0), 7, "b.png", ((10.0, 20.0, 5), (30.0, 40.0, -1))),
            Image(2, (0.0, 1.0, 0.0, 0.0), (1.0, 2.0, 3.0), 7, "a.png", ((50.0, 60.0, 5),)),
        ),
        "points": (Point(9, (1.0, 2.0, 3.0), (1, 2, 3), -1.0, ()), Point(5, (4.0, 5.0, 6.0), (4, 5, 6), 0.5, ((1, 0), (2, 0)))),
    }
    return Model(**{**parts, **changes})  # type: ignore[arg-type]


@given(models())
def test_binary_and_text_models_read_the_same(tmp_path_factory: pytest.TempPathFactory, model: Model) -> None:
    """The encoding is an accident of the export; nothing that we show may depend on it."""
    folder = tmp_path_factory.mktemp("model")
    binary, text = read_model(write_binary(model, folder / "b")), read_model(write_text(model, folder / "t"))
    assert [camera.name for camera in binary.cameras] == sorted(image.name for image in model.images)
    for one, other in zip(binary.cameras, text.cameras, strict=True):
        np.testing.assert_array_equal(one.world_from_camera, other.world_from_camera)
        assert (one.name, one.fx, one.fy, one.cx, one.cy, one.size_px) == (
            other.name,
            other.fx,
            other.fy,
            other.cx,
            other.cy,
            other.size_px,
        )
    assert (binary.camera_models, binary.distortion) == (text.camera_models, text.distortion)
    assert binary.observation_counts == text.observation_counts
    assert binary.points is not None
    assert text.points is not None
    np.testing.assert_array_equal(binary.points.xyz, text.points.xyz)
    np.testing.assert_array_equal(binary.points.rgb, text.points.rgb)
    np.testing.assert_array_equal(binary.points.error_px, text.points.error_px)
    assert (binary.observations is None) == (text.observations is None)
    if binary.observations is not None and text.observations is not None:
        np.testing.assert_array_equal(binary.observations.point_index, text.observations.point_index)
        np.testing.assert_array_equal(binary.observations.xy_px, text.observations.xy_px)


@given(models(), st.sampled_from(["cameras", "images", "points3D"]), st.data())
def test_no_damage_escapes_as_another_error(
    tmp_path_factory: pytest.TempPathFactory, model: Model, name: str, data: st.DataObject
) -> None:
    """A half-copied or foreign file is met daily; it must become one sentence, whatever byte it ends or errs at."""
    folder = write_binary(model, tmp_path_factory.mktemp("model"))
    path = folder / f"{name}.bin"
    raw = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(raw) - 1))
    if data.draw(st.booleans()):
        del raw[at:]
    else:
        raw[at : at + 8] = data.draw(st.binary(min_size=8, max_size=8))
    path.write_bytes(raw)
    with only_our_error(path):
        found = read_model(folder)
        assert found.points is None or np.isfinite(found.points.rgb).all()
        assert found.observations is None or (found.observations.point_index < len(model.points)).all()


@pytest.mark.parametrize("read", [
    colmap_binary.read_cameras, colmap_binary.read_images, colmap_binary.count_images, colmap_binary.read_keypoints,
    colmap_binary.read_points,
])
def test_a_file_that_vanishes_is_named(read: Callable[[Path], object], tmp_path: Path) -> None:
    """A model is read when it is first looked at: its disk may be gone by then."""
    with pytest.raises(UnreadableFile, match="No such file") as caught:
        read(tmp_path / "gone.bin")
    assert caught.value.file == tmp_path / "gone.bin"


@pytest.mark.parametrize("name", ["cameras", "images", "points3D"])
def test_every_truncation_is_told(tmp_path: Path, name: str) -> None:
    """A truncated model that opens silently would place Gaussians among half of the cameras."""
    whole = write_binary(small_model(), tmp_path / "whole")
    raw = (whole / f"{name}.bin").read_bytes()
    cut = write_binary(small_model(), tmp_path / "cut")
    for size in range(len(raw)):
        (cut / f"{name}.bin").write_bytes(raw[:size])
        with pytest.raises(UnreadableFile, match=r"truncated|empty"):
            _ = read_model(cut).observations


@pytest.mark.parametrize("name", ["cameras", "images", "points3D"])
def test_counts_beyond_the_file_are_refused_before_memory_is_taken(tmp_path: Path, name: str) -> None:
    """One flipped byte in a count must not ask for exabytes."""
    folder = write_binary(small_model(), tmp_path)
    path = folder / f"{name}.bin"
    path.write_bytes(struct.pack("<Q", 2**63) + path.read_bytes()[8:])
    with pytest.raises(UnreadableFile, match="truncated"):
        _ = read_model(folder).points


def test_pose_is_inverted_into_camera_to_world(tmp_path: Path) -> None:
    """COLMAP stores world-to-camera; mixing the two up is the oldest pose bug there is."""
    a, b = read_model(write_binary(small_model(), tmp_path)).cameras
    np.testing.assert_allclose(b.centre, [0, 0, -2])
    np.testing.assert_allclose(b.forward, [0, 0, 1])
    np.testing.assert_allclose(a.centre, [-1, 2, 3])  # half a turn about x: y and z change sign
    np.testing.assert_allclose(a.forward, [0, 0, -1])
    assert (a.fx, a.fy, a.cx, a.cy, a.size_px, a.has_principal_point) == (500, 510, 321, 239, (640, 480), True)


def test_observations_point_at_rows_not_ids(tmp_path: Path) -> None:
    """Point ids have gaps and any order; reprojection errors need rows."""
    model = read_model(write_binary(small_model(), tmp_path))
    assert model.observations is not None
    assert model.points is not None
    np.testing.assert_array_equal(model.points.xyz[model.observations.point_index], [[4, 5, 6], [4, 5, 6]])
    assert [model.observations.image_names[i] for i in model.observations.image_index] == ["b.png", "a.png"]
    assert model.observation_counts == {"a.png": 1, "b.png": 1}
    np.testing.assert_array_equal(model.points.track_lengths, [0, 2])
    assert np.isnan(model.points.error_px[0])  # type: ignore[index]


def test_a_model_without_keypoints_counts_none_rather_than_zero(tmp_path: Path) -> None:
    """Converted models often drop keypoints: "0 points per image" would be a false alarm."""
    images = (Image(1, (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 2.0), 7, "a.png", ()),)
    model = read_model(write_text(small_model(images=images), tmp_path))
    assert model.observation_counts == {}
    assert model.observations is None


def test_impossible_poses_and_unknown_lenses_are_left_out_and_named(tmp_path: Path) -> None:
    """One broken image must not hide the others."""
    images = (
        Image(1, (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 7, "zero.png", ()),
        Image(2, (1.0, 0.0, 0.0, 0.0), (float("nan"), 0.0, 0.0), 7, "nan.png", ()),
        Image(3, (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 8, "lens.png", ()),
        Image(4, (2.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 7, "good.png", ()),
    )
    model = read_model(write_binary(small_model(images=images), tmp_path))
    assert [camera.name for camera in model.cameras] == ["good.png"]
    assert model.notes == (
        "3 of 4 images left out for an impossible pose or lens (lens.png, nan.png, zero.png); export the model from COLMAP again",
    )


def test_distortion_is_kept_beside_the_pinhole_part(tmp_path: Path) -> None:
    """Trainers refuse or ignore distortion: whoever explains blur needs its numbers."""
    lens = Lens(7, 2, "SIMPLE_RADIAL", (640, 480), (500.0, 320.0, 240.0, -0.05))
    model = read_model(write_text(small_model(lenses=(lens,)), tmp_path))
    camera = model.cameras[0]
    assert (camera.fx, camera.fy, camera.cx, camera.cy) == (500, 500, 320, 240)
    assert model.distortion["a.png"] == (-0.05,)
    assert model.camera_models["a.png"] == "SIMPLE_RADIAL"


def test_unknown_lens_model_is_named(tmp_path: Path) -> None:
    """Its number of parameters is unknown, so nothing after it can be trusted."""
    folder = write_binary(small_model(lenses=(Lens(7, 99, "NEW", (1, 1), (1.0,)),)), tmp_path)
    with pytest.raises(UnreadableFile, match="camera 7 has the unknown lens model 99"):
        read_model(folder)


def test_test_txt_splits(tmp_path: Path) -> None:
    """Scores of training and test views must never be mixed up."""
    folder = write_text(small_model(), tmp_path)
    assert {camera.split for camera in read_model(folder).cameras} == {None}
    (folder / "test.txt").write_text("a.png\n")
    assert [camera.split for camera in read_model(folder).cameras] == ["test", "train"]


def test_the_trainers_model_is_found_and_a_larger_one_is_noted(tmp_path: Path) -> None:
    """INRIA reads sparse/0 whatever else lies there; a larger sibling explains a bad result."""
    one = small_model(images=small_model().images[:1])
    write_binary(one, tmp_path / "sparse" / "0")
    write_text(small_model(), tmp_path / "sparse" / "1")
    assert find_model(tmp_path) == tmp_path / "sparse" / "0"
    assert [(folder.name, images) for folder, images in sub_models(tmp_path / "sparse")] == [("1", 2), ("0", 1)]
    (note,) = read_model(tmp_path / "sparse" / "0").notes
    assert "0 was read and holds 1 images, 1 holds 2" in note


@pytest.mark.parametrize("place", ["sparse/0", "sparse", ".", "0", "colmap/sparse/0", "sparse/3"])
def test_usual_places_are_found(tmp_path: Path, place: str) -> None:
    """A user points at whatever folder they have at hand."""
    write_text(small_model(), tmp_path / place)
    assert find_model(tmp_path) == tmp_path / place


def test_no_model_is_no_error(tmp_path: Path) -> None:
    """Most runs are opened without their data."""
    assert find_model(tmp_path) is None
    with pytest.raises(UnreadableFile, match="no cameras and images"):
        read_model(tmp_path)


@pytest.mark.parametrize(
    ("name", "line", "says"),
    [
        ("cameras", "1 PINHOLE 640 480 500", "lens model PINHOLE with 1 parameters"),
        ("images", "1 1 0 0 zero 0 0 0 7 a.png\n", "line 1"),
        ("points3D", "1 0.0 0.0", "3 values where a point needs 8"),
        ("points3D", "1 0 0 0 nan 0 0 0.5", "line 1"),
    ],
)
def test_a_broken_text_line_is_named(tmp_path: Path, name: str, line: str, says: str) -> None:
    """Text models are edited by hand; the line number is what the user needs."""
    folder = write_text(small_model(), tmp_path)
    (folder / f"{name}.txt").write_text(line)
    with pytest.raises(UnreadableFile, match=says):
        _ = read_model(folder).points


def test_fox_reprojects_within_its_recorded_error() -> None:
    """The strongest check on real data: points projected with our cameras land on COLMAP's keypoints."""
    model = read_model(shared_data("scenes", "fox", "sparse", "0"))
    points, seen = model.points, model.observations
    assert points is not None
    assert seen is not None
    assert (len(model.cameras), len(points), len(seen.xy_px)) == (50, 10_660, 71_390)
    by_name = {camera.name: camera for camera in model.cameras}
    errors = []
    for index, name in enumerate(seen.image_names):
        mine, camera = seen.image_index == index, by_name[name]
        local = points.xyz[seen.point_index[mine]] @ camera.camera_from_world[:3, :3].T + camera.camera_from_world[:3, 3]
        drawn = local[:, :2] / local[:, 2:] * [camera.fx, camera.fy] + [camera.cx, camera.cy]
        errors.append(np.linalg.norm(drawn - seen.xy_px[mine], axis=1))
    assert np.concatenate(errors).mean() == pytest.approx(0.334, abs=0.01)  # recorded: 0.60 px at twice the size


def test_synthetic_scene_has_no_tracks_and_a_split() -> None:
    """Its text points end after the error column, as hand-made models do."""
    model = read_model(shared_data("scenes", "synth0", "sparse", "0"))
    assert model.points is not None
    assert model.points.track_lengths is None
    assert sum(camera.split == "test" for camera in model.cameras) == 4
