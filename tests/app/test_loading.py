"""Loading happens off the GUI thread, and what arrives is what was asked for last."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.cache import ShownCache, size_bytes
from app.diagnosing import Doctor
from app.lanes import close_lanes, settled
from app.loading import Loader
from app.session import Session, Shown
from render.splats import prepare
from runs.errors import UnreadableFile
from tests.support.data import shared_data
from tests.support.files import random_gaussians, write_inria_run, write_splats
from tests.support.runs import changed, cloud, made_run


@pytest.fixture
def session():
    session = Session()
    yield session
    close_lanes(session)


@pytest.fixture
def loader(session):
    return Loader(session)


def test_a_run_opens_with_its_small_parts_read(session, loader, qtbot):
    """Panels ask for settings, series and cameras on the GUI thread; no file may be read there."""
    loader.open(shared_data("runs", "sample"), shared_data("scenes", "synth0"))
    qtbot.waitUntil(lambda: session.state.shown is not None, timeout=30_000)
    run = session.state.run
    for part in ("settings", "series", "events", "cameras", "photos", "input_points", "sfm_points"):
        assert part in vars(run), f"{part} would be read later"
    assert session.state.iteration == run.iterations[-1] == session.state.shown.checkpoint.iteration
    assert not session.state.busy


def test_the_data_folder_can_be_named_later(session, loader, qtbot, tmp_path):
    """Photos are elsewhere on most machines: naming them must not lose the user's place."""
    loader.open(Path(shutil.copytree(shared_data("runs", "sample"), tmp_path / "moved")))
    qtbot.waitUntil(lambda: session.state.run is not None, timeout=30_000)
    session.go_to(300)
    assert not session.state.run.photos
    loader.set_data(shared_data("scenes", "synth0"))
    qtbot.waitUntil(lambda: bool(session.state.run.photos), timeout=30_000)
    assert session.state.iteration == 300


def test_new_saves_are_found_and_the_viewer_of_the_newest_follows(session, loader, qtbot, tmp_path):
    """A training that is still running is watched from its newest save, without opening it again."""
    folder = write_inria_run(tmp_path / "run")
    loader.open(folder)
    qtbot.waitUntil(lambda: session.state.shown is not None, timeout=30_000)
    write_splats(folder / "point_cloud/iteration_300/point_cloud.ply", random_gaussians(30, degree=1))
    told: list[str] = []
    loader.looked.connect(told.append)
    loader.refresh()
    qtbot.waitUntil(lambda: session.state.shown is not None and session.state.shown.checkpoint.iteration == 300, timeout=30_000)
    assert session.state.run.iterations == (100, 200, 300)
    session.go_to(100)
    write_splats(folder / "point_cloud/iteration_400/point_cloud.ply", random_gaussians(30, degree=1))
    loader.refresh()
    qtbot.waitUntil(lambda: session.state.run.iterations[-1] == 400, timeout=30_000)
    assert session.state.iteration == 100
    loader.refresh()
    qtbot.waitUntil(lambda: len(told) == 3, timeout=30_000)
    assert told == ["New: iteration 300", "New: iteration 400", "No new save since iteration 400"]


def test_an_unreadable_run_leaves_the_open_one(session, loader, qtbot, tmp_path):
    """A mistyped folder must not cost the user what they were looking at."""
    session.open(made_run(checkpoints={100: cloud()}))
    before = session.state.run
    with qtbot.capture_exceptions() as caught:
        loader.open(tmp_path)
        qtbot.waitUntil(lambda: bool(caught))
    assert str(tmp_path) in str(caught[0][1])
    assert session.state.run is before


