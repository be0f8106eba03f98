"""A training is followed while it writes: what is new appears by itself, nothing half written is shown, nothing is lost."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from runs import watch as watching
from runs.errors import RunError
from runs.formats.logs import tails
from runs.open_run import DELETED, open_run
from runs.run import Run
from runs.watch import PATIENCE, Watch, is_half_written
from tests.support.event_writer import event, simple_value
from tests.support.files import random_gaussians, write_inria_run, write_splats
from tests.support.torch_zip import write_inria_state


def splat_file(run: Path, iteration: int) -> Path:
    return run / "point_cloud" / f"iteration_{iteration}" / "point_cloud.ply"


def touch_all(run: Run) -> Run:
    _ = (run.series, run.events, run.cameras, run.settings, run.exposures, run.per_view, run.input_points, run.photos)
    return run


def watched(folder: Path) -> Watch:
    """A watch that has looked once, so that nothing is new."""
    watch = Watch(touch_all(open_run(folder)))
    watch.look()
    assert watch.look() is None
    return watch


def must(run: Run | None) -> Run:
    assert run is not None
    return run


def test_new_saves_and_lines_appear_and_a_look_at_nothing_new_gives_nothing(tmp_path: Path) -> None:
    """The window asks every two seconds for hours: only what is new may cost anything."""
    folder = write_inria_run(tmp_path)
    (folder / "metrics.jsonl").write_text('{"it": 1, "l1": 0.5}\n')
    watch = watched(folder)
    before = touch_all(must(watch.run))
    with (folder / "metrics.jsonl").open("a") as file:
        file.write('{"it": 2, "l1": 0.4}\n')
    longer = must(watch.look())
    assert longer.series["loss/l1"].values.tolist() == [0.5, 0.4]
    assert before.series["loss/l1"].values.tolist() == [0.5]
    write_splats(splat_file(folder, 300), random_gaussians(30, degree=1))
    assert must(watch.look()).iterations == (100, 200, 300)
    assert watch.look() is None


def test_a_whole_file_appears_at_once_and_a_half_one_when_it_is_whole(tmp_path: Path) -> None:
    """Whatever the byte at which a save is met, no part of it is shown, and no note tells of it."""
    folder = write_inria_run(tmp_path)
    watch = watched(folder)
    write_splats(splat_file(folder, 300), random_gaussians(30, degree=1))
    write_inria_state(folder / "chkpnt300.pth", random_gaussians(30), 300)
    whole = {path: path.read_bytes() for path in (splat_file(folder, 300), folder / "chkpnt300.pth")}
    for share in (0.0, 0.01, 0.5, 0.9):
        for path, content in whole.items():
            path.write_bytes(content[: int(share * len(content))])
        assert watch.look() is None
    for path, content in whole.items():
        path.write_bytes(content)
    fresh = must(watch.look())
    assert (fresh.iterations, [state.iteration for state in fresh.state_files]) == ((100, 200, 300), [300])
    assert not [note for note in fresh.notes if "300" in note.file]


def test_a_file_that_takes_long_holds_back_the_logs_only_for_some_looks(tmp_path: Path) -> None:
    """A copy over a slow network takes minutes; the curves go on meanwhile, and the file stays out until it is whole."""
    folder = write_inria_run(tmp_path)
    watch = watched(folder)
    write_splats(splat_file(folder, 300), random_gaussians(3000, degree=1))
    whole = splat_file(folder, 300).read_bytes()
    seen = []
    for look in range(PATIENCE + 2):
        splat_file(folder, 300).write_bytes(whole[: 50_000 + look])
        seen.append(watch.look())
    (run,) = [run for run in seen if run is not None]
    assert run.iterations == (100, 200)
    splat_file(folder, 300).write_bytes(whole)
    assert must(watch.look()).iterations == (100, 200, 300)


def test_a_format_that_cannot_say_it_is_whole_waits_until_it_stands_still(tmp_path: Path) -> None:
    """A .splat has no header: half of one is a valid file of half the splats."""
    (tmp_path / "a_100.splat").write_bytes(np.zeros(32 * 4, np.uint8).tobytes())
    watch = Watch(open_run(tmp_path))
    watch.look()
    watch.look()
    growing = tmp_path / "a_200.splat"
    for rows in (2, 4):
        growing.write_bytes(bytes(32 * rows))
        assert watch.look() is None
    assert must(watch.look()).iterations == (100, 200)


def test_a_save_that_is_deleted_goes_with_a_note(tmp_path: Path) -> None:
    """Some trainers keep only the newest."""
    folder = write_inria_run(tmp_path)
    watch = watched(folder)
    shutil.rmtree(splat_file(folder, 100).parent)
    fresh = must(watch.look())
    assert fresh.iterations == (200,)
    assert [Path(note.file) for note in fresh.notes if note.says == DELETED] == [splat_file(folder, 100)]


def test_a_run_that_does_not_exist_yet_is_waited_for(tmp_path: Path) -> None:
    """The window may be opened before the training: first no folder, then cfg_args alone, then the first save."""
    folder = tmp_path / "run"
    watch = Watch(folder)
    assert watch.look() is None
    folder.mkdir()
    assert watch.look() is None
    (folder / "cfg_args").write_text("Namespace(sh_degree=3, source_path='/d', model_path='/m')")
    assert watch.look() is None  # a line may be missing yet
    assert must(watch.look()).iterations == ()
    write_splats(splat_file(folder, 100), random_gaussians(5))
    assert must(watch.look()).iterations == (100,)


def test_a_folder_that_is_deleted_and_made_again_is_followed(tmp_path: Path) -> None:
    """A training that is started anew with the same name clears its folder first."""
    folder = write_inria_run(tmp_path)
    watch = watched(folder)
    shutil.rmtree(folder)
    assert watch.look() is None
    assert must(watch.run).iterations == (100, 200)
    assert isinstance(watch.trouble, RunError)
    write_inria_run(tmp_path)
    shutil.rmtree(splat_file(folder, 200).parent)
    looks = [watch.look() for _ in range(3)]
    assert must(next(run for run in looks if run is not None)).iterations == (100,)
    assert watch.trouble is None


def test_what_did_not_change_is_not_read_again_but_keeps_its_notes(tmp_path: Path) -> None:
    """A COLMAP model of a million points must not be read at each line of a log."""
    folder = write_inria_run(tmp_path, cameras=["a.jpg"], source="/elsewhere/garden")
    (folder / "exposure.json").write_text("not JSON")
    watch = watched(folder)
    first = must(watch.run)
    assert [note for note in first.notes if "exposure" in note.file]
    with (folder / "train.log").open("a") as file:
        file.write("[ITER 200] Evaluating test: L1 0.1 PSNR 20 [01/01 00:00:00]\n")
    fresh = must(watch.look())
    assert fresh.cameras is first.cameras
    assert fresh.settings is first.settings
    assert set(touch_all(fresh).notes) >= set(first.notes)
    assert fresh.series["test/psnr"].values.tolist()[-1] == 20
    (folder / "exposure.json").write_text('{"a.jpg": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]}')
    looks = [watch.look(), watch.look()]
    after = must(looks[1])
    assert set(after.exposures) == {"a.jpg"}
    assert after.cameras is first.cameras
    assert not [note for note in touch_all(after).notes if "exposure" in note.file]


def test_logs_are_read_on_even_if_only_the_watch_holds_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever follows a run for hours must not read its log from the start at each look."""
    folder = write_inria_run(tmp_path)
    (folder / "metrics.jsonl").write_text('{"it": 1, "l1": 0.5}\n' * 50)
    watch = watched(folder)
    touch_all(must(watch.run))
    taken: list[int] = []
    chunks = tails.chunks
    monkeypatch.setattr("runs.formats.logs.metrics.chunks", lambda *args: (taken.append(len(c)) or c for c in chunks(*args)))
    for step in (2, 3):
        with (folder / "metrics.jsonl").open("a") as file:
            file.write(f'{{"it": {step}, "l1": 0.4}}\n')
        assert len(must(watch.look()).series["loss/l1"]) == step
    assert taken == [len('{"it": 2, "l1": 0.4}\n')] * 2


