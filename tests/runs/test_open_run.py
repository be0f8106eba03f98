"""Whatever a user names either opens, with notes about what could not be read, or says in one sentence what it is."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from runs.errors import NotARun, RefusedFile, UnreadableFile
from runs.open_run import open_run
from runs.run import Run
from tests.support.data import shared_data
from tests.support.files import faces, inria_columns, random_gaussians, write_inria_run, write_ply, write_points, write_splats
from tests.support.torch_zip import TorchZip, write_inria_state


def splat_file(run: Path, iteration: int) -> Path:
    return run / "point_cloud" / f"iteration_{iteration}" / "point_cloud.ply"


def says(run: Run, file: Path) -> str:
    return "\n".join(note.says for note in run.notes if note.file == str(file))


def test_a_whole_run_opens(tmp_path: Path) -> None:
    """The main job: what INRIA's trainer leaves becomes checkpoints, settings, cameras and points."""
    folder = write_inria_run(tmp_path / "mein Lauf é", cameras=[f"{i:03}.jpg" for i in range(10)], iterations=(7000, 30000, 200))
    write_inria_state(folder / "chkpnt30000.pth", random_gaussians(20, degree=1), 30000)
    run = open_run(folder)
    assert run.iterations == (200, 7000, 30000)
    assert [c.count for c in run.checkpoints] == [20, 20, 20]
    assert run.checkpoints[0].sh_degree == 1
    np.testing.assert_array_equal(run.checkpoints[2].gaussians.means, random_gaussians(20, degree=1, seed=30000).means)
    assert [s.state.iteration for s in run.state_files] == [30000]
    assert (run.trainer.name, run.trainer.confidence) == ("inria", 0.9)
    assert len(run.cameras) == 10
    assert run.input_points is not None
    assert len(run.input_points) == 20
    assert run.settings["sh_degree"].source == "cfg_args"
    assert not run.settings["iterations"].stored


def test_opening_reads_headers_only(tmp_path: Path) -> None:
    """Thirty checkpoints of a million Gaussians must open at once: files may even vanish before a column is used."""
    folder = write_inria_run(tmp_path / "run", iterations=range(100, 3100, 100))
    run = open_run(folder)
    shutil.rmtree(folder)
    assert len(run.checkpoints) == 30
    with pytest.raises(UnreadableFile, match="moved or deleted"):
        _ = run.checkpoints[0].gaussians.means
    assert run.series == {}
    assert run.cameras == ()


def test_cfg_args_alone_is_a_run_that_has_just_begun(tmp_path: Path) -> None:
    """A user opens the folder while the first save is still to come; metrics and cameras may be absent too."""
    (tmp_path / "cfg_args").write_text("Namespace(sh_degree=3, source_path='/x', eval=False)")
    run = open_run(tmp_path)
    assert run.checkpoints == ()
    assert (run.cameras, run.series, run.events, run.photos, run.exposures) == ((), {}, (), {}, {})
    assert run.input_points is None
    assert run.sfm_points is None


def test_a_half_written_newest_checkpoint_is_left_out_and_noted(tmp_path: Path) -> None:
    """While a trainer writes, the newest file is incomplete; the others must open and the note must say why one lacks."""
    folder = write_inria_run(tmp_path, iterations=(100, 200, 300))
    newest = splat_file(folder, 300)
    newest.write_bytes(newest.read_bytes()[:-500])
    state = write_inria_state(folder / "chkpnt300.pth", random_gaussians(20), 300)
    state.write_bytes(state.read_bytes()[:-500])
    splat_file(folder, 200).write_bytes(b"")
    (folder / "point_cloud" / "iteration_400").mkdir()
    run = open_run(folder)
    assert run.iterations == (100,)
    assert run.state_files == ()
    assert "rows; open the run again once it is written" in says(run, newest)
    assert "is not whole; open the run again once it is written" in says(run, state)
    assert "is empty" in says(run, splat_file(folder, 200))
    assert "no point_cloud.ply" in says(run, folder / "point_cloud" / "iteration_400")