@pytest.mark.usefixtures("loader")
def test_a_checkpoint_that_cannot_be_read_is_told_and_the_next_one_loads(session, qtbot):
    """One damaged file among thirty is a notice, not the end."""
    def broken():
        raise UnreadableFile("truncated", Path("a.ply"))

    run = made_run(checkpoints={100: cloud(), 200: cloud()})
    damaged = replace(run, checkpoints=(replace(run.checkpoints[0], read=broken), run.checkpoints[1]))
    session.open(damaged)
    qtbot.waitUntil(lambda: session.state.shown is not None)
    with qtbot.capture_exceptions() as caught:
        session.go_to(100)
        qtbot.waitUntil(lambda: bool(caught))
    assert session.state.shown.checkpoint.iteration == 200
    assert not session.state.busy
    session.go_to(200)
    assert settled(session)


@pytest.mark.usefixtures("loader")
def test_scrubbing_back_is_instant_and_scores_do_not_follow(session, qtbot):
    """A cached checkpoint arrives in the same event; scores belong to the checkpoint they were computed for."""
    session.open(made_run(checkpoints={100: cloud(50), 200: cloud(60)}))
    qtbot.waitUntil(lambda: session.state.shown is not None)
    session.update(scores={"floater_score": np.zeros(60, np.float32)})
    session.go_to(100)
    qtbot.waitUntil(lambda: session.state.shown.checkpoint.iteration == 100)
    assert not session.state.scores
    session.go_to(200)
    assert session.state.shown.checkpoint.iteration == 200


def test_the_cache_forgets_the_least_recently_shown():
    """Thirty checkpoints of a million Gaussians would fill the memory."""
    run = made_run(checkpoints={i: cloud(100, seed=i) for i in (1, 2, 3)})
    shown = [Shown(c, c.gaussians, prepare(c.gaussians)) for c in run.checkpoints]
    cache = ShownCache(budget=2 * size_bytes(shown[0]))
    for entry in shown[:2]:
        cache.add(entry)
    assert cache.get(run.checkpoints[0]) is shown[0]
    cache.add(shown[2])
    assert cache.get(run.checkpoints[1]) is None
    assert cache.get(run.checkpoints[0]) is shown[0]
    tiny = ShownCache(budget=1)
    tiny.add(shown[0])
    assert len(tiny) == 1  # what is on the screen is kept whatever its size


@pytest.mark.usefixtures("loader")
def test_hidden_rows_are_counted_not_drawn(session, qtbot):
    """A NaN row on the GPU can blank the whole picture."""
    base = cloud(30)
    means = base.means.copy()
    means[[3, 5]] = np.nan
    session.open(made_run(checkpoints={100: changed(base, means=means)}))
    qtbot.waitUntil(lambda: session.state.shown is not None)
    assert len(session.state.shown.splats) == 28
    assert "2 with NaN" in session.state.shown.splats.hidden.sentence()


def test_a_score_is_computed_when_it_is_coloured_by(session, loader, qtbot):
    """Floater scores take seconds: they are made in the background, for the checkpoint on the screen."""
    Doctor(session)
    loader.open(shared_data("runs", "sample"), shared_data("scenes", "synth0"))
    qtbot.waitUntil(lambda: session.state.shown is not None, timeout=30_000)
    session.update(colour_by="floater_score")
    qtbot.waitUntil(lambda: "floater_score" in session.state.scores, timeout=60_000)
    values = session.state.scores["floater_score"]
    assert values.shape == (session.state.shown.gaussians.count,)
    finite = values[np.isfinite(values)]
    assert ((finite >= 0) & (finite <= 1)).all()


@pytest.mark.usefixtures("loader")
def test_a_score_that_cannot_be_computed_says_what_it_needs(session, qtbot):
    """"Not available" without a reason leaves the user stuck."""
    Doctor(session)
    session.open(made_run(checkpoints={100: cloud()}))
    qtbot.waitUntil(lambda: session.state.shown is not None)
    with qtbot.capture_exceptions() as caught:
        session.update(colour_by="ghost_score")
        qtbot.waitUntil(lambda: bool(caught), timeout=30_000)
    assert "needs" in str(caught[0][1])
