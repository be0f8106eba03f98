"""Whatever file or folder of a run the user names, the run opens; whatever is no run costs little and says what it is."""

import os
from pathlib import Path

import pytest

from runs.errors import NotARun, UnreadableFile
from runs.open_run import open_run
from runs.run_folders import MOST_FOLDERS, runs_inside
from tests.support.files import random_gaussians, write_inria_run, write_ply, write_points, write_splats
from tests.support.torch_zip import write_inria_state


def saved(folder: Path, iteration: int) -> Path:
    return folder / "point_cloud" / f"iteration_{iteration}" / "point_cloud.ply"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Three saves, a training state, an event file, and renders."""
    folder = write_inria_run(tmp_path / "out" / "run", iterations=(100, 200, 300))
    write_inria_state(folder / "chkpnt200.pth", random_gaussians(20, degree=1), 200)
    (folder / "events.out.tfevents.1.host").write_bytes(b"")
    (folder / "test" / "ours_300" / "renders").mkdir(parents=True)
    (folder / "test" / "ours_300" / "renders" / "00000.png").write_bytes(b"")
    return folder


@pytest.mark.parametrize(("file", "asked"), [
    ("point_cloud/iteration_100/point_cloud.ply", 100), ("chkpnt200.pth", 200), ("cfg_args", None), ("input.ply", None),
    ("events.out.tfevents.1.host", None), ("test/ours_300/renders/00000.png", None),
])
def test_a_file_of_a_run_opens_the_run(file: str, asked: int | None, run: Path) -> None:
    """A double click on a save means "show me this moment of the run", not "show me this file without its run"."""
    opened = open_run(run / file)
    assert (opened.path, opened.iterations, opened.asked) == (run, (100, 200, 300), asked)


@pytest.mark.parametrize(("part", "asked"), [
    ("point_cloud/iteration_200", 200), ("point_cloud", None),
])
def test_a_folder_of_saves_opens_the_run(part: str, asked: int | None, run: Path) -> None:
    """Three PLYs without their cameras and logs are not what the user meant."""
    opened = open_run(run / part)
    assert (opened.path, opened.iterations, opened.asked) == (run, (100, 200, 300), asked)


def test_a_folder_of_exports_in_a_run_is_not_the_run(run: Path) -> None:
    """Its files are no saves of the training."""
    for iteration in (1, 2):
        write_splats(run / "exports" / f"edited_{iteration}.ply", random_gaussians(3))
    assert open_run(run / "exports").path == run / "exports"


def test_a_folder_asks_for_no_iteration(run: Path) -> None:
    """The last save is shown then."""
    assert open_run(run).asked is None


def test_a_splat_file_that_is_no_save_of_the_run_opens_alone(run: Path) -> None:
    """An edited export that lies in the run's folder is not the run."""
    export = write_splats(run / "cleaned.ply", random_gaussians(3))
    opened = open_run(export)
    assert (opened.path, opened.checkpoints[0].count) == (export, 3)


def test_a_loose_file_opens_alone_beside_others(tmp_path: Path) -> None:
    """A folder of exports is no training run."""
    for name in ("a_1.ply", "a_2.ply"):
        write_splats(tmp_path / name, random_gaussians(3))
    assert open_run(tmp_path / "a_1.ply").path == tmp_path / "a_1.ply"


def test_a_file_far_below_a_run_is_not_of_it(run: Path) -> None:
    """Five levels down lies someone else's data."""
    deep = run / "a" / "b" / "c" / "d"
    deep.mkdir(parents=True)
    (deep / "notes.txt").write_text("")
    with pytest.raises(NotARun, match="no folder above it is a training run"):
        open_run(deep / "notes.txt")