def test_each_damaged_part_becomes_a_note_and_the_rest_opens(tmp_path: Path) -> None:
    """One bad file must not hide a run."""
    folder = write_inria_run(tmp_path, cfg_args="import os; os.system('true')")
    for name, content in {"cameras.json": b"[{", "exposure.json": b"[1]", "input.ply": b"ply\n", "results.json": b"\xff",
                          "metrics.jsonl": b"{]\n", "events.out.tfevents.1.host": b"", "opt_args.json": b"7"}.items():
        (folder / name).write_bytes(content)
    run = open_run(folder)
    assert run.iterations == (100, 200)
    assert (run.cameras, run.exposures, run.input_points, dict(run.series)) == ((), {}, None, {})
    assert run.settings.value("sh_degree") is None
    noted = {Path(note.file).name for note in run.notes}
    assert noted >= {"cfg_args", "cameras.json", "exposure.json", "input.ply", "results.json", "metrics.jsonl", "opt_args.json",
                     "events.out.tfevents.1.host"}
    assert [note.says for note in run.notes if "; " not in note.says] == []
    assert "empty" in says(run, folder / "events.out.tfevents.1.host")


def test_a_hostile_checkpoint_does_not_run_and_does_not_hide_the_run(tmp_path: Path) -> None:
    """Opening and even reading it must only raise; the marker file proves that nothing ran."""
    folder = write_inria_run(tmp_path)
    marker = tmp_path / "ran"
    attack = f"\x80\x02cposix\nsystem\nX{chr(len(str(marker)) + 6)}\0\0\0touch {marker}\x85R.".encode("latin-1")
    TorchZip().write(folder / "chkpnt200.pth", None, pickle=attack)
    run = open_run(folder)
    with pytest.raises(RefusedFile, match=r"asks to run `posix\.system`"):
        _ = run.state_files[0].state
    assert not marker.exists()
    assert run.iterations == (100, 200)


def test_a_mesh_among_the_checkpoints_is_named(tmp_path: Path) -> None:
    """2DGS leaves fused meshes in its result folders."""
    folder = write_inria_run(tmp_path)
    xyz = {name: values for name, values in inria_columns(random_gaussians(4)).items() if name in "xyz"}
    mesh = write_ply(splat_file(folder, 500), xyz, after=[faces(2)])
    run = open_run(folder)
    assert run.iterations == (100, 200)
    assert "triangle mesh" in says(run, mesh)


