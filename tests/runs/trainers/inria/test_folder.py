"""What surrounds the splats of an INRIA run: settings, fork, cameras with their split, data folder and photos."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from runs.errors import UnreadableFile
from runs.open_run import open_run
from tests.support.files import random_gaussians, ring_of_cameras, write_inria_run
from tests.support.torch_zip import TorchZip, inria_capture

OLD_KEYS = "sh_degree=3, source_path='/x', model_path='m', images='images', resolution=-1, white_background=False, eval=False"


def write_photos(data: Path, names: list[str], folder: str = "images") -> Path:
    for name in names:
        path = data / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (4, 3)).save(path)
    return data


def write_model(data: Path, names: list[str], *, centre: tuple[float, float] = (32.0, 24.0), size: str = "64 48") -> Path:
    """A COLMAP text model with one pinhole camera and an image per name."""
    folder = data / "sparse" / "0"
    folder.mkdir(parents=True)
    (folder / "cameras.txt").write_text(f"1 PINHOLE {size} 60 60 {centre[0]} {centre[1]}\n")
    (folder / "images.txt").write_text("".join(f"{i + 1} 1 0 0 0 0 0 4 1 {name}\n\n" for i, name in enumerate(names)))
    (folder / "points3D.txt").write_text("1 0.5 0.25 0 255 0 0 0.75 1 0 2 0\n")
    return data


def names_by_split(folder: Path, data: Path | None = None) -> dict[str | None, list[str]]:
    run = open_run(folder, data)
    return {split: [c.name for c in run.cameras if c.split == split] for split in ("test", "train", None)}


def test_settings_that_were_really_used_win(tmp_path: Path) -> None:
    """opt_args.json holds what the command line changed; cfg_args holds only the model's part of it."""
    folder = write_inria_run(tmp_path)
    (folder / "opt_args.json").write_text('{"iterations": 1500, "sh_degree": 1, "densify_until_iter": 900}')
    settings = open_run(folder).settings
    assert (settings["iterations"].value, settings["iterations"].source) == (1500, "opt_args.json")
    assert settings["sh_degree"].source == "opt_args.json"
    assert settings["white_background"].source == "cfg_args"
    assert settings["percent_dense"].value == 0.01
    assert not settings["percent_dense"].stored


@pytest.mark.parametrize(("extra", "name"), [
    (", cap_max=1000000, init_type='sfm'", "3dgs-mcmc"), (", kernel_size=0.1, ray_jitter=False", "mip-splatting"),
    (", render_items=['RGB', 'Alpha']", "2dgs"), (", load2gpu_on_the_fly=False, is_6dof=False", "deformable-3dgs"),
    (", train_test_exp=False", "inria"), ("", "inria"),
])
def test_forks_are_told_by_their_own_settings(extra: str, name: str, tmp_path: Path) -> None:
    """Advice depends on the fork: the same symptom has other causes under MCMC."""
    trainer = open_run(write_inria_run(tmp_path, iterations=(), cfg_args=f"Namespace({OLD_KEYS}{extra})")).trainer
    assert trainer.name == name
    assert trainer.why
    assert 0.5 <= trainer.confidence <= 0.9


def test_forks_that_share_the_settings_are_told_by_their_checkpoint(tmp_path: Path) -> None:
    """AbsGS has INRIA's keys and fourteen items."""
    folder = write_inria_run(tmp_path, cfg_args=f"Namespace({OLD_KEYS})")
    archive = TorchZip()
    items = inria_capture(random_gaussians(5), archive)
    items[7:10] = [np.zeros((5, 1), np.float32)] * 5
    archive.write(folder / "chkpnt200.pth", (tuple(items), 200))
    trainer = open_run(folder).trainer
    assert (trainer.name, trainer.why) == ("absgs", "chkpnt200.pth is a 14-tuple as AbsGS writes it")


def test_defaults_of_inria_are_not_given_to_a_fork(tmp_path: Path) -> None:
    """A wrong default would be an invented number."""
    assert "densify_until_iter" not in open_run(write_inria_run(tmp_path, cfg_args=f"Namespace({OLD_KEYS}, cap_max=5)")).settings


