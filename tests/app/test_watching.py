"""A training that writes is followed without a click, the user's place is his own, and the window answers meanwhile."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app import watching
from app.lanes import close_lanes, settled
from app.loading import Loader
from app.panels.plots import PlotsPanel
from app.session import Session
from app.watching import Follower, Seen, ago, live_text
from tests.support.files import random_gaussians, write_inria_run, write_splats

ROOT = Path(__file__).parents[2]

# A training of its own process: a line of metrics now and then, and every few of them a save, byte by byte as plyfile does.
TRAINER = """
import sys, time
from pathlib import Path
from tests.support.files import random_gaussians, write_splats
folder, first, last = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
with open(folder / "metrics.jsonl", "a", buffering=1) as log:
    for it in range(first, last + 1):
        log.write('{"it": %d, "l1": %r, "n": 30}\\n' % (it, 1 / it))
        if it % 100 == 0:
            write_splats(folder / f"point_cloud/iteration_{it}/point_cloud.ply", random_gaussians(400, degree=1))
        time.sleep(0.002)
"""


def train(folder: Path, first: int, last: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", TRAINER, str(folder), str(first), str(last)], cwd=ROOT)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "LOOK_MS", 50)


@pytest.fixture
def session():
    session = Session()
    yield session
    close_lanes(session)


def opened(session, loader, folder, qtbot):
    loader.open(folder)
    qtbot.waitUntil(lambda: session.state.shown is not None, timeout=30_000)


def test_a_training_is_followed_in_the_window_while_another_process_writes(window, qtbot, tmp_path):
    """The newest save comes to who stands there, curves grow, and nobody has clicked anything."""
    folder = write_inria_run(tmp_path / "run", evaluated=False)
    trainer = train(folder, 201, 500)
    window.loader.open(folder)
    state = lambda: window.session.state  # noqa: E731
    qtbot.waitUntil(lambda: state().shown is not None and state().shown.checkpoint.iteration == 500, timeout=60_000)
    assert trainer.wait() == 0
    qtbot.waitUntil(lambda: len(state().run.series["loss/l1"]) == 300, timeout=30_000)
    assert state().run.iterations == (100, 200, 300, 400, 500)
    assert window.actions_.follow.isChecked()
    assert window.live.text().startswith("Live · last save")
    plots = next(panel for panel in window.panels.values() if isinstance(panel, PlotsPanel))
    qtbot.waitUntil(lambda: any(len(series) == 300 for chart in plots.charts for series in chart.spec.series), timeout=30_000)
    assert not state().busy


def test_charts_grow_without_being_built_again(window, qtbot, tmp_path):
    """A chart that is replaced every two seconds would close the menu that the user has open, and drop a drag."""
    folder = write_inria_run(tmp_path / "run", evaluated=False)
    assert train(folder, 1, 60).wait() == 0
    opened(window.session, window.loader, folder, qtbot)
    plots = next(panel for panel in window.panels.values() if isinstance(panel, PlotsPanel))
    qtbot.waitUntil(lambda: bool(plots.charts) and settled(window))
    before = list(plots.charts)
    assert train(folder, 61, 90).wait() == 0
    qtbot.waitUntil(lambda: len(window.session.state.run.series["loss/l1"]) == 90, timeout=30_000)
    qtbot.waitUntil(lambda: any(len(series) == 90 for chart in plots.charts for series in chart.spec.series))
    assert all(one is other for one, other in zip(before, plots.charts, strict=True))


def test_who_looks_elsewhere_stays_there(session, qtbot, tmp_path):
    """New saves must not pull a user away from the iteration that he compares."""
    loader, follower = Loader(session), Follower(session)
    folder = write_inria_run(tmp_path / "run")
    opened(session, loader, folder, qtbot)
    qtbot.waitUntil(lambda: follower.following, timeout=30_000)
    session.go_to(100)
    write_splats(folder / "point_cloud/iteration_300/point_cloud.ply", random_gaussians(30, degree=1))
    qtbot.waitUntil(lambda: session.state.run.iterations[-1] == 300, timeout=30_000)
    assert session.state.iteration == 100
    session.back()
    assert (session.state.iteration, session.state.run.iterations[-1]) == (200, 300)


def test_the_first_save_of_a_run_that_had_none_is_shown(session, qtbot, tmp_path):
    """Whoever opens a training that has just begun waits for exactly that."""
    loader, follower = Loader(session), Follower(session)
    (tmp_path / "cfg_args").write_text("Namespace(sh_degree=3, source_path='/d', model_path='/m')")
    loader.open(tmp_path)
    qtbot.waitUntil(lambda: follower.following, timeout=30_000)
    assert session.state.shown is None
    write_splats(tmp_path / "point_cloud/iteration_7000/point_cloud.ply", random_gaussians(30, degree=1))
    qtbot.waitUntil(lambda: session.state.shown is not None, timeout=30_000)
    assert session.state.iteration == 7000


def test_a_run_of_long_ago_is_left_alone_until_the_user_wants_it(session, qtbot, tmp_path):
    """A finished run on a slow disk needs no look every two seconds."""
    loader, follower = Loader(session), Follower(session)
    folder = write_inria_run(tmp_path / "run")
    for path in folder.rglob("*"):
        os.utime(path, (1e9, 1e9))
    opened(session, loader, folder, qtbot)
    qtbot.waitUntil(lambda: settled(session), timeout=30_000)
    assert not follower.following
    follower.follow(True)
    write_splats(folder / "point_cloud/iteration_300/point_cloud.ply", random_gaussians(30, degree=1))
    qtbot.waitUntil(lambda: session.state.run.iterations[-1] == 300, timeout=30_000)
    follower.follow(False)
    assert not follower.following


def test_another_run_is_opened_while_one_is_followed(session, qtbot, tmp_path):
    """A late look at the first must not come back over the second."""
    loader, follower = Loader(session), Follower(session)
    one, two = write_inria_run(tmp_path / "one"), write_inria_run(tmp_path / "two")
    opened(session, loader, one, qtbot)
    qtbot.waitUntil(lambda: follower.following, timeout=30_000)
    loader.open(two)
    qtbot.waitUntil(lambda: session.state.run.path == two, timeout=30_000)
    write_splats(one / "point_cloud/iteration_300/point_cloud.ply", random_gaussians(30, degree=1))
    write_splats(two / "point_cloud/iteration_400/point_cloud.ply", random_gaussians(30, degree=1))
    qtbot.waitUntil(lambda: session.state.run.iterations[-1] == 400, timeout=30_000)
    assert session.state.run.path == two


@pytest.mark.parametrize(("found", "text"), [
    (None, "Following"),
    (Seen(None, None, None), "Following · no file yet"),
    (Seen(None, None, 990.0), "Live · no save yet"),
    (Seen(None, 880.0, 999.0), "Live · last save 2 min ago"),
    (Seen(None, 100.0, 100.0), "Following · last change 15 min ago"),
    (Seen(None, 1.0, 1.0, "this path does not exist"), "Following · this path does not exist"),
])
def test_what_the_status_bar_says(found, text):
    """Whether the training still writes is what a user glances at."""
    assert live_text(found, 1000.0) == text


@pytest.mark.parametrize(("seconds", "text"), [
    (-5, "just now"), (9, "just now"), (40, "40 s ago"), (60, "1 min ago"), (125, "2 min ago"), (3 * 3600, "3 h ago"),
    (30 * 3600, "30 h ago"), (5 * 86_400, "5 days ago"),
])
def test_ages_are_told_in_the_largest_unit_that_fits(seconds, text):
    """A clock of another machine may run ahead."""
    assert ago(seconds) == text
