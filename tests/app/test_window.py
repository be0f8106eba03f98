"""The window under real mouse and key events: everything that a user does moves one state, and every panel follows."""

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QDir, QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog

from app import theme
from app.actions import theme_menu
from app.lanes import settled
from app.notices import NoticeBar
from app.panels.diagnosis import DiagnosisPanel
from app.panels.plots import PlotsPanel
from app.panels.runs import RunsPanel
from app.panels.timeline import TimelinePanel
from app.show import dispose
from app.window import Window
from tests.support.runs import changed, cloud
from tests.support.training import healthy_run


@pytest.fixture
def opened(window, qtbot):
    """The window with a run of three saved iterations: 200, 1,000 and 2,000."""
    window.session.open(healthy_run())
    qtbot.waitUntil(lambda: window.session.state.shown is not None and settled(window))
    return window


def send_mouse(widget, kind, at, *, held=Qt.MouseButton.LeftButton, keys=Qt.KeyboardModifier.NoModifier) -> None:
    button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
    QApplication.sendEvent(widget, QMouseEvent(kind, at, widget.mapToGlobal(at), button, held, keys))


def drag(widget, points, keys=Qt.KeyboardModifier.NoModifier) -> None:
    """Press at the first point, move over the others, release."""
    points = [QPointF(*p) for p in points]
    send_mouse(widget, QEvent.Type.MouseButtonPress, points[0], keys=keys)
    for point in points[1:]:
        send_mouse(widget, QEvent.Type.MouseMove, point, keys=keys)
    send_mouse(widget, QEvent.Type.MouseButtonRelease, points[-1], held=Qt.MouseButton.NoButton, keys=keys)


def panel(window, kind):
    return next(p for p in window.panels.values() if isinstance(p, kind))


def test_scrubbing_moves_gaussians_and_plot_cursor_together(opened, qtbot):
    """The product's first promise: one drag, and everything shows the same iteration."""
    bar, charts = panel(opened, TimelinePanel).bar, panel(opened, PlotsPanel).charts
    seen: list[int] = []
    opened.session.watch(lambda state: seen.append(state.iteration), "iteration")
    drag(bar, [(bar.axis.x(1990), 30), (bar.axis.x(1200), 30), (bar.axis.x(150), 30)])
    assert seen == [2000, 1000, 200]
    assert {chart.cursor.value() for chart in charts} == {200}
    qtbot.waitUntil(lambda: opened.session.state.shown.checkpoint.iteration == 200)
    assert opened.session.state.shown.gaussians.count == 400


def test_a_click_in_a_plot_moves_the_session(opened, qtbot):
    """The plot is as good a place to scrub as the timeline."""
    chart, view = panel(opened, PlotsPanel).charts[0], panel(opened, PlotsPanel).view
    qtbot.waitUntil(lambda: chart.vb.width() > 100)  # laid out
    where = view.mapFromScene(chart.vb.mapViewToScene(QPointF(980, chart.vb.viewRect().center().y())))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=where)
    qtbot.waitUntil(lambda: opened.session.state.iteration == 1000)


def test_the_plot_cursor_can_be_dragged_to_saved_iterations(opened):
    """Between two saves there is nothing to show, so the cursor snaps."""
    charts = panel(opened, PlotsPanel).charts
    charts[0].cursor.setValue(1300)
    assert opened.session.state.iteration == 1000
    assert {chart.cursor.value() for chart in charts} == {1000}


def test_shift_drag_chooses_the_range_and_escape_clears_it(opened, qtbot):
    """The range is what Diagnose looks at; every panel must show the same one."""
    bar, charts = panel(opened, TimelinePanel).bar, panel(opened, PlotsPanel).charts
    drag(bar, [(bar.axis.x(400), 30), (bar.axis.x(900), 30), (bar.axis.x(1500), 30)], Qt.KeyboardModifier.ShiftModifier)
    first, last = opened.session.state.span
    assert (first, last) == (pytest.approx(400, abs=4), pytest.approx(1500, abs=4))
    assert charts[0].region.isVisible()
    assert charts[0].region.getRegion() == (first, last)
    drag(bar, [(bar.axis.x(first), 30), (bar.axis.x(600), 30)])  # the left handle
    assert opened.session.state.span == (pytest.approx(600, abs=4), last)
    qtbot.keyClick(bar, Qt.Key.Key_Escape)
    assert opened.session.state.span is None
    assert not charts[0].region.isVisible()


