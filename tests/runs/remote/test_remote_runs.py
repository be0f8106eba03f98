"""A run on another machine is the same run: every number, every note, for a fraction of its bytes."""

import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs.checkpoints import Checkpoint
from runs.errors import UnreadableFile
from runs.gaussians import COLUMNS
from runs.open_run import open_run, reopen
from runs.remote import cache as caches
from runs.remote.blocks import BLOCK_BYTES
from runs.remote.mirror import Mirror
from runs.run import Run
from runs.storage import address_of, following, remote_of
from tests.runs.remote import conftest  # noqa: F401  (fixtures)
from tests.support.data import shared_data
from tests.support.files import random_gaussians, write_inria_run, write_splats
from tests.support.sftp_server import Sftp
from tests.support.web_server import Web

OPENED: list[str] | None = None  # what readers open while it is a list


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if OPENED is not None and event == "open" and f"{os.sep}{caches.FILES}{os.sep}" in str(arguments[0]):
        OPENED.append(str(arguments[0]))


sys.addaudithook(_heard)


@contextmanager
def listening() -> Iterator[list[str]]:
    """The stand-ins that are opened inside the block, by whomever and however."""
    global OPENED
    OPENED = heard = []
    try:
        yield heard
    finally:
        OPENED = None


def mirror_of(run: Run) -> Mirror:
    remote = remote_of(run.path)
    assert isinstance(remote, Mirror)
    return remote


def numbers(checkpoint: Checkpoint) -> dict[str, Any]:
    gaussians = checkpoint.read()
    return {name: gaussians.load(name) for name in (*COLUMNS, "sh_rest", *gaussians.extra_names)}


def everything(run: Run, root: Path) -> dict[str, Any]:
    """All that a run tells, with paths relative to its folder; plain values that compare."""
    told: dict[str, Any] = {
        "trainer": run.trainer, "settings": {name: (s.value, s.source) for name, s in run.settings.items()},
        "checkpoints": [(c.iteration, c.count, c.sh_degree, c.size_bytes, c.path.relative_to(root)) for c in run.checkpoints],
        "states": [(s.iteration, s.path.relative_to(root)) for s in run.state_files],
        "cameras": [(c.name, c.fx, c.cx, c.size_px, c.split, c.world_from_camera.tolist()) for c in run.cameras],
        "events": run.events,
        "series": {name: (s.iterations.tolist(), repr(s.values.tolist()), s.unit, s.source) for name, s in run.series.items()},
        "input": None if run.input_points is None else run.input_points.xyz.tolist(),
        "exposures": {name: matrix.tolist() for name, matrix in run.exposures.items()}, "per_view": run.per_view,
        "gaussians": [{name: values.tobytes() for name, values in numbers(c).items()} for c in run.checkpoints],
        "moments": [{name: (group.step, None if group.exp_avg is None else group.exp_avg.tobytes())
                     for name, group in s.state.adam.items()} for s in run.state_files],
    }
    told["notes"] = sorted((note.file.replace(str(root), ""), note.says.replace(str(root), "")) for note in run.notes)
    return told


RunMaker = Callable[[Path], Path]


@pytest.mark.parametrize("name", ["sample", "synth-a"])
@pytest.mark.usefixtures("poison")
def test_a_remote_run_tells_what_the_local_one_does(name: str, served: Path, web: Web, sftp: Sftp) -> None:
    """Unfetched bytes hold noise here: whatever a reader used without fetching it would show."""
    local = shutil.copytree(shared_data("runs", name), served / name)
    for url in (f"{web.url}/{name}", sftp.url(name)):
        with listening() as heard:
            run = open_run(url)
            assert everything(run, run.path) == everything(open_run(local), local)
        records = {path: mirror_of(run)._standin(Path(path)) for path in heard if Path(path).is_file()}
        untouched = {path for path, standin in records.items() if standin.version and standin.version.size_bytes
                     and sum(b - a for a, b in standin.missing(0, sys.maxsize)) == standin.version.size_bytes}
        assert not untouched, "opened without a byte of it being fetched"


def test_opening_thirty_saves_fetches_their_headers(served: Path, web: Web) -> None:
    """The folder has gigabytes in practice; one block of each file tells all that opening needs."""
    iterations = range(1000, 31_000, 1000)
    write_inria_run(served / "run", iterations=iterations, count=3000, degree=3)
    run = open_run(f"{web.url}/run")
    assert run.iterations == tuple(iterations)
    plys = {path: sent for path, sent in web.sent.items() if path.endswith("point_cloud.ply")}
    assert set(plys.values()) == {BLOCK_BYTES}
    assert len(plys) == 30
    web.sent.clear()
    last = run.checkpoints[-1]
    assert last.gaussians.means.shape == (3000, 3)
    assert {path for path in web.sent if path.endswith(".ply")} == {f"run/point_cloud/iteration_30000/{last.path.name}"}