def test_without_cfg_args_the_layout_is_named_and_the_trainer_is_unknown(tmp_path: Path) -> None:
    """A copied folder opens, and nobody pretends to know who wrote it."""
    folder = write_inria_run(tmp_path)
    (folder / "cfg_args").unlink()
    run = open_run(folder)
    assert run.iterations == (100, 200)
    assert run.trainer.name == "unknown"
    assert "no cfg_args" in run.trainer.why


TRAIN = [f"img_{i:02}.jpg" for i in range(20) if i % 8]
HELD = [f"img_{i:02}.jpg" for i in range(20) if i % 8 == 0]


def test_every_eighth_photo_is_held_out(tmp_path: Path) -> None:
    """INRIA's rule for eval=True, confirmed by the order of the cameras."""
    folder = write_inria_run(tmp_path, cameras=[*HELD, *TRAIN])
    assert names_by_split(folder) == {"test": HELD, "train": TRAIN, None: []}


@pytest.mark.parametrize("with_model", [True, False])
def test_every_eighth_photo_is_held_out_whatever_the_order_of_the_others(with_model: bool, tmp_path: Path) -> None:
    """A trainer may shuffle its training views; with a COLMAP model the count runs over its photos, else over the cameras."""
    data = write_model(tmp_path / "data", [*HELD, *TRAIN]) if with_model else None
    shuffled = TRAIN[:0:-1] if with_model else TRAIN[::-1]  # a photo of the model that the run does not use still counts
    folder = write_inria_run(tmp_path / "run", cameras=[*HELD, *shuffled])
    assert names_by_split(folder, data) == {"test": HELD, "train": shuffled, None: []}


def test_without_evaluation_all_cameras_train(tmp_path: Path) -> None:
    """eval=False is INRIA's default."""
    assert names_by_split(write_inria_run(tmp_path, cameras=TRAIN, evaluated=False))["train"] == TRAIN


def test_a_list_of_test_photos_is_used_where_it_fits(tmp_path: Path) -> None:
    """test.txt names photos with their extension, cameras.json of old versions without."""
    data = write_model(tmp_path / "data", [f"{c}.png" for c in "abcde"])
    (data / "sparse" / "0" / "test.txt").write_text("d.png\nb.png\n")
    folder = write_inria_run(tmp_path / "run", cameras=["b", "d", "a", "c", "e"])
    assert names_by_split(folder, data) == {"test": ["b", "d"], "train": ["a", "c", "e"], None: []}


@pytest.mark.parametrize(("held", "train"), [("bc", "adefghijkl"), ("l", "abcdefghijk"), ("bcdefghijkl", "a")])
def test_names_that_begin_again_mark_the_split(held: str, train: str, tmp_path: Path) -> None:
    """A rule of one's own still leaves its trace: test cameras first, then train cameras, each in order of name."""
    assert names_by_split(write_inria_run(tmp_path, cameras=[*held, *train])) == {"test": [*held], "train": [*train], None: []}


def test_a_split_that_nothing_tells_stays_unknown(tmp_path: Path) -> None:
    """Guessing would mix test views into training statistics."""
    folder = write_inria_run(tmp_path, cameras=[*"abcdefghijkl"])
    assert len(names_by_split(folder)[None]) == 12
    run = open_run(folder)
    assert run.cameras
    assert any("split is unknown" in note.says for note in run.notes)


def test_few_cameras_in_order_prove_nothing(tmp_path: Path) -> None:
    """With eight cameras or fewer, "every eighth" is the first name, which any sorted list confirms."""
    folder = write_inria_run(tmp_path / "run", cameras=["test_0", "test_1", "train_0", "train_1"])
    assert len(names_by_split(folder)[None]) == 4
    data = write_model(tmp_path / "data", ["test_0", "test_1", "train_0", "train_1"])
    assert names_by_split(folder, data)["test"] == ["test_0"]


def test_cameras_written_twice_are_kept_once(tmp_path: Path) -> None:
    """With train_test_exp the test cameras are listed among the training ones again."""
    folder = write_inria_run(tmp_path, cameras=[*HELD, *sorted([*HELD, *TRAIN])])
    assert names_by_split(folder) == {"test": HELD, "train": TRAIN, None: []}


