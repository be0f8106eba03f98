"""What may not be read, or is not what its name says, costs its own part of a run and never the rest."""

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from runs.errors import UnreadableFile
from runs.open_run import open_run
from runs.run import Run
from tests.runs.trainers.inria.test_folder import write_model, write_photos
from tests.support.files import random_gaussians, write_inria_run, write_splats
from tests.support.torch_zip import write_inria_state

NOBODY = 65534


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder, and for the superuser, who may read everything, the rights of an ordinary user while the test runs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if os.geteuid():
            yield folder
            return
        os.chown(folder, NOBODY, NOBODY)
        os.seteuid(NOBODY)
        try:
            yield folder
        finally:
            os.seteuid(0)


def says(run: Run, file: Path) -> str:
    return "\n".join(note.says for note in run.notes if note.file == str(file))


def test_a_file_that_may_not_be_read_is_left_out(place: Path) -> None:
    """The sentence must blame the permission, not the file."""
    folder = write_inria_run(place / "run", cameras=["a.jpg"])
    state = write_inria_state(folder / "chkpnt200.pth", random_gaussians(4), 200)
    splats = folder / "point_cloud" / "iteration_200" / "point_cloud.ply"
    for path in (state, splats, folder / "cameras.json"):
        path.chmod(0)
    run = open_run(folder)
    assert run.iterations == (100,)
    assert run.cameras == ()
    for path in (splats, folder / "cameras.json"):
        assert says(run, path).endswith("cannot be opened (Permission denied); give your user the right to read it")
    with pytest.raises(UnreadableFile, match="Permission denied"):
        _ = run.state_files[0].state


def test_a_closed_save_of_several_processes_costs_only_itself(place: Path) -> None:
    """Each process runs as its own user on some clusters."""
    folder = write_inria_run(place / "run", iterations=(100, 200))
    (folder / "python_ws=2_rk=0.log").write_text("")
    (folder / "point_cloud" / "iteration_200").chmod(0)
    (folder / "checkpoints" / "200").mkdir(parents=True)
    (folder / "checkpoints" / "200").chmod(0)
    try:
        run = open_run(folder)
    finally:
        (folder / "point_cloud" / "iteration_200").chmod(stat.S_IRWXU)
        (folder / "checkpoints" / "200").chmod(stat.S_IRWXU)
    assert (run.trainer.name, run.iterations, run.state_files) == ("grendel", (100,), ())
    for closed in ("point_cloud/iteration_200", "checkpoints/200"):
        assert says(run, folder / closed).endswith("give your user the right to read it")


@pytest.mark.parametrize("closed", ["point_cloud/iteration_200", "point_cloud"])
def test_a_folder_that_may_not_be_entered_costs_only_what_lies_in_it(closed: str, place: Path) -> None:
    """Trainings in containers leave folders of another user."""
    folder = write_inria_run(place / "run")
    (folder / closed).chmod(0)
    try:
        run = open_run(folder)
    finally:
        (folder / closed).chmod(stat.S_IRWXU)
    assert 200 not in run.iterations
    assert "Permission denied" in says(run, folder / closed)
    assert run.settings.value("sh_degree") == 1


def test_a_run_that_may_not_be_entered_says_so(place: Path) -> None:
    """There is nothing to open then, and the folder is not "empty"."""
    folder, other = write_inria_run(place / "run"), write_inria_run(place / "other")
    folder.chmod(0)
    try:
        with pytest.raises(UnreadableFile, match="Permission denied") as caught:
            open_run(folder)
        assert caught.value.file == folder
        with pytest.raises(UnreadableFile, match="Permission denied") as caught:
            open_run(other, folder / "data")
        assert caught.value.file == folder / "data"
    finally:
        folder.chmod(stat.S_IRWXU)


@pytest.mark.parametrize("closed", ["sparse", "images", "."])
def test_a_data_folder_that_may_not_be_entered_costs_photos_or_model(closed: str, place: Path) -> None:
    """Photos often lie on a shared disk with its own rights."""
    data = write_photos(write_model(place / "data", ["a.jpg"]), ["a.jpg"])
    folder = write_inria_run(place / "run", cameras=["a.jpg"])
    (data / closed).chmod(0)
    try:
        run = open_run(folder, data)
        parts = (run.photos, run.sfm_points, run.cameras)
    finally:
        (data / closed).chmod(stat.S_IRWXU)
    assert bool(parts[0]) == (closed == "sparse")
    assert (parts[1] is not None) == (closed == "images")
    assert len(parts[2]) == 1
    assert run.iterations == (100, 200)
    assert run.notes


def test_names_that_promise_another_kind_of_file(tmp_path: Path) -> None:
    """Unfinished copies, folders and pipes: a pipe would make the window wait for ever."""
    folder = write_inria_run(tmp_path)
    write_splats(folder / "point_cloud" / "iteration_300.tmp" / "point_cloud.ply", random_gaussians(3))
    write_splats(folder / "point_cloud" / "iteration_400" / "point_cloud.ply.tmp", random_gaussians(3))
    write_inria_state(folder / "chkpnt300.pth.tmp", random_gaussians(3), 300)
    for name in ("chkpnt400.pth", "metrics.jsonl", "events.out.tfevents.1.host", "cameras.json", "train.log", "per_view.json"):
        (folder / name).mkdir()
    os.mkfifo(folder / "chkpnt500.pth")
    os.mkfifo(folder / "stdout.log")
    run = open_run(folder)
    assert (run.iterations, run.state_files, run.cameras, dict(run.series), run.per_view) == ((100, 200), (), (), {}, {})
    assert [Path(note.file).name for note in run.notes] == ["iteration_400"]


def test_the_folder_that_is_opened_counts_not_the_one_it_remembers(tmp_path: Path) -> None:
    """Runs are renamed and copied; model_path in cfg_args then names another run (trap T48)."""
    write_inria_run(tmp_path / "output" / "test", iterations=(7,))
    moved = write_inria_run(tmp_path / "renamed")
    assert "model_path='output/test'" in (moved / "cfg_args").read_text()
    run = open_run(moved)
    assert (run.path, run.iterations) == (moved, (100, 200))