def test_a_mesh_beside_a_run_is_the_runs_and_elsewhere_says_what_it_is(run: Path, tmp_path: Path) -> None:
    """The note of a cloud alone would hide the run that it lies in."""
    mesh = write_ply(run / "train" / "ours_300" / "fuse.ply", {axis: random_gaussians(3).means[:, 0] for axis in "xyz"})
    assert open_run(mesh).path == run
    with pytest.raises(UnreadableFile, match="plain point cloud"):
        open_run(write_points(tmp_path / "else" / "cloud.ply", random_gaussians(3).means))


@pytest.mark.parametrize("below", ["0a1b2c3d", "garden/0a1b", "garden/splatfacto/2024-01-01_120000", "a/b/c/d"])
def test_one_run_inside_is_opened(below: str, tmp_path: Path) -> None:
    """`outputs/<experiment>/<method>/<time>`: nobody remembers the last part."""
    write_inria_run(tmp_path / below)
    (tmp_path / "notes").mkdir()
    assert open_run(tmp_path).path == tmp_path / below


def test_several_runs_are_listed_by_their_way(tmp_path: Path) -> None:
    """The names of the time stamps alone would not tell which is which."""
    for below in ("garden/splatfacto/1", "garden/splatfacto/2", "stump/inria"):
        write_inria_run(tmp_path / below)
    with pytest.raises(NotARun, match=r"3 runs \(stump/inria, garden/splatfacto/1, garden/splatfacto/2\); open one"):
        open_run(tmp_path)


def test_five_levels_down_is_too_far(tmp_path: Path) -> None:
    """The work must end somewhere."""
    write_inria_run(tmp_path / "a/b/c/d/e")
    with pytest.raises(NotARun, match="nothing in this folder looks like a training run"):
        open_run(tmp_path)


def test_what_lies_in_a_run_or_is_no_place_for_one_is_not_searched(tmp_path: Path) -> None:
    """A run's own folders, a source tree's examples, a data set's photos."""
    write_inria_run(tmp_path / "x" / "run" / "inner")
    write_inria_run(tmp_path / "x" / "run")
    for place in ("backup", "images", ".git", "wandb"):
        write_inria_run(tmp_path / "x" / place / "run")
    assert runs_inside(tmp_path).runs == (tmp_path / "x" / "run",)


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    """A link back up, and a second way to the same run, which is one run."""
    write_inria_run(tmp_path / "a" / "run")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "again").symlink_to(tmp_path / "a")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert len(runs_inside(tmp_path).runs) == 1
    assert open_run(tmp_path).iterations == (100, 200)


def test_a_folder_that_may_not_be_read_is_passed_over(tmp_path: Path) -> None:
    """Others' folders lie beside one's own; what cannot be listed cannot be offered."""
    write_inria_run(tmp_path / "mine")
    (tmp_path / "theirs").mkdir(mode=0o000)
    try:
        assert open_run(tmp_path).path == tmp_path / "mine"
    finally:
        os.chmod(tmp_path / "theirs", 0o755)


def test_a_disk_is_not_searched_whole(tmp_path: Path) -> None:
    """Naming the root of a disk must end soon, and must not claim that nothing is there."""
    for index in range(MOST_FOLDERS + 1):
        (tmp_path / f"{index:05}").mkdir()
    assert not runs_inside(tmp_path).is_all
    with pytest.raises(NotARun, match=f"first {MOST_FOLDERS:,} folders"):
        open_run(tmp_path)
    write_inria_run(tmp_path / "00000" / "run")
    write_inria_run(tmp_path / "00001")
    with pytest.raises(NotARun, match=r"at least 1 run \(00001, …\)"):
        open_run(tmp_path)


@pytest.mark.parametrize("names", [
    ("images/a.jpg",), ("sparse/0/cameras.bin",), ("transforms.json",), ("transforms_test.json", "train/r_0.png"),
    ("database.db",),
])
def test_a_data_set_gets_its_sentence(names: tuple[str, ...], tmp_path: Path) -> None:
    """The most natural slip: the scene in place of what was trained on it."""
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    with pytest.raises(NotARun, match="is a data set, not a training run; open the run and name this folder with --data"):
        open_run(tmp_path)