def test_the_timeline_is_driven_by_keys(opened, qtbot):
    """Scrubbing must not need a mouse."""
    bar = panel(opened, TimelinePanel).bar
    at = []
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Home, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_End):
        qtbot.keyClick(bar, key)
        at.append(opened.session.state.iteration)
    assert at == [1000, 200, 200, 1000, 2000]


def test_play_runs_from_the_start_to_the_end_and_stops(opened, qtbot):
    """Play at the end starts over; it must stop by itself."""
    timeline = panel(opened, TimelinePanel)
    seen: list[int] = []
    opened.session.watch(lambda state: seen.append(state.iteration), "iteration")
    qtbot.keyClick(timeline.bar, Qt.Key.Key_Space)
    assert timeline.playing
    qtbot.waitUntil(lambda: not timeline.playing, timeout=10_000)
    assert seen == [2000, 200, 1000, 2000]


@pytest.fixture
def sick(window, qtbot):
    """A run whose last iteration is full of needles."""
    last = cloud(900, seed=2)
    needles = last.log_scales.copy()
    needles[:300, 0] += 4
    window.session.open(healthy_run(checkpoints={200: cloud(400), 2000: changed(last, log_scales=needles)}))
    qtbot.waitUntil(lambda: window.session.state.shown is not None and settled(window))
    return window


