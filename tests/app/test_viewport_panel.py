"""The viewport as a hand uses it: real mouse and key events must turn, zoom, pick and look through what is drawn."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.panels.viewport import ViewportPanel
from app.session import Selection, Session, Shown
from app.widgets.graphics_probe import graphics
from app.widgets.viewport_looks import CHOICES, TINT_RGB
from app.widgets.viewport_surface import LEAST_PX, MOVING_PX, affordable, smaller
from diagnostics.diagnosis import Reported
from diagnostics.verdict import Finding, GaussianPlace
from render.raster.compare import psnr
from render.raster.cpu import rasterise
from render.splats import prepare
from render.viewport.backend import ViewRequest
from render.viewport.choose import Choice
from render.viewport.picking import strongest
from runs.arrays import U8
from runs.gaussians import Gaussians
from runs.run import Run
from tests.support.runs import changed, cloud, made_run, ring_cameras

SOFTWARE, GL = Choice("software", "the test asks for it"), Choice("gl", "the test asks for it")
LEFT, RIGHT, NO_KEY = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier


def no_gl() -> bool:
    """Whether this Qt platform cannot show a GL widget (Xvfb with xcb can, offscreen cannot)."""
    return graphics().renderer is None


@pytest.fixture(params=["software", "gl"])
def panel(request: pytest.FixtureRequest, qtbot: QtBot) -> Iterator[ViewportPanel]:
    """A panel on a small run, its first picture drawn; every test runs on both back-ends."""
    if request.param == "gl" and no_gl():
        pytest.skip(f"the Qt platform {QGuiApplication.platformName()} offers no OpenGL window (Xvfb with xcb does)")
    yield from opened(qtbot, GL if request.param == "gl" else SOFTWARE)


@pytest.fixture
def soft(qtbot: QtBot) -> Iterator[ViewportPanel]:
    """A panel on the software back-end, where the back-end does not matter."""
    yield from opened(qtbot, SOFTWARE)


def opened(qtbot: QtBot, choice: Choice) -> Iterator[ViewportPanel]:
    session = Session()
    made = ViewportPanel(session, choice=choice)
    made.resize(420, 330)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    canvas = getattr(made.stage.surface, "canvas", None)
    if canvas is not None:
        canvas.events.draw.ignore_callback_errors = False  # else vispy only logs what goes wrong while drawing
    session.open(made_up_run())
    show(session)
    settle(qtbot, made)
    yield made
    made.close()


def made_up_run(gaussians: Gaussians | None = None) -> Run:
    first, last = cloud(300, seed=1, opacity=0.8), gaussians or cloud(400, opacity=0.8)
    return made_run(checkpoints={100: first, 200: last}, cameras=ring_cameras(8))


def show(session: Session) -> None:
    """What the window's loader does."""
    assert session.state.run is not None
    checkpoint = session.state.run.checkpoint(session.state.iteration)
    assert checkpoint is not None
    session.update(shown=Shown(checkpoint, checkpoint.gaussians, prepare(checkpoint.gaussians)))


def settle(qtbot: QtBot, panel: ViewportPanel) -> None:
    """Until the picture of the last wish is on the screen."""
    qtbot.waitUntil(lambda: not panel.busy and panel.stage.surface.settled(), timeout=20_000)
    QApplication.processEvents()