def test_a_second_opening_reads_the_cache(served: Path, web: Web) -> None:
    """Over a slow line, the second look at a run is as quick as at a local one."""
    write_inria_run(served / "run", cameras=["a", "b"])
    first = open_run(f"{web.url}/run")
    told = everything(first, first.path)
    web.sent.clear()
    again = open_run(f"{web.url}/run")
    assert everything(again, again.path) == told
    assert not {path for path in web.sent if not path.endswith("/")}


def test_reopening_finds_what_the_training_wrote_since(served: Path, sftp: Sftp) -> None:
    """New saves appear, a changed log is read anew, an unchanged save is kept, a deleted one is noted."""
    folder = write_inria_run(served / "run", iterations=(100, 200))
    log = folder / "metrics.jsonl"
    log.write_text('{"it": 1, "loss": 0.5}\n')
    run = open_run(sftp.url("run"))
    assert run.series["loss/total"].values.tolist() == [0.5]
    kept = run.checkpoint(200)
    write_splats(folder / "point_cloud" / "iteration_300" / "point_cloud.ply", random_gaussians(20, degree=1))
    log.write_text('{"it": 1, "loss": 0.5}\n{"it": 2, "loss": 0.25}\n')
    shutil.rmtree(folder / "point_cloud" / "iteration_100")
    fresh = reopen(run)
    assert fresh.iterations == (200, 300)
    assert fresh.checkpoint(200) is kept
    assert fresh.series["loss/total"].values.tolist() == [0.5, 0.25]
    assert any("deleted" in note.says for note in fresh.notes)