def test_diagnose_shows_findings_and_a_click_goes_there(sick, qtbot):
    """The main job: press the button, click a finding, see the guilty Gaussians at their iteration."""
    diagnosis, session = panel(sick, DiagnosisPanel), sick.session
    session.go_to(200)
    qtbot.mouseClick(diagnosis.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session.state.diagnosis is not None and not session.state.busy, timeout=60_000)
    card = next(c for c in diagnosis.cards if c.reported.pattern.name == "needle-gaussians")
    qtbot.waitUntil(card.isVisible)
    qtbot.mouseClick(card, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    state = session.state
    assert state.finding is card.reported
    assert state.iteration == 2000
    assert set(state.selected.rows) == set(range(300))
    assert state.colour_by == (card.reported.finding.colour_by or card.reported.pattern.colour_by)
    assert card.property("chosen") == "true"
    assert panel(sick, PlotsPanel).charts[0].interval.isVisible()
    assert "Needle" in sick.panels["pattern"].page.toPlainText()
    assert not sick.docks["pattern"].visibleRegion().isEmpty()


def test_cancel_stops_a_diagnosis_and_the_last_one_comes_back(sick, qtbot, monkeypatch):
    """A long diagnosis must be interruptible without losing what was there."""
    import app.diagnosing as diagnosing

    session, diagnosis = sick.session, panel(sick, DiagnosisPanel)
    sick.doctor.diagnose()
    qtbot.waitUntil(lambda: not session.state.busy, timeout=60_000)
    before = session.state.diagnosis
    monkeypatch.setattr(diagnosing, "examine", lambda _run, _span, task: _until_cancelled(task))
    qtbot.mouseClick(diagnosis.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(diagnosis.cancel.isVisible)
    assert session.state.diagnosis is None
    qtbot.mouseClick(diagnosis.cancel, Qt.MouseButton.LeftButton)
    assert session.state.diagnosis is before
    assert diagnosis.button.isVisible()


def _until_cancelled(task) -> None:
    while True:
        task.beat()


def test_double_clicking_a_checkpoint_goes_there(opened, qtbot):
    """The list of checkpoints is a list of places."""
    tree = panel(opened, RunsPanel).tree
    item = tree.findItems("Iteration 1,000", Qt.MatchFlag.MatchRecursive)[0]
    tree.scrollToItem(item)
    at = tree.visualItemRect(item).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseDClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert opened.session.state.iteration == 1000
    assert item.font(0).bold()


def test_a_selected_gaussian_is_read_in_the_inspector(opened, qtbot):
    """Stored and activated values, its percentile, and its neighbours: the numbers of this row and no other."""
    opened.session.select([17])
    inspector = opened.panels["inspector"]
    qtbot.waitUntil(lambda: "17" in inspector.title.text())
    gaussians = opened.session.state.shown.gaussians
    row = inspector.tree.findItems("Opacity", Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)[0]
    below = 100 * np.mean(gaussians.opacities < gaussians.opacities[17])
    assert float(row.text(1).replace("−", "-")) == pytest.approx(gaussians.logit_opacities[17], rel=1e-3)
    assert float(row.text(2)) == pytest.approx(gaussians.opacities[17], rel=1e-3)
    assert float(row.text(3).removesuffix(" %")) == pytest.approx(below, abs=0.1)
    opened.session.go_to(200)
    assert "No Gaussian selected" in inspector.message.text()
    assert inspector.tree.isHidden()


def test_dropping_a_folder_opens_it(window, qtbot, tmp_path):
    """Drag and drop is the fastest way in; a folder that is no run is a sentence, not a crash."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path))])
    left, bare = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    drop = QDropEvent(QPointF(100, 100), Qt.DropAction.CopyAction, data, left, bare)
    restore = window.notices.install()
    with qtbot.waitSignal(window.notices.told) as told:
        window.dropEvent(drop)
    restore()
    assert str(tmp_path) in told.args[0].says
    assert window.session.state.run is None


def test_empty_panels_say_what_to_do(window):
    """The first thing a user sees must not be seven blank rectangles."""
    assert "Ctrl+O" in panel(window, RunsPanel).empty.text()
    assert "Open a run" in panel(window, PlotsPanel).empty.text()
    assert not panel(window, DiagnosisPanel).button.isEnabled()
    assert not window.actions_.diagnose.isEnabled()


@pytest.mark.parametrize("name", [
    "point_cloud.ply", "scene.compressed.ply", "scene.spz", "scene.sog", "scene.glb", "scene.gltf", "scene.ksplat", "scene.splat",
    "checkpoint.resume", "chkpnt30000.pth", "ckpt_29999_rank0.pt", "step-000029999.ckpt", "params.npz",
])
def test_the_dialog_offers_every_file_that_opens(name, window, monkeypatch):
    """A file that the dialog hides looks as if it could not be opened."""
    asked = []
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *words: (asked.append(words[-1]), ("", ""))[1])
    window.actions_.ask_file()
    (offered,) = asked
    patterns = offered.split(";;")[0].partition("(")[2].rstrip(")").split()
    assert QDir.match(patterns, name)
    assert not QDir.match(patterns, "photo.jpg")


def test_reports_are_exported_and_told(sick, qtbot, tmp_path, monkeypatch):
    """What the user takes to their team; a missing suffix is added, and the bar says where it went."""
    diagnosis = panel(sick, DiagnosisPanel)
    assert not diagnosis.report_button.isEnabled()
    sick.doctor.diagnose()
    qtbot.waitUntil(lambda: sick.session.state.diagnosis is not None and not sick.session.state.busy, timeout=60_000)
    bar = sick.findChild(NoticeBar)
    wanted = (diagnosis.json_button, "out", "out.json"), (diagnosis.report_button, "a b é.pdf", "a b é.pdf")
    for button, name, written in wanted:
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, name=name: (str(tmp_path / name), ""))
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(bar.isVisible, timeout=60_000)
        assert bar.label.text() == f"Written: {tmp_path / written}"
        bar.close_button.click()
    assert json.loads((tmp_path / "out.json").read_text())["schema"] == 1
    assert (tmp_path / "a b é.pdf").read_bytes().startswith(b"%PDF")


def test_a_report_that_cannot_be_written_is_a_sentence(sick, qtbot, tmp_path, capsys):
    """A full or missing disk is not a bug of ours and must not look like one."""
    sick.doctor.diagnose()
    qtbot.waitUntil(lambda: sick.session.state.diagnosis is not None and not sick.session.state.busy, timeout=60_000)
    restore = sick.notices.install()
    with qtbot.waitSignal(sick.notices.told) as told:
        sick.doctor.export_report(tmp_path / "no" / "out.pdf", pytest.fail)
    restore()
    assert str(tmp_path / "no") in told.args[0].says
    assert told.args[0].details == ""
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["timeline", "plots", "diagnosis"])
def test_every_panel_opens_alone(window, settings, name):
    """`--panel NAME` shows one panel, and the usual layout is not forgotten for it."""
    window.show_only(name)
    shown = {other for other, widget in window.panels.items() if not widget.visibleRegion().isEmpty()}
    assert shown == {name}
    window.close()
    assert settings.value("layout") is None


def test_layout_and_recent_runs_are_remembered(window, settings, qtbot):
    """A window that forgets where its panels were is annoying every day."""
    window.session.open(healthy_run(path=Path("/runs/a")))
    window.docks["plots"].hide()
    window.close()
    again = Window(settings)
    again.show()
    qtbot.waitExposed(again)
    assert not again.docks["plots"].isVisible()
    assert again.actions_.recent_paths() == ["/runs/a"]
    again.reset_layout()
    assert again.docks["plots"].isVisible()
    again.close()
    dispose(again)


def test_theme_changes_repaint_painted_panels(opened, qtbot):
    """Plots and timeline take their colours by hand; after a change of theme none may keep the old ones."""
    view = panel(opened, PlotsPanel).view
    for look in (theme.LIGHT, theme.DARK):
        theme.apply(QApplication.instance(), look)
        qtbot.waitUntil(lambda look=look: view.backgroundBrush().color().name() == look.panel)


def test_theme_changes_reach_the_muted_lines_of_trees(opened, qtbot):
    """Grey that suits a dark window cannot be read on a light one."""
    tree = panel(opened, RunsPanel).tree
    line = tree.sentence(tree.group("Group"), "a muted line")
    for look in (theme.LIGHT, theme.DARK):
        theme.apply(QApplication.instance(), look)
        qtbot.waitUntil(lambda look=look: line.foreground(0).color().name() == look.muted)


def test_the_theme_menu_shows_what_is_chosen(window, settings):
    """A menu of three names without a mark does not say which one is on."""
    actions = theme_menu(settings, window).actions()
    assert [action.isChecked() for action in actions] == [True, False, False]
    actions[2].trigger()
    assert [action.isChecked() for action in theme_menu(settings, window).actions()] == [False, False, True]
    theme.apply(QApplication.instance(), theme.DARK)


@pytest.mark.parametrize("button", ["qt_dockwidget_closebutton", "qt_dockwidget_floatbutton"])
def test_every_dock_button_can_be_seen(window, button):
    """A close button without a picture closes panels under clicks that meant nothing."""
    for dock in window.docks.values():
        picture = dock.findChild(QAbstractButton, button).grab().toImage()
        pixels = {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}
        assert len(pixels) > 1


def test_plots_cannot_be_zoomed_out_of_the_run(opened):
    """Beyond the run, and below one iteration, there is nothing to see and no way back but the button."""
    chart = panel(opened, PlotsPanel).charts[0]
    chart.vb.setXRange(-1e6, 1e6, padding=0)
    first, last = chart.vb.viewRange()[0]
    assert (first, last) == (pytest.approx(-200, abs=100), pytest.approx(2200, abs=100))
    chart.vb.setXRange(1000, 1000.001, padding=0)
    first, last = chart.vb.viewRange()[0]
    assert last - first == pytest.approx(1)


def test_a_zoom_survives_new_saves_and_other_series(opened, qtbot):
    """Whoever looks at one spike of a running training wants to go on looking at it."""
    plots = panel(opened, PlotsPanel)
    centre = QPointF(plots.view.mapFromScene(plots.charts[0].vb.sceneBoundingRect().center()))
    qtbot.waitUntil(lambda: plots.charts[0].vb.width() > 100)  # laid out
    wheel = QWheelEvent(centre, plots.view.viewport().mapToGlobal(centre), QPoint(), QPoint(0, 480), Qt.MouseButton.NoButton,
                        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(plots.view.viewport(), wheel)
    seen = plots.charts[0].vb.viewRange()[0]
    assert seen[1] - seen[0] < 1500
    old = plots.charts[0]
    opened.session.renew(healthy_run())
    assert plots.charts[0] is old  # longer curves are taken up where they are
    assert plots.charts[0].vb.viewRange()[0] == pytest.approx(seen)
    opened.session.renew(healthy_run(series={"opacity_reset": {700: 1.0}}))
    qtbot.waitUntil(lambda: plots.charts[0] is not old)  # other marks: the charts are built anew
    assert plots.charts[0].vb.viewRange()[0] == pytest.approx(seen)
    plots.fit.click()
    plots.choose(("num_gaussians",))
    assert plots.charts[0].vb.viewRange()[0] == [pytest.approx(-80, abs=100), pytest.approx(2080, abs=100)]


def test_help_lists_the_shortcuts_that_exist(window):
    """Help that is not true of the product is worse than none."""
    window.actions_.show_help()
    from app.help import HelpDialog

    window.actions_.show_help()
    [dialog] = window.findChildren(HelpDialog)  # asked for twice, there once
    text = dialog.page.toPlainText()
    for action in window.actions_.all():
        assert action.shortcut().toString() in text
    dialog.close()