def picture(qtbot: QtBot, panel: ViewportPanel) -> U8:
    """uint8 [H, W, 3] as on the screen, overlays included."""
    settle(qtbot, panel)
    image = panel.stage.grab().toImage().convertToFormat(panel.stage.grab().toImage().Format.Format_RGB888)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return pixels[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def drag(panel: ViewportPanel, button: Qt.MouseButton, by: tuple[int, int], start: tuple[int, int] = (200, 140)) -> None:
    """Press, move in steps, release, at the pointer."""
    kinds = QMouseEvent.Type
    steps = [(kinds.MouseButtonPress, 0.0), *((kinds.MouseMove, i / 6) for i in range(1, 7)), (kinds.MouseButtonRelease, 1.0)]
    for kind, share in steps:
        at = QPointF(start[0] + share * by[0], start[1] + share * by[1])
        held = Qt.MouseButton.NoButton if kind == kinds.MouseButtonRelease else button
        pressed = Qt.MouseButton.NoButton if kind == kinds.MouseMove else button
        event = QMouseEvent(kind, at, panel.stage.pointer.mapToGlobal(at), pressed, held, NO_KEY)
        QApplication.sendEvent(panel.stage.pointer, event)
        QApplication.processEvents()


def wheel(panel: ViewportPanel, notches: int) -> None:
    at = QPointF(200, 140)
    event = QWheelEvent(at, panel.stage.pointer.mapToGlobal(at), QPoint(0, 0), QPoint(0, 120 * notches), LEFT & RIGHT, NO_KEY,
                        Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(panel.stage.pointer, event)


def lit_pixel(panel: ViewportPanel) -> QPoint:
    """Where the picture is most opaque, near the middle."""
    shown, view = panel.session.state.shown, panel.view()
    assert shown is not None
    assert view is not None
    alpha = rasterise(shown.splats, view).alpha[60:200, 80:320]
    y, x = np.unravel_index(alpha.argmax(), alpha.shape)
    return QPoint(int(x) + 80, int(y) + 60)


def eye(panel: ViewportPanel) -> list[float]:
    view = panel.view()
    assert view is not None
    return list(view.centre)


def test_the_screen_shows_what_the_rasteriser_measures(panel: ViewportPanel, qtbot: QtBot) -> None:
    """Both back-ends, on the real screen: the picture of the run, not a black or a stale one."""
    shown = picture(qtbot, panel)
    wanted = panel.snapshot(shown.shape[1], shown.shape[0])
    assert wanted.std() > 20
    assert psnr(shown / 255, wanted / 255) > 40


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
    assert panel.session.state.camera in panel.stage.pointer.overlay.note
    assert panel.stage.pointer.overlay.photo is not None
    assert panel.toolbar.camera.currentText() == camera.name
    drag(panel, LEFT, (40, 0))
    settle(qtbot, panel)
    assert panel.session.state.camera is None
    assert 0 < np.linalg.norm(eye(panel) - camera.centre) < 3  # on from there, not from where the free camera was


@pytest.mark.parametrize("name", [name for name in CHOICES if name not in ("rgb", "floater_score", "ghost_score")])
def test_every_number_has_a_legend_with_its_range(soft: ViewportPanel, qtbot: QtBot, name: str) -> None:
    """A colour without a legend is decoration."""
    plain = picture(qtbot, soft)
    soft.session.update(colour_by=name)
    assert (picture(qtbot, soft) != plain).any()
    text = soft.stage.legend.shows
    assert text is not None
    assert text.title == CHOICES[name]
    assert text.scale.low < text.scale.high
    assert soft.stage.legend.isVisible()
    soft.session.update(colour_by="rgb")
    settle(qtbot, soft)
    assert not soft.stage.legend.isVisible()


def test_depth_says_its_unit_and_scores_say_when_they_are_missing(soft: ViewportPanel, qtbot: QtBot) -> None:
    """Nothing is coloured by a number that does not exist."""
    soft.session.update(colour_by="depth")
    settle(qtbot, soft)
    assert soft.stage.legend.shows.unit == "world units"  # type: ignore[union-attr]
    plain = soft.snapshot(200, 150)
    soft.session.update(colour_by="floater_score")
    settle(qtbot, soft)
    assert "not available" in soft.stage.pointer.overlay.note
    assert soft.stage.legend.shows is None
    scores = np.linspace(0, 1, 400, dtype=np.float32)
    scores[:30] = np.nan
    soft.session.update(scores={"floater_score": scores})
    settle(qtbot, soft)
    assert soft.stage.legend.shows.missing  # type: ignore[union-attr]
    assert "not available" not in soft.stage.pointer.overlay.note
    assert (soft.snapshot(200, 150) != plain).any()


def test_the_gaussians_of_a_finding_are_tinted_at_their_iteration_only(panel: ViewportPanel, qtbot: QtBot) -> None:
    """Rows of another iteration are other Gaussians."""
    reddish = np.array(TINT_RGB)
    before = picture(qtbot, panel)
    panel.session.update(finding=reported(np.arange(0, 400, 2), 200))
    tinted = picture(qtbot, panel)
    assert closeness(tinted, reddish) > closeness(before, reddish) + 0.05
    panel.session.update(finding=reported(np.arange(0, 300, 2), 100))
    np.testing.assert_array_equal(picture(qtbot, panel), before)


def reported(rows: np.ndarray, iteration: int) -> Reported:
    """A finding of which only the place matters here."""
    finding = Finding("many", (), gaussians=GaussianPlace(rows.astype(np.int64), iteration, 400))
    return Reported(None, finding, "major", "", (), (100, 200), ())  # type: ignore[arg-type]


def closeness(pixels: U8, colour: np.ndarray) -> float:
    """Share of pixels whose hue is that of `colour`."""
    lit = pixels.astype(float)[pixels.max(axis=-1) > 40]
    return float((np.abs(lit / lit.max(axis=-1, keepdims=True) - colour).max(axis=-1) < 0.2).mean())


def test_large_selections_are_tinted_and_small_ones_marked(soft: ViewportPanel, qtbot: QtBot) -> None:
    """Twenty rings still tell something, two thousand hide the picture."""
    soft.session.update(selected=Selection(200, np.arange(5)))
    settle(qtbot, soft)
    assert len(soft.stage.pointer.overlay.marks) == 5  # type: ignore[arg-type]
    plain = soft.snapshot(100, 80)
    soft.session.update(selected=Selection(200, np.arange(200)))
    settle(qtbot, soft)
    assert soft.stage.pointer.overlay.marks is None
    assert (soft.snapshot(100, 80) != plain).any()


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


def test_points_and_white_background(panel: ViewportPanel, qtbot: QtBot) -> None:
    """Dots leave most of the background free."""
    panel.toolbar.points.setChecked(True)
    dots = picture(qtbot, panel)
    assert 0.001 < (dots.max(axis=-1) > 12).mean() < 0.3
    panel.toolbar.white.setChecked(True)
    assert (picture(qtbot, panel) == 255).all(axis=-1).mean() > 0.6


def test_hidden_rows_are_told(soft: ViewportPanel, qtbot: QtBot) -> None:
    """Rows that no renderer may see must not vanish silently."""
    broken = cloud(400, opacity=0.8)
    means = broken.means.copy()
    means[:7] = np.nan
    soft.session.open(made_up_run(changed(broken, means=means)))
    show(soft.session)
    settle(qtbot, soft)
    assert soft.hidden_label.isVisible()
    assert "7 with NaN" in soft.hidden_label.text()
    qtbot.mouseClick(soft.stage.pointer, LEFT, NO_KEY, lit_pixel(soft))
    settle(qtbot, soft)
    assert soft.session.state.selected.rows[0] >= 7  # type: ignore[union-attr]


def test_without_anything_to_draw_it_says_why(soft: ViewportPanel, qtbot: QtBot) -> None:
    """An empty black field leaves the user guessing."""
    soft.session.update(run=None, shown=None)
    settle(qtbot, soft)
    assert "Open a training run" in soft.stage.pointer.overlay.message
    soft.session.open(made_run())
    assert "no saved Gaussians" in soft.stage.pointer.overlay.message
    soft.session.open(made_up_run())
    assert "Reading iteration 200" in soft.stage.pointer.overlay.message
    nothing = changed(cloud(20), means=np.full((20, 3), np.nan))
    soft.session.open(made_run(checkpoints={5: nothing}))
    show(soft.session)
    settle(qtbot, soft)
    assert "no Gaussian that can be drawn" in soft.stage.pointer.overlay.message
    assert not soft.snapshot(40, 30).any()


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


def test_a_run_without_cameras_is_framed(qtbot: QtBot) -> None:
    """A bare PLY has nothing to look through and must still fill the window; far strays must not make it a dot."""
    gaussians = cloud(400, opacity=0.9)
    means = gaussians.means.copy()
    means[:20] *= 1e5
    session = Session()
    panel = ViewportPanel(session, choice=SOFTWARE)
    qtbot.addWidget(panel)
    panel.resize(400, 300)
    panel.show()
    session.open(replace(made_run(checkpoints={1: changed(gaussians, means=means)})))
    show(session)
    assert (picture(qtbot, panel).max(axis=-1) > 12).mean() > 0.1
    assert not panel.toolbar.frusta.isEnabled()
    panel.close()
