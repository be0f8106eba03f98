"""Brush's exports: iteration in the name, filter in the header, arguments that were changed, the data set next door."""

from pathlib import Path

import numpy as np
import pytest

from runs.gaussians import Gaussians
from runs.open_run import open_run, reopen
from runs.points import PointCloud
from runs.run import Run
from tests.support.colmap_writer import write_text
from tests.support.files import random_gaussians, write_splats
from tests.support.models import model_of
from tests.support.retold_apps import brush_comments, write_brush
from tests.support.runs import ring_cameras
from tests.support.written import assert_same_gaussians

SAVES = {5_000: random_gaussians(20, degree=2, seed=1), 30_000: random_gaussians(31, degree=2, seed=2)}
POINTS = PointCloud(np.random.default_rng(0).normal(size=(9, 3)), None, "made")


def notes(run: Run) -> list[str]:
    return [f"{Path(note.file).name}: {note.says}" for note in run.notes]


def with_data(folder: Path) -> Path:
    """A data set of eight cameras in `folder`/garden, exports in `folder`/garden_exports."""
    write_text(model_of(ring_cameras(8), POINTS), folder / "garden" / "sparse" / "0")
    return write_brush(folder / "garden_exports", SAVES)


@pytest.mark.parametrize("degree", [0, 1, 3, 4])
def test_exports_open_bit_for_bit(degree: int, tmp_path: Path) -> None:
    """Another order of properties, no normals, up to degree 4; zeros before the number are no octal."""
    saves = {iteration: random_gaussians(7, degree=degree, seed=iteration) for iteration in (500, 10_000)}
    run = open_run(write_brush(tmp_path / "out", saves))
    assert (run.trainer.name, run.iterations) == ("brush", (500, 10_000))
    assert "Exported from Brush" in run.trainer.why
    for iteration, gaussians in saves.items():
        assert_same_gaussians(run.checkpoint(iteration).gaussians, gaussians)
    assert (run.state_files, run.series, run.events, run.photos) == ((), {}, (), {})


def test_a_level_of_detail_is_no_later_state_of_the_model(tmp_path: Path) -> None:
    """It is a decimated model trained on: shown in the series, the count would seem to collapse."""
    folder = write_brush(tmp_path / "out", SAVES)
    small = random_gaussians(5, degree=2)
    write_splats(folder / "export_5000_lod1.ply", small, normals=False, comments=brush_comments(small, False))
    run = open_run(folder)
    assert run.iterations == (5_000, 30_000)
    assert notes(run) == ["export_5000_lod1.ply: is a reduced level of detail, trained on from the full one; "
                          "open the file alone to see it"]
    for path in folder.glob("export_?????.ply"):
        path.unlink()
    alone = open_run(folder)
    assert [(one.iteration, one.label, one.count) for one in alone.checkpoints] == [(1, "LOD 1", 5)]


@pytest.mark.parametrize(("mip", "meant"), [(True, True), (False, False)])
def test_the_filter_is_told_by_the_header(mip: bool, meant: bool, tmp_path: Path) -> None:
    """Without it a viewer cannot know whether to compensate opacity."""
    setting = open_run(write_brush(tmp_path / "out", SAVES, mip=mip)).settings["antialiasing"]
    assert (setting.value, setting.source) == (meant, "export_30000.ply")


def test_changed_arguments_are_settings(tmp_path: Path) -> None:
    """Only they are stored; of the rest, what every version has in common, marked as a default."""
    folder = write_brush(tmp_path / "out", SAVES)
    (folder / "args.txt").write_text("--total-train-iters 10000 --lr-mean 3e-5\n--eval-save-to-disk --background-color 0,0,1 "
                                     "--alpha-mode masked --ssim-weight=0.5")
    settings = open_run(folder).settings
    assert {name: settings.value(name) for name in settings if settings[name].stored and name != "antialiasing"} == {
        "total-train-iters": 10_000, "lr-mean": 3e-5, "eval-save-to-disk": True, "background-color": "0,0,1",
        "alpha-mode": "masked", "ssim-weight": 0.5,
    }
    assert settings["iterations"].name == "total-train-iters"
    assert (settings.value("lambda_dssim"), settings.value("sh_degree")) == (0.5, 3)
    assert not settings["sh-degree"].stored
    assert "position_lr_init" not in settings  # another unit: scaled by the bounds of the splats
    assert "refine-every" not in settings  # its default changed between versions


def test_older_arguments_keep_their_name(tmp_path: Path) -> None:
    """Up to 2026 the number of steps was --total-steps."""
    folder = write_brush(tmp_path / "out", SAVES)
    (folder / "args.txt").write_text("--total-steps 12000")
    settings = open_run(folder).settings
    assert (settings["iterations"].name, settings["iterations"].value) == ("total-steps", 12_000)
    assert "total-train-iters" not in settings


def test_exports_of_another_name_are_found(tmp_path: Path) -> None:
    """`export-name` is free; args.txt tells it."""
    folder = tmp_path / "out"
    write_splats(folder / "scan_07000_v2.ply", SAVES[5_000], normals=False, comments=brush_comments(SAVES[5_000], False))
    (folder / "args.txt").write_text("--export-name scan_{iter}_v2.ply")
    assert open_run(folder).iterations == (7_000,)
    (folder / "args.txt").unlink()
    loose = open_run(folder)
    assert loose.trainer.name == "brush"  # by the comment alone


def test_the_data_set_next_door_gives_the_cameras(tmp_path: Path) -> None:
    """Exports lie in `{dataset}_exports` beside the data set, in its world; the user is told which one was taken."""
    run = open_run(with_data(tmp_path))
    assert run.data == tmp_path / "garden"
    assert [camera.name for camera in run.cameras] == [f"view_{i:03d}.png" for i in range(8)]
    np.testing.assert_allclose(run.cameras[3].world_from_camera, ring_cameras(8)[3].world_from_camera, atol=1e-9)
    assert {camera.split for camera in run.cameras} == {None}
    assert len(run.sfm_points) == 9
    assert any(note.startswith("garden: is taken for the data set") for note in notes(run))


def test_every_nth_view_is_held_out_as_the_arguments_say(tmp_path: Path) -> None:
    """By name, the first among them (`split_eval_every`); args.txt may lie in the data set."""
    folder = with_data(tmp_path)
    (tmp_path / "garden" / "args.txt").write_text("--eval-split-every 4")
    run = open_run(folder)
    assert [camera.name for camera in run.cameras if camera.split == "test"] == ["view_000.png", "view_004.png"]
    assert {camera.split for camera in run.cameras} == {"test", "train"}


def test_without_a_data_set_the_rest_opens(tmp_path: Path) -> None:
    """One sentence says what to name."""
    run = open_run(write_brush(tmp_path / "out", SAVES))
    assert run.cameras == ()
    assert notes(run) == ["out: stores no cameras; name the data folder that it was trained on to see them (--data)"]


def test_a_half_written_export_is_left_out(tmp_path: Path) -> None:
    """Brush writes in place; the next look has it."""
    folder = write_brush(tmp_path / "out", SAVES)
    whole = (folder / "export_30000.ply").read_bytes()
    (folder / "export_30000.ply").write_bytes(whole[:-100])
    run = open_run(folder)
    assert run.iterations == (5_000,)
    assert len(notes(run)) == 1
    kept: Gaussians = run.checkpoint(5_000).gaussians
    (folder / "export_30000.ply").write_bytes(whole)
    again = reopen(run)
    assert again.iterations == (5_000, 30_000)
    assert again.checkpoint(5_000).gaussians is kept