def test_the_principal_point_comes_from_the_model_at_the_cameras_size(tmp_path: Path) -> None:
    """cameras.json lacks it; a model of twice the size must be scaled, and poses must stay the trainer's."""
    data = write_model(tmp_path / "data", ["a.jpg", "b.jpg"], centre=(70.0, 46.0), size="128 96")
    folder = write_inria_run(tmp_path / "run", cameras=["a", "b"], evaluated=False)
    camera = open_run(folder, data).cameras[0]
    assert (camera.cx, camera.cy, camera.fx, camera.has_principal_point) == (35.0, 23.0, 60.0, True)
    stored = ring_of_cameras(["a", "b"])[0]
    np.testing.assert_array_equal(camera.centre, stored["position"])
    bare = open_run(folder)
    assert (bare.cameras[0].cx, bare.cameras[0].has_principal_point) == (32.0, False)
    assert any("principal point" in note.says for note in bare.notes)


def test_sfm_points_come_with_their_errors(tmp_path: Path) -> None:
    """Pose and start diagnostics need reprojection errors and track lengths."""
    data = write_model(tmp_path / "data", ["a.jpg"])
    points = open_run(write_inria_run(tmp_path / "run", cameras=["a.jpg"]), data).sfm_points
    assert points is not None
    np.testing.assert_array_equal(points.xyz, [[0.5, 0.25, 0]])
    assert points.error_px is not None
    assert points.error_px[0] == 0.75


def test_the_folder_that_the_user_names_wins(tmp_path: Path) -> None:
    """A recorded path may exist and be outdated."""
    recorded = write_photos(tmp_path / "old", ["a.jpg"])
    given = write_photos(tmp_path / "new", ["a.jpg"])
    folder = write_inria_run(tmp_path / "run", cameras=["a.jpg"], source=str(recorded))
    assert open_run(folder).data == recorded
    assert open_run(folder, given).data == given
    with pytest.raises(UnreadableFile, match="data folder does not exist"):
        open_run(folder, tmp_path / "nowhere")


@pytest.mark.parametrize("source", [
    "/home/ann/scenes/garden", "D:\\scans\\scenes\\garden", "/elsewhere/garden", "/d/e/f/garden", "../garden",
])
def test_a_data_folder_of_the_same_name_nearby_is_found_and_noted(source: str, tmp_path: Path) -> None:
    """Runs are copied together with their data; paths of another machine, even another system, never exist here."""
    near = write_photos(tmp_path / "scenes" / "garden" if "scenes" in source else tmp_path / "garden", ["a.jpg", "b.jpg"])
    run = open_run(write_inria_run(tmp_path / "runs" / "first", cameras=["a.jpg", "b.jpg"], source=source))
    assert run.data == near
    assert any(source in note.says for note in run.notes)
    assert set(run.photos) == {"a.jpg", "b.jpg"}


@pytest.mark.parametrize(("below", "found"), [("b/c/d", True), ("b/c/d/e", False)])
def test_the_search_ends_four_folders_above_the_run(below: str, found: bool, tmp_path: Path) -> None:
    """Farther up lie other people's projects."""
    near = write_photos(tmp_path / "a" / "garden", ["a.jpg"])
    run = open_run(write_inria_run(tmp_path / "a" / below / "run", cameras=["a.jpg"], source="/data/garden"))
    assert run.data == (near if found else None)


def test_a_data_folder_inside_the_run_is_found(tmp_path: Path) -> None:
    """The embedded sample carries its scene under the scene's own name."""
    folder = write_inria_run(tmp_path / "run", cameras=["a.jpg"], source="/data/scenes/garden")
    assert open_run(folder).data is None
    near = write_photos(folder / "garden", ["a.jpg"])
    assert open_run(folder).data == near


def test_another_scene_of_the_same_name_is_not_taken(tmp_path: Path) -> None:
    """Foreign photos would make a healthy run look broken."""
    write_photos(tmp_path / "scenes" / "garden", ["x.jpg", "y.jpg"])
    run = open_run(write_inria_run(tmp_path / "runs" / "first", cameras=["a.jpg", "b.jpg"], source="/d/scenes/garden"))
    assert run.data is None
    assert run.photos == {}


def test_a_run_that_carries_its_photos_needs_no_data_folder(tmp_path: Path) -> None:
    """The embedded sample is one folder."""
    folder = write_photos(write_inria_run(tmp_path, cameras=["a"]), ["a.png"])
    run = open_run(folder)
    assert run.data == folder
    assert run.photos["a"].size_px == (4, 3)


