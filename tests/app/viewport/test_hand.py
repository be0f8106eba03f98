"""The viewport as a hand uses it: real mouse and key events must turn, zoom, pick and look through what is drawn."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.panels.viewport import ViewportPanel
from app.session import Session
from app.widgets.viewport_surface import LEAST_PX, MOVING_PX, affordable, smaller
from render.viewport.backend import ViewRequest
from render.viewport.picking import strongest
from tests.app.viewport.hand import LEFT, NO_KEY, RIGHT, SOFTWARE, drag, eye, lit_pixel, made_up_run, picture, settle, show, wheel
from tests.support.runs import cloud


def test_left_drag_orbits_and_right_drag_pans(panel: ViewportPanel, qtbot: QtBot) -> None:
    """The two ways to move; both must reach the screen."""
    first, stood = picture(qtbot, panel), eye(panel)
    drag(panel, LEFT, (90, 20))
    turned, there = picture(qtbot, panel), eye(panel)
    assert np.abs(turned.astype(int) - first).mean() > 2
    assert not np.allclose(there, stood)
    forward = panel.view().forward  # type: ignore[union-attr]
    drag(panel, RIGHT, (60, 0))
    moved = picture(qtbot, panel)
    assert np.abs(moved.astype(int) - turned).mean() > 2
    np.testing.assert_allclose(panel.view().forward, forward)  # type: ignore[union-attr]


def test_wheel_comes_nearer_and_f_frames_everything(panel: ViewportPanel, qtbot: QtBot) -> None:
    """Away from the user is nearer to the scene, as in every 3D program."""
    lit = (picture(qtbot, panel).max(axis=-1) > 12).mean()
    wheel(panel, -4)
    assert (picture(qtbot, panel).max(axis=-1) > 12).mean() < 0.7 * lit
    qtbot.keyClick(panel.stage.pointer, Qt.Key.Key_F)
    framed = picture(qtbot, panel).max(axis=-1) > 12
    assert framed.mean() > 0.15
    assert not framed[:, 0].any()


def test_flying_forward_with_w(soft: ViewportPanel, qtbot: QtBot) -> None:
    """Keys are held, so the flight goes on until the release."""
    before, forward = np.array(eye(soft)), soft.view().forward  # type: ignore[union-attr]
    qtbot.keyPress(soft.stage.pointer, Qt.Key.Key_W)
    qtbot.wait(120)
    qtbot.keyRelease(soft.stage.pointer, Qt.Key.Key_W)
    settle(qtbot, soft)
    step = np.array(eye(soft)) - before
    assert step @ forward > 0.02
    np.testing.assert_allclose(step / np.linalg.norm(step), forward, atol=1e-6)
    landed = eye(soft)
    qtbot.wait(60)
    assert eye(soft) == landed


def test_click_selects_the_strongest_and_marks_it(panel: ViewportPanel, qtbot: QtBot) -> None:
    """The inspector reads the selection: it must be the Gaussian that coloured the pixel."""
    before = picture(qtbot, panel)
    qtbot.mouseClick(panel.stage.pointer, LEFT, NO_KEY, lit_pixel(panel))
    settle(qtbot, panel)
    selected = panel.session.state.selected
    assert selected is not None
    assert selected.iteration == 200
    best = strongest(list(selected.contributors))
    assert best is not None
    assert list(selected.rows) == [best.row]
    assert sum(c.weight for c in selected.contributors) <= 1
    assert (picture(qtbot, panel) != before).any()


def test_click_into_the_void_selects_nothing(soft: ViewportPanel, qtbot: QtBot) -> None:
    """And a drag is not a click."""
    soft.session.select([5])
    drag(soft, LEFT, (30, 0))
    settle(qtbot, soft)
    assert soft.session.state.selected is not None
    wheel(soft, -12)
    qtbot.mouseClick(soft.stage.pointer, LEFT, NO_KEY, QPoint(2, 2))
    settle(qtbot, soft)
    assert soft.session.state.selected is None


def test_double_click_zooms_to_what_was_hit(soft: ViewportPanel, qtbot: QtBot) -> None:
    """It comes to the middle of the picture, nearer than before."""
    pixel = lit_pixel(soft)
    qtbot.mouseClick(soft.stage.pointer, LEFT, NO_KEY, pixel)
    settle(qtbot, soft)
    row = soft.session.state.selected.rows[0]  # type: ignore[union-attr]
    mean = soft.session.state.shown.gaussians.means[row]  # type: ignore[union-attr]
    before = np.linalg.norm(mean - eye(soft))
    qtbot.mouseDClick(soft.stage.pointer, LEFT, NO_KEY, pixel)
    settle(qtbot, soft)
    view = soft.view()
    assert view is not None
    x, y, z = view.camera_from_world[:3, :3] @ mean + view.camera_from_world[:3, 3]
    assert abs(x / z) < 1e-5
    assert abs(y / z) < 1e-5
    assert np.linalg.norm(mean - eye(soft)) < 0.7 * before


def test_a_click_on_a_frustum_looks_through_it_and_moving_leaves_it(panel: ViewportPanel, qtbot: QtBot) -> None:
    """The way from "this photo is bad" to what the training thinks it saw."""
    panel.toolbar.frusta.setChecked(True)
    wheel(panel, -6)
    settle(qtbot, panel)
    overlay = panel.stage.pointer.overlay
    index = 3
    lines = overlay.frusta[index]
    at = lines[4].mean(axis=0)
    qtbot.mouseClick(panel.stage.pointer, LEFT, NO_KEY, QPoint(round(at[0]), round(at[1])))
    settle(qtbot, panel)
    run = panel.session.state.run
    assert run is not None
    camera = next(c for c in run.cameras if c.name == panel.session.state.camera)
    np.testing.assert_allclose(eye(panel), camera.centre)
    assert panel.stage.pointer.overlay.note.startswith(f"Through {camera.name}")
    assert panel.stage.pointer.overlay.photo is not None
    assert panel.toolbar.camera.currentText() == camera.name
    drag(panel, LEFT, (40, 0))
    settle(qtbot, panel)
    assert panel.session.state.camera is None
    assert 0 < np.linalg.norm(eye(panel) - camera.centre) < 3  # on from there, not from where the free camera was


def test_another_iteration_keeps_the_camera(panel: ViewportPanel, qtbot: QtBot) -> None:
    """Scrubbing compares iterations from one place; until the new one is read, the old one stays and says so."""
    drag(panel, LEFT, (50, 10))
    settle(qtbot, panel)
    stood, old = eye(panel), picture(qtbot, panel)
    panel.session.go_to(100)
    assert "Reading iteration 100" in panel.stage.pointer.overlay.note
    show(panel.session)
    assert (picture(qtbot, panel) != old).any()
    np.testing.assert_allclose(eye(panel), stood)
    assert panel.toolbar.where.text() == "Iteration 100 · 300 Gaussians"
    assert not panel.stage.pointer.overlay.note


def test_pictures_keep_coming_during_a_steady_drag(soft: ViewportPanel, qtbot: QtBot) -> None:
    """A lane drops what is overtaken: a drag without an end would otherwise show nothing until it ends."""
    frames, pointer = soft.stage.surface.frames, soft.stage.pointer
    for step in range(40):
        pointer.orbited.emit(2.0, 0.5 * (-1) ** step)
        qtbot.wait(10)
    assert soft.stage.surface.frames > frames + 5


def test_moving_pictures_are_small_and_still_ones_full(soft: ViewportPanel) -> None:
    """On a large screen a full picture takes longer than a hand waits."""
    view = soft.view()
    assert view is not None
    large = ViewRequest(view.resized((2560, 1440)))
    width, height = smaller(large).camera.size_px
    assert width * height <= MOVING_PX * 1.01
    assert width / height == pytest.approx(2560 / 1440, rel=0.01)
    assert smaller(ViewRequest(view.resized((200, 100)))).camera.size_px == (200, 100)


def test_slow_pictures_in_motion_get_smaller_and_fast_ones_large_again() -> None:
    """A million splats on two cores must still follow the hand."""
    assert LEAST_PX < affordable(MOVING_PX, 0.4) < MOVING_PX
    assert affordable(LEAST_PX, 5.0) == LEAST_PX
    pixels: float = LEAST_PX
    for _ in range(20):
        pixels = affordable(int(pixels), 0.08 * pixels / (2 * MOVING_PX))  # a quick machine
    assert pixels == MOVING_PX


def test_closing_while_drawing_leaves_no_thread(qtbot: QtBot) -> None:
    """The window may close at any moment; the fixture of this folder fails on a worker that stays."""
    session = Session()
    panel = ViewportPanel(session, choice=SOFTWARE)
    qtbot.addWidget(panel)
    panel.resize(900, 700)
    panel.show()
    session.open(made_up_run(cloud(20_000)))
    show(session)
    panel.close()
    session.update(colour_by="neighbour_distance")  # nothing may start after the end
