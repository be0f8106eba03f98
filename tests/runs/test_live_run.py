"""A run that is looked at while it trains: files grow, appear and vanish, and the notes tell only what is true now."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from runs.advice import UNFINISHED
from runs.open_run import DELETED, open_run, reopen
from runs.run import Run
from tests.runs.trainers.inria.test_folder import write_photos
from tests.support.event_writer import event, simple_value
from tests.support.files import random_gaussians, write_inria_run, write_splats
from tests.support.torch_zip import write_inria_state


def splat_file(run: Path, iteration: int) -> Path:
    return run / "point_cloud" / f"iteration_{iteration}" / "point_cloud.ply"


def touch_all(run: Run) -> Run:
    """Read every lazy part, so that each can leave its notes."""
    _ = (run.series, run.events, run.cameras, run.settings, run.exposures, run.per_view, run.input_points, run.photos)
    return run


def test_new_files_are_found_and_what_was_read_is_kept(tmp_path: Path) -> None:
    """Reading everything again at each save would stall the window."""
    folder = write_inria_run(tmp_path)
    run = open_run(folder)
    held = run.checkpoints[0].gaussians
    write_splats(splat_file(folder, 300), random_gaussians(30, degree=1))
    write_inria_state(folder / "chkpnt300.pth", random_gaussians(30), 300)
    fresh = reopen(run)
    assert fresh.iterations == (100, 200, 300)
    assert fresh.checkpoints[0].gaussians is held
    assert [s.iteration for s in fresh.state_files] == [300]
    assert reopen(fresh).state_files[0] is fresh.state_files[0]


def test_an_overwritten_file_is_read_again(tmp_path: Path) -> None:
    """A training started again in the same folder must not show the old splats under the new name."""
    folder = write_inria_run(tmp_path)
    run = open_run(folder)
    assert run.checkpoints[1].gaussians.count == 20
    write_splats(splat_file(folder, 200), random_gaussians(20, degree=1, seed=5))
    os.utime(splat_file(folder, 200), ns=(1, 1))
    np.testing.assert_array_equal(reopen(run).checkpoints[1].gaussians.means, random_gaussians(20, degree=1, seed=5).means)


@pytest.mark.parametrize("written", [0, 40, 5000])
def test_files_that_were_caught_half_written_open_once_they_are_whole(written: int, tmp_path: Path) -> None:
    """The newest save is the one that a user waits for; its note must go when it is there."""
    folder = write_inria_run(tmp_path, cameras=["a.jpg"], count=60, evaluated=False)
    write_splats(splat_file(folder, 300), random_gaussians(60, degree=1))
    write_inria_state(folder / "chkpnt300.pth", random_gaussians(60), 300)
    (folder / "exposure.json").write_text('{"a.jpg": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]}')
    paths = [splat_file(folder, 300), folder / "chkpnt300.pth", folder / "exposure.json", folder / "cameras.json"]
    whole = {path: path.read_bytes() for path in paths}
    for path, content in whole.items():
        path.write_bytes(content[: min(written, len(content) - 3)])
    run = touch_all(open_run(folder))
    assert (run.iterations, run.state_files, run.exposures, run.cameras) == ((100, 200), (), {}, ())
    assert {Path(note.file) for note in run.notes} >= set(whole)

    for path, content in whole.items():
        path.write_bytes(content)
    fresh = touch_all(reopen(run))
    assert (fresh.iterations, [s.iteration for s in fresh.state_files]) == ((100, 200, 300), [300])
    assert (set(fresh.exposures), len(fresh.cameras)) == ({"a.jpg"}, 1)
    assert [note for note in fresh.notes if UNFINISHED in note.says] == []
    assert set(fresh.notes) == set(touch_all(open_run(folder)).notes)


def test_a_deleted_checkpoint_goes_with_a_note(tmp_path: Path) -> None:
    """Some trainers keep only the newest: a save that vanishes without a word looks like a fault of this program."""
    folder = write_inria_run(tmp_path)
    state = write_inria_state(folder / "chkpnt100.pth", random_gaussians(4), 100)
    run = open_run(folder)
    shutil.rmtree(splat_file(folder, 100).parent)
    state.unlink()
    fresh = reopen(reopen(run))  # the note stays with the next look
    assert (fresh.iterations, fresh.state_files) == ((200,), ())
    assert {(Path(note.file), note.says) for note in fresh.notes} == {(splat_file(folder, 100), DELETED), (state, DELETED)}
    write_splats(splat_file(folder, 100), random_gaussians(4))
    back = reopen(fresh)
    assert back.iterations == (100, 200)
    assert [Path(note.file) for note in back.notes] == [state]


def test_logs_that_grow_give_longer_curves(tmp_path: Path) -> None:
    """Each look may end inside a line or a record: that is no damage, and the rest follows at the next look."""
    folder = write_inria_run(tmp_path)
    lines = "".join(f'{{"it": {i}, "l1": {1 / i}}}\n' for i in range(1, 9)).encode()
    records = b"".join(event(i, float(i), [simple_value("iter_time", i)]) for i in range(1, 9))
    printed = "".join(f"[ITER {i}] Evaluating test: L1 0.1 PSNR {20 + i}\n" for i in range(1, 9)).encode()
    run, lengths = open_run(folder), []
    for share in (0.0, 0.3, 0.55, 1.0):
        for name, content in (("metrics.jsonl", lines), ("events.out.tfevents.1.host", records), ("train.log", printed)):
            (folder / name).write_bytes(content[: int(share * len(content))])
        run = touch_all(reopen(run))
        lengths.append([len(run.series.get(name, ())) for name in ("loss/l1", "iter_time", "test/psnr")])
        assert [Path(note.file).name for note in run.notes] == ([] if share else ["events.out.tfevents.1.host"])
    assert lengths[0] == [0, 0, 0]
    assert lengths[-1] == [8, 8, 8]
    assert lengths == sorted(lengths)
    assert run.series["iter_time"].values.tolist() == list(range(1, 9))


def test_the_data_folder_is_found_again_or_stays_the_one_that_was_named(tmp_path: Path) -> None:
    """A folder that was only found nearby may move; one that the user named is not replaced by another."""
    folder = write_inria_run(tmp_path / "run", cameras=["a.jpg"], source="/elsewhere/garden")
    near = write_photos(tmp_path / "garden", ["a.jpg"])
    named = write_photos(tmp_path / "other", ["a.jpg"])
    found = open_run(folder)
    assert (found.data, reopen(found).data) == (near, near)
    assert [note.says for note in reopen(found).notes] == [note.says for note in found.notes] != []
    assert reopen(open_run(folder, named)).data == named
    shutil.rmtree(near)
    assert reopen(found).data is None