def test_photos_are_found_by_stem_in_sub_folders_and_by_the_images_setting(tmp_path: Path) -> None:
    """Names in cameras.json come with or without extension and folder, photos lie in `images` or `images_4`."""
    cfg = f"Namespace({OLD_KEYS.replace(chr(39) + 'images' + chr(39), chr(39) + 'images_4' + chr(39))})"
    folder = write_inria_run(tmp_path / "run", cfg_args=cfg)
    (folder / "cameras.json").write_text(json.dumps(ring_of_cameras(["left/0001", "right/0001", "0007.JPG", "gone", "unique"])))
    data = write_photos(tmp_path / "data", ["left/0001.png", "right/0001.png", "0007.jpg", "deep/unique.png"], "images_4")
    write_photos(data, ["0007.jpg"], "images")
    run = open_run(folder, data)
    assert {name: photo.path.relative_to(data).as_posix() for name, photo in run.photos.items()} == {
        "left/0001": "images_4/left/0001.png", "right/0001": "images_4/right/0001.png", "0007.JPG": "images_4/0007.jpg",
        "unique": "images_4/deep/unique.png"}
    says = {note.file: note.says for note in run.notes}
    assert "4 of 5 cameras (gone is missing)" in says[str(data / "images_4")]


def test_a_data_folder_without_the_photos_is_named(tmp_path: Path) -> None:
    """It was given by hand: the user must learn which folder lacks what."""
    foreign = write_photos(tmp_path / "foreign", ["other.jpg"])
    run = open_run(write_inria_run(tmp_path / "run", cameras=["a.jpg"]), foreign)
    assert run.photos == {}
    assert "no readable photo of any camera" in {note.file: note.says for note in run.notes}[str(foreign)]


def test_logs_of_a_run_become_series_and_events(tmp_path: Path) -> None:
    """Metrics files, results and captured output of one folder are merged; each series says where it came from."""
    folder = write_inria_run(tmp_path)
    (folder / "metrics.jsonl").write_text('{"it": 1, "l1": 0.5}\n{"it": 2, "l1": 0.4}\n')
    (folder / "results.json").write_text('{"ours_200": {"PSNR": 27.5, "SSIM": 0.9}}')
    (folder / "train.log").write_text("[ITER 100] Evaluating test: L1 0.05 PSNR 22.5\n")
    run = open_run(folder)
    assert run.series["loss/l1"].source == "metrics.jsonl"
    assert (run.series["test/psnr"].at(100), run.series["test/psnr"].at(200)) == (22.5, 27.5)
    assert [event.kind for event in run.events] == ["evaluation"]


SCORES = {f"{i:05}.png": 20.0 + i for i in range(len(HELD))}


def test_scores_per_view_are_given_to_their_images(tmp_path: Path) -> None:
    """render.py numbers its pictures: "00001.png" is the second test view, not the second photo (trap T38)."""
    folder = write_inria_run(tmp_path, cameras=[*HELD, *TRAIN])
    (folder / "per_view.json").write_text(json.dumps({"ours_7000": {"PSNR": SCORES}}))
    assert open_run(folder).per_view == {7000: {"psnr": dict(zip(HELD, SCORES.values(), strict=True))}}


@pytest.mark.parametrize("cameras", [[*HELD, *TRAIN, "img_24.jpg"], [*"abcdefghijkl"], []])
def test_scores_per_view_keep_their_numbers_where_names_would_be_guessed(cameras: list[str], tmp_path: Path) -> None:
    """A wrong name would send the user to the wrong photo."""
    folder = write_inria_run(tmp_path, cameras=cameras)
    (folder / "per_view.json").write_text(json.dumps({"ours_7000": {"PSNR": SCORES | {"00003.png": 1.0}}}))
    assert set(open_run(folder).per_view[7000]["psnr"]) == {*SCORES, "00003.png"}


def test_a_damaged_per_view_file_is_noted(tmp_path: Path) -> None:
    """It is written last, and a run without it is whole."""
    folder = write_inria_run(tmp_path)
    assert open_run(folder).per_view == {}
    (folder / "per_view.json").write_text('{"ours_7000"')
    run = open_run(folder)
    assert run.per_view == {}
    assert [Path(note.file).name for note in run.notes] == ["per_view.json"]