def test_a_save_that_was_overwritten_is_never_mixed(served: Path, sftp: Sftp, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its header was read, then the trainer replaced it: one sentence, and after a new look the new numbers."""
    folder = write_inria_run(served / "run", iterations=(100,), count=3000, degree=3)
    run = open_run(sftp.url("run"))
    ply = folder / "point_cloud" / "iteration_100" / "point_cloud.ply"
    replaced = random_gaussians(3000, degree=3, seed=9)
    write_splats(ply, replaced)
    os.utime(ply, (1, 1))
    monkeypatch.setattr("runs.remote.mirror.TRUSTED_S", 0.0)
    with pytest.raises(UnreadableFile, match="changed on 127"):
        _ = run.checkpoints[0].gaussians.means
    np.testing.assert_array_equal(reopen(run).checkpoints[0].gaussians.means, replaced.means)


def test_a_lost_connection_is_made_anew(served: Path, sftp: Sftp) -> None:
    """A window stays open overnight, and the network does not."""
    write_inria_run(served / "run", iterations=(100,), count=3000, degree=3)
    run = open_run(sftp.url("run"))
    sftp.cut()
    assert run.checkpoints[0].gaussians.means.shape == (3000, 3)


def test_a_machine_that_is_gone_is_one_sentence_and_no_numbers(served: Path, sftp: Sftp, web: Web) -> None:
    """What was not fetched is told as such, with the address and without the password."""
    write_inria_run(served / "run", iterations=(100,), count=3000, degree=3)
    run, other = open_run(sftp.url("run")), open_run(f"{web.url}/run")
    sftp.cut_after_reads = 0
    web.cut_after = 100
    for one, host in ((run, sftp.port), (other, web.port)):
        with pytest.raises(UnreadableFile, match=rf"127\.0\.0\.1:{host}.*point_cloud\.ply$") as caught:
            _ = one.checkpoints[0].gaussians.means
        assert "s3cret" not in str(caught.value)
        assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("user", "says"),
    [("ada:wrong@", "does not let you in"), ("bob:s3cret@", "does not let you in"), ("", "does not let you in")],
)
def test_whoever_may_not_in_learns_what_to_do(user: str, says: str, sftp: Sftp, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a traceback from deep inside a library."""
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    with pytest.raises(UnreadableFile, match=says) as caught:
        open_run(sftp.url("run", user))
    assert "wrong" not in str(caught.value)


def test_a_host_whose_key_is_not_known_gets_no_password(sftp: Sftp, tmp_path: Path) -> None:
    """It may be anyone."""
    (tmp_path / "home" / ".ssh" / "known_hosts").write_text("")
    with pytest.raises(UnreadableFile, match="is not known here; connect once with ssh"):
        open_run(sftp.url("run"))


@pytest.mark.parametrize(
    ("status", "says"), [(401, "let you in"), (403, "let you read"), (404, "nothing at this path"), (500, "lost")],
)
def test_what_a_web_server_refuses_is_one_sentence(status: int, says: str, web: Web) -> None:
    """By its status."""
    web.refuses = status
    with pytest.raises(UnreadableFile, match=says):
        open_run(f"{web.url}/run")


def test_a_path_that_is_not_there(sftp: Sftp, web: Web) -> None:
    """A misspelt address."""
    for url in (sftp.url("nothing"), f"{web.url}/nothing"):
        with pytest.raises(UnreadableFile, match="nothing at this path"):
            open_run(url)


def test_a_web_server_without_ranges_still_gives_the_truth(served: Path, web: Web) -> None:
    """`python -m http.server` is what people start; it sends whole files."""
    web.ranges = False
    folder = write_inria_run(served / "run", iterations=(100,), count=3000, degree=3)
    run = open_run(f"{web.url}/run")
    local = open_run(folder).checkpoints[0]
    np.testing.assert_array_equal(run.checkpoints[0].gaussians.sh_rest, local.gaussians.sh_rest)


def test_one_file_opens_by_its_address(served: Path, sftp: Sftp, web: Web) -> None:
    """A link to a PLY."""
    gaussians = random_gaussians(50, degree=1)
    write_splats(served / "scene_7000.ply", gaussians)
    for url in (sftp.url("scene_7000.ply"), f"{web.url}/scene_7000.ply?signature=s3cret"):
        run = open_run(url)
        assert run.iterations == (7000,)
        np.testing.assert_array_equal(run.checkpoints[0].gaussians.means, gaussians.means)
        assert "s3cret" not in address_of(run.path)


def test_photos_are_listed_only_when_they_are_looked_for(served: Path, sftp: Sftp) -> None:
    """A data set has thousands; opening the run names none of them and fetches none."""
    shutil.copytree(shared_data("runs", "synth-a"), served / "run")
    shutil.copytree(shared_data("scenes", "synth0"), served / "data")
    run = open_run(sftp.url("run"), sftp.url("data"))
    assert run.data is not None
    assert not list((run.data / "images").iterdir())
    photos = run.photos
    assert len(photos) == len(run.cameras) > 0
    read = Counter(path for path in sftp.sent if "images/" in path)
    assert len(read) == 1, "one header tells how photos are turned"
    photo = next(iter(photos.values()))
    local = shared_data("scenes", "synth0") / photo.path.relative_to(run.data)
    from runs.photos import Photo

    np.testing.assert_array_equal(photo.pixels(), Photo("x", local).pixels())


def test_fetching_can_be_followed_and_stopped(served: Path, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lane shows progress and stops between two pieces when the user turns away."""
    monkeypatch.setattr("runs.remote.mirror.PIECE_BYTES", BLOCK_BYTES)
    write_inria_run(served / "run", iterations=(100,), count=3000, degree=3)
    run = open_run(f"{web.url}/run")
    told: list[tuple[float, str]] = []

    class Enough(Exception):
        pass

    def follow(part: float, address: str) -> None:
        told.append((part, address))
        if len(told) == 3:
            raise Enough

    with following(follow), pytest.raises(Enough):
        _ = run.checkpoints[0].gaussians.means
    assert [part for part, _ in told] == sorted(part for part, _ in told)
    assert told[0][1] == f"{web.url}/run/point_cloud/iteration_100/point_cloud.ply"
    np.testing.assert_array_equal(run.checkpoints[0].gaussians.means, open_run(served / "run").checkpoints[0].gaussians.means)


def test_names_that_lead_out_of_the_mirror_are_passed_over(served: Path, web: Web, cache: Path) -> None:
    """A hostile listing links to `../../x`, to another host, to nothing."""
    write_inria_run(served / "run", iterations=(100,))
    (served / "run" / "index").mkdir()
    links = ("../../evil.ply", "/etc/passwd", "http://elsewhere/x.ply", "%2e%2e%2fy.ply")
    page = "".join(f'<a href="{link}">a</a>' for link in links)
    (served / "run" / "index" / "page").write_text(page)
    before = {path for path in cache.parent.rglob("*") if not path.is_relative_to(served)}
    run = open_run(f"{web.url}/run")
    made = {path for path in cache.parent.rglob("*") if not path.is_relative_to(served)} - before
    assert all(path.is_relative_to(cache) for path in made)
    assert run.iterations == (100,)


def test_the_longest_unused_mirror_goes_first(served: Path, web: Web) -> None:
    """The cache is bounded; what is open stays."""
    write_inria_run(served / "run", iterations=(100,), count=3000, degree=3)
    run = open_run(f"{web.url}/run")
    mirror = mirror_of(run)
    old = mirror.folder.parent / "sftp-gone-0"
    (old / caches.FILES).mkdir(parents=True)
    (old / caches.FILES / "a.ply").write_bytes(bytes(200_000))
    (old / caches.IN_USE).touch()
    os.utime(old / caches.IN_USE, (1, 1))
    caches.evict(mirror.folder, most_bytes=10**9)
    assert old.exists()
    caches.evict(mirror.folder, most_bytes=100_000)
    assert not old.exists()
    assert mirror.root.exists()


def test_a_recorded_data_set_is_looked_for_on_its_own_machine(served: Path, sftp: Sftp) -> None:
    """The path in cfg_args is of the machine that trained, and so is the address."""
    shutil.copytree(shared_data("scenes", "synth0"), served / "data" / "scenes" / "s")
    model = shared_data("scenes", "synth0", "images")
    names = sorted(path.name for path in model.iterdir())
    write_inria_run(served / "out" / "run", cameras=names, source="/data/scenes/s")
    run = open_run(sftp.url("out/run"))
    assert run.data is not None
    assert address_of(run.data) == sftp.url("data/scenes/s", user="")
    assert len(run.photos) == len(names)
    write_inria_run(served / "out" / "other", cameras=names, source="/data/scenes/nowhere")
    assert open_run(sftp.url("out/other")).data is None
