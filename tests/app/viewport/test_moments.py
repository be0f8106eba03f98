"""Moments of a moving scene, scrubbed by hand: the slider moves the Gaussians, and what is shown says which moment it is."""

import time as clock
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.lanes import close_lanes
from app.loading import Loader
from app.panels.viewport import ViewportPanel
from app.session import Session
from app.widgets import viewport_looks as looks
from app.widgets.moment_bar import PLAYED, STEPS
from runs.errors import UnreadableFile
from runs.gaussians import Gaussians
from runs.motion import moved
from runs.run import Run
from tests.app.viewport.hand import LEFT, NO_KEY, SOFTWARE, picture, settle
from tests.support.files import random_gaussians
from tests.support.runs import cloud, made_run, ring_cameras


@dataclass
class Sliding:
    """Moves everything along x by its moment; `made` tells the moments in order."""

    span: tuple[float, float] = (0.0, 1.0)
    takes_s: float = 0.0
    breaks: bool = False
    made: list[float] = field(default_factory=list)

    def at(self, canonical: Gaussians, time: float) -> Gaussians:
        clock.sleep(self.takes_s)
        if self.breaks:
            raise UnreadableFile("this network is gone; copy it again", Path("deform.pth"))
        self.made.append(time)
        return moved(canonical, {"means": canonical.means + np.float32([time, 0, 0])})


@dataclass
class Scene:
    """A panel with a loader on a run of two saves, of which only the last one moves."""

    panel: ViewportPanel
    session: Session
    motion: Sliding
    reads: list[int]

    @property
    def shown_x(self) -> float:
        shown = self.session.state.shown
        assert shown is not None
        return float((shown.splats.means - shown.gaussians.means)[:, 0].mean())


def a_run(motion: Sliding, reads: list[int]) -> Run:
    run = made_run(checkpoints={100: cloud(300, opacity=0.8), 200: cloud(400, opacity=0.8)}, cameras=ring_cameras(8))
    first, last = run.checkpoints

    def read() -> Gaussians:
        reads.append(200)
        return last.read()

    moving = replace(last, read=read, label="fine 100", motion=motion)
    return replace(run, checkpoints=(replace(first, label="coarse 100"), moving))


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    motion, reads, session = Sliding(), [], Session()
    loader = Loader(session)
    panel = ViewportPanel(session, choice=SOFTWARE)
    panel.resize(520, 360)
    qtbot.addWidget(panel)
    with qtbot.waitExposed(panel):
        panel.show()
    session.open(a_run(motion, reads))
    qtbot.waitUntil(lambda: session.state.shown is not None)
    settle(qtbot, panel)
    yield Scene(panel, session, motion, reads)
    panel.close()
    close_lanes(loader)
    close_lanes(session)


def arrived(scene: Scene) -> bool:
    shown = scene.session.state.shown
    return shown is not None and shown.time == scene.session.state.time and not scene.session.state.busy


def test_the_bar_is_there_only_where_something_moves(scene: Scene, qtbot: QtBot) -> None:
    """A slider that does nothing would be a riddle in every other run."""
    assert scene.panel.moments.isVisible()
    assert scene.panel.moments.label.text() == "Canonical set"
    assert scene.panel.toolbar.where.text() == "Iteration 200 (fine 100) · 400 Gaussians"
    scene.session.go_to(100)
    qtbot.waitUntil(lambda: scene.session.state.shown.checkpoint.iteration == 100)  # type: ignore[union-attr]
    assert not scene.panel.moments.isVisible()


