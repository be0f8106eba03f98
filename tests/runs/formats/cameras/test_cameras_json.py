"""cameras.json is often the only record of the views: a wrong pose would move every frustum, a broken one hide them all."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.errors import RunError, UnreadableFile
from runs.formats.cameras.cameras_json import read_camera_file, read_cameras_json
from runs.formats.cameras.colmap import read_model
from tests.support.data import shared_data

GOOD = {
    "id": 0,
    "img_name": "a.jpg",
    "width": 640,
    "height": 480,
    "position": [1, 2, 3],
    "rotation": [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
    "fy": 510.0,
    "fx": 500.0,
}


def written(folder: Path, entries: object) -> Path:
    path = folder / "cameras.json"
    path.write_text(json.dumps(entries))
    return path


def test_an_entry_becomes_a_camera_and_admits_its_missing_principal_point(tmp_path: Path) -> None:
    """The file stores no principal point: the centre is an approximation and says so."""
    (camera,), notes = read_cameras_json(written(tmp_path, [{**GOOD, "extra": {"any": 1}}]))
    assert notes == ()
    np.testing.assert_array_equal(camera.world_from_camera, [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])
    assert (camera.name, camera.fx, camera.fy, camera.cx, camera.cy) == ("a.jpg", 500, 510, 320, 240)
    assert (camera.size_px, camera.split, camera.has_principal_point) == ((640, 480), None, False)


def test_what_other_trainers_add_is_read(tmp_path: Path) -> None:
    """gaussian-splatting-lightning stores the principal point, yindaheng98's package exposures and the photo's path."""
    exposure = [[1, 0, 0, 0.1], [0, 1, 0, 0], [0, 0, 1, 0]]
    more = {"cx": 330.0, "cy": 200.5, "exposure": exposure, "ground_truth_image_path": "/data/a.jpg"}
    odd = {"img_name": "b.jpg", "cx": 1e9, "cy": 2, "exposure": [[1]], "ground_truth_image_path": 3}
    file = read_camera_file(written(tmp_path, [{**GOOD, **more}, {**GOOD, **odd}]))
    first, second = file.cameras
    assert (first.cx, first.cy, first.has_principal_point) == (330, 200.5, True)
    assert (second.cx, second.cy, second.has_principal_point) == (320, 240, False)
    assert {name: matrix.tolist() for name, matrix in file.exposures.items()} == {"a.jpg": exposure}
    assert file.photo_paths == {"a.jpg": "/data/a.jpg"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"img_name": None}, "img_name is missing"),
        ({"width": 0}, "width is missing or no possible number"),
        ({"height": 1e12}, "height is missing or no possible number"),
        ({"fx": float("nan")}, "fx is missing or no possible number"),
        ({"fy": "510"}, "fy is missing or no possible number"),
        ({"position": [1, 2]}, "wrong shape"),
        ({"position": [1, 2, float("inf")]}, "NaN or infinity"),
        ({"rotation": [[1, 0, 0], [0, 1, 0]]}, "wrong shape"),
        ({"rotation": [[2, 0, 0], [0, 2, 0], [0, 0, 2]]}, "not orthonormal"),
        ({"rotation": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}, "right-handed"),
    ],
)
def test_a_bad_entry_is_left_out_and_named(tmp_path: Path, change: dict[str, object], says: str) -> None:
    """The other cameras still open, and the user learns which one is missing and why."""
    cameras, (note,) = read_cameras_json(written(tmp_path, [GOOD, {**GOOD, **change}, GOOD]))
    assert len(cameras) == 2
    assert note.startswith("1 camera left out (entry 1, counted from 0)")
    assert says in note


def test_reasons_are_gathered(tmp_path: Path) -> None:
    """Thousands of broken entries give one sentence, not thousands."""
    cameras, notes = read_cameras_json(written(tmp_path, [3] * 1000))
    assert cameras == ()
    assert notes == ("1,000 cameras left out (entry 0, 1, 2, 3, 4, …, counted from 0): the entry is no object; "
                     "put the file that the trainer wrote in its place",)


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(sorted(GOOD)), st.none() | st.integers() | st.floats() | st.lists(st.floats()), max_size=8
        )
    )
)
def test_no_entry_escapes_as_an_error(tmp_path_factory: pytest.TempPathFactory, changes: list[dict[str, object]]) -> None:
    """Whatever a key holds, the file opens; every entry is either a camera or counted in a note."""
    cameras, notes = read_cameras_json(written(tmp_path_factory.mktemp("run"), [{**GOOD, **change} for change in changes]))
    assert len(cameras) + sum(int(note.split()[0]) for note in notes) == len(changes)
    assert all(np.isfinite(camera.camera_from_world).all() for camera in cameras)


@pytest.mark.parametrize("text", ["", "{", "{}", "3", "[" * 100_000])
def test_other_text_is_one_clear_sentence(tmp_path: Path, text: str) -> None:
    """Half-written while the trainer starts, or another program's cameras.json."""
    path = tmp_path / "cameras.json"
    path.write_text(text)
    with pytest.raises(RunError) as caught:
        read_cameras_json(path)
    assert isinstance(caught.value, UnreadableFile)


def test_agrees_with_the_colmap_model_it_came_from() -> None:
    """Two files of one run describe the same views: poses agree, only the principal point was lost."""
    cameras, notes = read_cameras_json(shared_data("runs", "fox-a", "cameras.json"))
    colmap = {camera.name: camera for camera in read_model(shared_data("scenes", "fox", "sparse", "0")).cameras}
    assert notes == ()
    assert len(cameras) == len(colmap) == 50
    for camera in cameras:
        twin = colmap[camera.name]
        np.testing.assert_allclose(camera.world_from_camera, twin.world_from_camera, atol=1e-9)
        assert (camera.fx, camera.fy, camera.size_px) == (twin.fx, twin.fy, twin.size_px)
        assert (camera.cx, camera.cy) == (133, 237)


def test_inrias_own_file() -> None:
    """As the trainer wrote it for a real capture."""
    cameras, notes = read_cameras_json(shared_data("inria-real", "cameras.json"))
    assert (len(cameras), notes) == (304, ())