def test_changed_settings_are_read_again(tmp_path: Path) -> None:
    """A training started again in the same folder writes other settings."""
    folder = write_inria_run(tmp_path)
    watch = watched(folder)
    (folder / "cfg_args").write_text("Namespace(sh_degree=1, source_path='/d', model_path='/m')")
    os.utime(folder / "cfg_args", ns=(1, 1))
    looks = [watch.look() for _ in range(2)]
    assert must(next(run for run in looks if run is not None)).settings.value("sh_degree") == 1


def test_a_disk_that_fails_for_a_moment_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A network file system comes back; the news of that moment must not be lost."""
    folder = write_inria_run(tmp_path)
    watch = watched(folder)
    write_splats(splat_file(folder, 300), random_gaussians(5))
    reopen = watching.reopen

    def fails(_run: Run) -> Run:
        raise RunError("stale file handle; check the disk", folder)

    monkeypatch.setattr(watching, "reopen", fails)
    assert watch.look() is None
    assert watch.trouble is not None
    monkeypatch.setattr(watching, "reopen", reopen)
    assert must(watch.look()).iterations == (100, 200, 300)


def test_event_files_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    """They are appended record by record and never stand still."""
    folder = write_inria_run(tmp_path, evaluated=False)
    watch = watched(folder)
    path = folder / "events.out.tfevents.9.host"
    for step in range(1, 4):
        with path.open("ab") as file:
            file.write(event(step, float(step), [simple_value("iter_time", step)]) + event(9, 9.0, [simple_value("x", 1)])[:7])
        os.truncate(path, path.stat().st_size - 7)
        assert must(watch.look()).series["iter_time"].values.tolist()[-1] == step


@pytest.mark.parametrize(("name", "content", "half"), [
    ("a.log", b"x", False), ("events.out.tfevents.1.h", b"", False), ("a.pt", b"PK\x03\x04", True), ("a.ply", b"ply\n", True),
    ("results.json", b"{", True), ("a.splat", bytes(32), True),
])
def test_what_may_be_half_written(tmp_path: Path, name: str, content: bytes, half: bool) -> None:
    """A log is read as far as it goes; of anything else only its own bytes, or time, say that it is whole."""
    (tmp_path / name).write_bytes(content)
    assert is_half_written(tmp_path / name) is half


def test_when_the_run_was_last_written(tmp_path: Path) -> None:
    """"Last save 2 minutes ago" is what a user looks for first."""
    folder = write_inria_run(tmp_path)
    watch = watched(folder)
    os.utime(splat_file(folder, 100), ns=(1, 1_000))
    os.utime(splat_file(folder, 200), ns=(1, 5_000))
    watch.look()
    watch.look()
    assert watch.saved_ns == 5_000
    assert (watch.written_ns or 0) > 5_000
    assert Watch(tmp_path / "none").written_ns is None