def test_a_click_and_a_drag_on_the_slider_move_the_gaussians(scene: Scene, qtbot: QtBot) -> None:
    """The picture follows the hand, and the file is read once."""
    before = picture(qtbot, scene.panel)
    slider = scene.panel.moments.slider
    middle = QPoint(slider.width() // 2, slider.height() // 2)
    qtbot.mousePress(slider, LEFT, NO_KEY, middle)
    assert scene.session.state.time == pytest.approx(0.5, abs=0.02)
    qtbot.mouseMove(slider, QPoint(slider.width() - 2, middle.y()))
    qtbot.mouseRelease(slider, LEFT, NO_KEY, QPoint(slider.width() - 2, middle.y()))
    assert scene.session.state.time == 1.0
    qtbot.waitUntil(lambda: arrived(scene))
    assert scene.shown_x == pytest.approx(1.0, abs=1e-5)
    assert scene.panel.moments.label.text() == "Moment 1.000"
    assert np.abs(picture(qtbot, scene.panel).astype(int) - before).mean() > 2
    assert scene.reads == [200]


def test_the_keyboard_moves_it_too(scene: Scene, qtbot: QtBot) -> None:
    """One step is one two-hundredth of the recording."""
    scene.session.show_moment(0.5)
    qtbot.waitUntil(lambda: arrived(scene))
    qtbot.keyClick(scene.panel.moments.slider, Qt.Key.Key_Right)
    assert scene.session.state.time == pytest.approx(0.5 + 1 / STEPS)


def test_a_steady_drag_shows_moments_on_its_way_and_ends_at_the_last(scene: Scene, qtbot: QtBot) -> None:
    """A lane that drops what is overtaken would show nothing until the hand rests; one that shows all would lag behind it."""
    scene.motion.takes_s = 0.03
    shown: list[float | None] = []
    scene.session.changed.connect(lambda new, old: shown.append(new.shown.time) if new.shown is not old.shown else None)
    for step in range(40):
        scene.panel.moments.slider.setValue(step)
        qtbot.wait(8)
    qtbot.waitUntil(lambda: arrived(scene))
    assert shown[-1] == pytest.approx(39 / STEPS)
    assert 3 < len(shown) < 30
    assert shown == sorted(shown)
    assert scene.reads == [200]


def test_the_canonical_set_comes_back(scene: Scene, qtbot: QtBot) -> None:
    """It is what the file holds and what is diagnosed."""
    scene.session.show_moment(0.25)
    qtbot.waitUntil(lambda: arrived(scene))
    assert not scene.panel.moments.canonical.isChecked()
    qtbot.mouseClick(scene.panel.moments.canonical, LEFT)
    assert scene.session.state.time is None
    qtbot.waitUntil(lambda: arrived(scene))
    assert scene.shown_x == 0
    qtbot.mouseClick(scene.panel.moments.canonical, LEFT)
    assert scene.session.state.time == pytest.approx(0.25)


def test_playing_goes_round_and_makes_each_moment_once(scene: Scene, qtbot: QtBot) -> None:
    """The second round comes from memory."""
    scene.session.show_moment(1 - PLAYED / STEPS)
    qtbot.waitUntil(lambda: arrived(scene))
    qtbot.mouseClick(scene.panel.moments.play, LEFT)
    qtbot.waitUntil(lambda: len(scene.motion.made) >= 4)
    qtbot.mouseClick(scene.panel.moments.play, LEFT)
    assert not scene.panel.moments.playing
    assert scene.motion.made[1:4] == [1.0, 0.0, pytest.approx(PLAYED / STEPS)]
    qtbot.waitUntil(lambda: arrived(scene))
    made = list(scene.motion.made)
    scene.session.show_moment(1.0)
    qtbot.waitUntil(lambda: arrived(scene))
    assert scene.motion.made == made


def test_a_moment_outside_the_recording_is_its_nearest_end(scene: Scene, qtbot: QtBot) -> None:
    """A link or a command line may name any number."""
    scene.session.look_at(None, None, None, 7.5)
    qtbot.waitUntil(lambda: scene.session.state.shown.time == 1.0)  # type: ignore[union-attr]
    assert scene.panel.moments.label.text() == "Moment 1.000"


def test_a_motion_that_fails_leaves_the_window_usable(scene: Scene, qtbot: QtBot) -> None:
    """The network may be deleted while the run is open."""
    scene.motion.breaks = True
    with qtbot.captureExceptions() as told:
        scene.session.show_moment(0.5)
        qtbot.waitUntil(lambda: bool(told))
    assert "copy it again" in str(told[0][1])
    scene.motion.breaks = False
    scene.session.show_moment(0.75)
    qtbot.waitUntil(lambda: arrived(scene))
    assert scene.shown_x == pytest.approx(0.75, abs=1e-5)


def test_scores_against_photos_are_not_offered(scene: Scene) -> None:
    """No photo shows the canonical set; the choice says so instead of failing when it is made."""
    model, at = scene.panel.toolbar.colour_by.model(), scene.panel.toolbar.colour_by.findData("floater_score")
    assert not model.item(at).isEnabled()  # type: ignore[attr-defined]
    assert "moves" in model.item(at).toolTip()  # type: ignore[attr-defined]


def test_going_back_returns_to_the_moment(scene: Scene) -> None:
    """Back undoes jumps; a place without its moment is another place."""
    scene.session.show_moment(0.25)
    scene.session.go_to(100)
    scene.session.show_moment(0.75)
    scene.session.back()
    assert (scene.session.state.iteration, scene.session.state.time) == (200, 0.25)


def test_anchors_are_drawn_as_dots_and_choices_without_meaning_are_off(qtbot: QtBot) -> None:
    """Of anchors only positions are the trainer's: a splat or an opacity would be invented."""
    session = Session()
    loader = Loader(session)
    panel = ViewportPanel(session, choice=SOFTWARE)
    qtbot.addWidget(panel)
    panel.resize(520, 360)
    panel.show()
    run = made_run(checkpoints={100: random_gaussians(50), 200: cloud(60)})
    session.open(replace(run, checkpoints=(replace(run.checkpoints[0], holds="anchors"), run.checkpoints[1])))
    qtbot.waitUntil(lambda: session.state.shown is not None)
    assert panel.toolbar.points.isEnabled()
    session.update(colour_by="opacity")
    session.go_to(100)
    qtbot.waitUntil(lambda: session.state.shown.checkpoint.iteration == 100)  # type: ignore[union-attr]
    settle(qtbot, panel)
    assert panel.toolbar.points.isChecked()
    assert not panel.toolbar.points.isEnabled()
    assert "only their positions" in panel.toolbar.points.toolTip()
    assert panel.toolbar.colour_by.currentText() == "One colour"
    assert "anchors" in panel.stage.pointer.overlay.note
    assert panel.toolbar.where.text() == "Iteration 100 · 50 anchors"
    assert set(looks.CHOICES) - set(looks.unusable(session.state.shown)) == {"rgb", "depth", "neighbour_distance"}
    session.go_to(200)
    qtbot.waitUntil(lambda: session.state.shown.checkpoint.iteration == 200)  # type: ignore[union-attr]
    assert panel.toolbar.points.isEnabled()
    assert not panel.toolbar.points.isChecked()
    assert panel.toolbar.colour_by.currentText() == "Opacity"
    panel.close()
    close_lanes(loader)
    close_lanes(session)