@pytest.mark.parametrize(("names", "sentence"), [
    ((), "is empty; open the folder that the training writes to"),
    (("notes.txt",), "nothing in this folder looks like"),
    (("images/a.jpg", "sparse/0/cameras.bin"), "is a data set, not a training run"),
    (("a/cfg_args", "b/cfg_args"), r"holds 2 runs \(a, b\); open one of them"),
])
def test_other_folders_say_what_they_are(names: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    """Each of these is what users really open by mistake."""
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("Namespace()")
    with pytest.raises(NotARun, match=sentence) as caught:
        open_run(tmp_path)
    assert str(caught.value).endswith(str(tmp_path))


def test_a_folder_with_one_run_inside_opens_that_run(tmp_path: Path) -> None:
    """`output/<uuid>` is what INRIA makes; naming `output` is a natural slip."""
    write_inria_run(tmp_path / "0a1b2c3d-4")
    (tmp_path / "other").mkdir()
    assert open_run(tmp_path).path == tmp_path / "0a1b2c3d-4"


def test_paths_that_are_nothing(tmp_path: Path) -> None:
    """A typing error, a file of another kind, a name that the system refuses."""
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    with pytest.raises(NotARun, match="does not exist; check its spelling"):
        open_run(tmp_path / "nowhere")
    with pytest.raises(NotARun, match="no file of splats"):
        open_run(tmp_path / "photo.jpg")
    with pytest.raises(UnreadableFile, match="this path cannot be opened"):
        open_run(tmp_path / ("x" * 5000))


def test_symbolic_links_are_followed_and_loops_survived(tmp_path: Path) -> None:
    """Runs often lie on another disk behind a link."""
    write_inria_run(tmp_path / "disk" / "run")
    (tmp_path / "link").symlink_to(tmp_path / "disk" / "run")
    assert open_run(tmp_path / "link").iterations == (100, 200)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises((NotARun, UnreadableFile)):
        open_run(tmp_path / "loop")
    points = tmp_path / "disk" / "run" / "point_cloud"
    (points / "iteration_300").symlink_to(points)
    (points / "iteration_400").symlink_to(tmp_path / "gone")
    assert open_run(tmp_path / "link").iterations == (100, 200)


def test_a_folder_of_files_named_by_iteration(tmp_path: Path) -> None:
    """Exports lie in one folder; the number that differs between the names is the iteration."""
    for iteration in (500, 30000, 7000):
        write_splats(tmp_path / f"scene2_{iteration}_sh3.ply", random_gaussians(4), comments=["Exported from Brush"])
    write_points(tmp_path / "input.ply", np.zeros((3, 3)))
    write_points(tmp_path / "cloud.ply", np.zeros((3, 3)))
    run = open_run(tmp_path)
    assert run.iterations == (500, 7000, 30000)
    assert (run.trainer.name, run.settings.value("iterations")) == ("brush", None)
    assert "plain point cloud" in says(run, tmp_path / "cloud.ply")


def test_files_without_numbers_are_counted(tmp_path: Path) -> None:
    """The user sees them in order of name, and a note says that the numbers mean nothing."""
    for name in ("before.ply", "after.ply"):
        write_splats(tmp_path / name, random_gaussians(4))
    run = open_run(tmp_path)
    assert [(c.iteration, c.path.name) for c in run.checkpoints] == [(0, "after.ply"), (1, "before.ply")]
    assert "no iteration" in says(run, tmp_path)


@pytest.mark.parametrize(("name", "comments", "iteration"), [
    ("point_cloud/iteration_7000/point_cloud.ply", [], 7000), ("splat_30000.ply", [], 30000), ("scene.ply", [], 0),
    ("scene2.ply", ["Generated by opensplat at iteration 2000"], 2000), ("große Szene.PLY", [], 0),
])
def test_one_file_is_a_run(name: str, comments: list[str], iteration: int, tmp_path: Path) -> None:
    """The quickest way to look at something; its iteration comes from wherever it is told."""
    path = write_splats(tmp_path / name, random_gaussians(4), comments=comments)
    run = open_run(path)
    assert run.iterations == (iteration,)
    assert run.checkpoints[0].gaussians.count == 4
    assert (run.cameras, run.series) == ((), {})


def test_one_file_of_another_kind_says_so(tmp_path: Path) -> None:
    """With a single file there is no run to show beside the note, so it is an error."""
    with pytest.raises(UnreadableFile, match="plain point cloud"):
        open_run(write_points(tmp_path / "points.ply", np.zeros((2, 3))))
    cut = write_splats(tmp_path / "cut.ply", random_gaussians(4))
    cut.write_bytes(cut.read_bytes()[:-4 * 248 + 1])
    with pytest.raises(UnreadableFile, match="holds 0 of 4 rows"):
        open_run(cut)
    cut.unlink()
    with pytest.raises(NotARun, match="no splats"):
        open_run(tmp_path)


@pytest.mark.parametrize(("name", "train", "test"), [
    ("sample", 24, 4), ("synth-a", 24, 4), ("synth-b", 3, 4), ("synth-c", 24, 4), ("synth-d", 24, 4), ("synth-e", 24, 4),
    ("synth-f", 24, 4), ("fox-a", 43, 7), ("fox-b", 43, 7),
])
def test_real_runs_open_whole(name: str, train: int, test: int) -> None:
    """Every real run: counts as logged, photos found beside it, and the split that the trainer's own log of views confirms."""
    run = open_run(shared_data("runs", name))
    assert run.trainer.name == "inria"
    assert run.data == shared_data("scenes").joinpath(run.settings.value("source_path").rpartition("/")[2])
    assert set(run.photos) == {camera.name for camera in run.cameras}
    split = {kind: {c.name for c in run.cameras if c.split == kind} for kind in ("train", "test")}
    assert (len(split["train"]), len(split["test"])) == (train, test)
    assert set(run.series["train/view"].labels) == split["train"]
    for checkpoint in run.checkpoints[1:]:
        assert run.series["num_gaussians"].at(checkpoint.iteration) == checkpoint.count
        assert (~checkpoint.gaussians.finite).sum() == (25 if name == "synth-e" and checkpoint.iteration >= 1000 else 0)
    assert run.settings["iterations"].source == "opt_args.json"
    assert run.settings["white_background"].source == "cfg_args"
    assert run.input_points is not None
    assert run.sfm_points is not None


def test_files_of_inrias_own_trainer_open() -> None:
    """No iterations and no photos came with these files; cameras, exposures and the input cloud must still be there."""
    run = open_run(shared_data("inria-real"))
    assert len(run.cameras) == len(run.exposures) == 304
    assert {camera.split for camera in run.cameras} == {"train"}
    assert run.data is None
    assert run.photos == {}
    assert run.input_points is not None
    assert len(run.input_points) == 51_222
