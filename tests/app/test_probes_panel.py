"""The Probes panel under real events: cost before work, a probe that can be paused, stopped or killed, and what it finds."""

import json
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog

from app import probe_process, theme
from app.lanes import settled
from app.panels.diagnosis import DiagnosisPanel
from app.panels.pattern import PatternPanel
from app.probe_process import ProbeProcess
from app.probe_trials import TRIAL, trials_of
from app.window import Window
from diagnostics.catalogue import load_catalogue
from diagnostics.diagnosis import Diagnosis, Reported
from diagnostics.probes.answer import Answer, Curve, Judged, Result, Shot
from diagnostics.probes.json import from_json, to_json
from diagnostics.probes.registry import pages
from diagnostics.verdict import EvidenceRow, Finding, Fix
from runs.open_run import open_run
from tests.support.data import REPOSITORY
from tests.support.probes_panel import FAKE, choose, click, gone, in_front, notice, start
from tests.support.training import healthy_run

PATTERN = "needle-gaussians"


def answer_of(name: str, *judged: Judged) -> Result:
    rows = (EvidenceRow("share of needles", 0.7, 0.06, iteration=1000),)
    shot = Shot("render beside photo", np.full((4, 8, 3), 90, np.uint8), "view_003.png")
    told = Answer("7 of 10 are needles", judged, rows, (shot,), iteration=2000, done={"views": 4})
    curve = Curve("PSNR", "dB", (0, 10), (12.0, 30.0))
    return Result(name, "run", told, (curve,), 3.0, 1 << 28, "2026-01-01T00:00:00+00:00", "x")


def found() -> Judged:
    row = EvidenceRow("needles seen by the probe", 7.0, 5.0)
    return Judged(PATTERN, Finding("7 of 10 are needles", (row,), iterations=(2000, 2000), cameras=("view_003.png",)))


# Choosing


def test_every_probe_is_listed_with_its_question_and_what_became_of_it(panel):
    """In the order in which they should be tried."""
    assert list(panel.cards) == list(pages())
    for name, card in panel.cards.items():
        assert card.badge.text() == "Not asked"
        assert pages()[name].title in card.accessibleName()


def test_cost_comes_before_work(panel, qtbot, window, name):
    """Nobody starts what may take an hour without knowing."""
    qtbot.keyClick(panel.cards[name], Qt.Key.Key_Return)
    assert panel.view.question.text() == pages()[name].question
    qtbot.waitUntil(lambda: panel.view.cost.text().startswith("Takes 20–80 s on the CPU and 400 MiB of memory: 1,200\u00a0steps"))
    assert window.session.state.working is None
    click(qtbot, panel.view.back)
    assert panel.stack.currentWidget() is panel.list


def test_other_options_cost_anew(panel, qtbot, window, name):
    """The cost that is shown is that of what would be run; a wheel over a field changes nothing."""
    choose(panel, qtbot, name)
    before = window.session.state.cost
    click(qtbot, panel.view.options_button)
    assert panel.view.options.isVisible()
    panel.view.options.size_px.setValue(128)
    panel.view.options.save.setCurrentIndex(1)
    qtbot.waitUntil(lambda: window.session.state.cost is not before and window.session.state.cost.cost is not None)
    wish = window.session.state.cost.question.wish
    assert (wish.longest_px, wish.iteration) == (128, 2000)
    panel.view.options.seconds.setValue(60)
    qtbot.waitUntil(lambda: "It may stop after 60 s" in panel.view.cost.text())


def test_what_a_run_lacks_is_said_at_once(panel, qtbot, mood, name):
    """A probe that cannot be asked says what would have to be provided, and cannot be started."""
    mood("lacks photos")
    click(qtbot, panel.cards[name])
    qtbot.waitUntil(lambda: "it needs photos (name their folder" in panel.view.cost.text())
    assert not panel.view.ask.isEnabled()


def test_an_estimate_that_fails_hinders_nobody(panel, qtbot, mood, name):
    """The trouble is told where the cost would stand."""
    mood("cannot tell")
    click(qtbot, panel.cards[name])
    qtbot.waitUntil(lambda: panel.view.cost.text() == "What it would cost is not available: the dice are lost.")
    assert panel.view.ask.isEnabled()


def test_nothing_is_asked_for_a_panel_that_nobody_sees(window, qtbot):
    """No process starts because a run was opened."""
    window.prober.command = FAKE
    window.session.open(healthy_run())
    qtbot.waitUntil(lambda: window.session.state.shown is not None and settled(window))
    qtbot.wait(600)
    assert not window.prober.findChildren(ProbeProcess)


# Running


def test_it_runs_pauses_goes_on_and_stops(panel, qtbot, window, name):
    """With live curves and pictures; a stopped one leaves no answer, no notice and no process."""
    pid = start(panel, qtbot, window, name)
    view = panel.view
    qtbot.waitUntil(lambda: view.curves.isVisible() and view.pictures.isVisible() and view.bar.value() > 0)
    assert "PSNR of a.png" in next(iter(view.curves.charts.values())).legend.text()
    assert panel.cards[name].badge.text().startswith("Running")
    qtbot.waitUntil(lambda: window.doing.text().startswith(f"{name.capitalize()} probe: step"))
    click(qtbot, view.pause)
    assert view.pause.text() == "Continue"
    qtbot.wait(300)
    stood = view.doing.text()
    assert stood.startswith("Paused: step")
    qtbot.wait(300)
    assert view.doing.text() == stood
    click(qtbot, view.pause)
    qtbot.waitUntil(lambda: view.doing.text().startswith("step") and view.doing.text() not in stood)
    click(qtbot, view.stop)
    qtbot.waitUntil(lambda: gone(pid) and not window.prober.busy)
    assert panel.cards[name].badge.text() == "Not asked"
    assert not view.stop.isVisible()
    assert view.ask.isVisible()
    assert not notice(window).isVisible()
    assert "probe" not in window.session.state.busy


def test_the_status_bar_stops_it_too(panel, qtbot, window, name):
    """Cancel means what runs; a diagnosis that runs beside it goes first."""
    pid = start(panel, qtbot, window, name)
    window.actions_.cancel.trigger()
    qtbot.waitUntil(lambda: gone(pid) and not window.prober.busy)


def test_an_answer_is_shown_and_its_places_can_be_visited(panel, qtbot, window, mood, name, tmp_path, monkeypatch):
    """Sentence, numbers, cameras and patterns; kept as a file that the command line reads."""
    file = tmp_path / "answer.json"
    file.write_text(json.dumps(to_json(answer_of(name, found()))))
    monkeypatch.setenv("FAKE_RESULT", str(file))
    mood("answers")
    choose(panel, qtbot, name)
    click(qtbot, panel.view.ask)
    qtbot.waitUntil(lambda: len(window.session.state.probed) == 1 and settled(window))
    view = panel.view
    assert "7 of 10 are needles" in view.answer.headline.text()
    assert panel.cards[name].badge.text() == "Found"
    assert "share of needles" in view.answer.measured.body.text()
    view.answer.followed.emit("camera:view_003.png")
    assert window.session.state.camera == "view_003.png"
    window.session.look_through(None)
    click(qtbot, view.pictures.camera)
    assert window.session.state.camera == "view_003.png"
    view.answer.followed.emit(f"pattern:{PATTERN}")
    assert window.session.state.pattern.name == PATTERN
    saved = tmp_path / "kept.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(saved), ""))
    click(qtbot, view.answer.save)
    qtbot.waitUntil(saved.exists)
    qtbot.waitUntil(lambda: settled(window))
    assert from_json(json.loads(saved.read_text())).answer.says == "7 of 10 are needles"


def test_an_answer_goes_into_the_diagnosis_that_is_open(panel, qtbot, window, mood, name, tmp_path, monkeypatch):
    """What files leave open becomes a verdict, without another press; the finding that is read stays open."""
    window.doctor.diagnose()
    qtbot.waitUntil(lambda: settled(window) and window.session.state.diagnosis is not None, timeout=60_000)
    before = window.session.state.diagnosis
    assert PATTERN not in [f.pattern.name for f in before.findings]
    file = tmp_path / "answer.json"
    mine = replace(answer_of(name, found()), run=str(window.session.state.run.path))
    file.write_text(json.dumps(to_json(mine)))
    monkeypatch.setenv("FAKE_RESULT", str(file))
    mood("answers")
    choose(panel, qtbot, name)
    click(qtbot, panel.view.ask)
    qtbot.waitUntil(lambda: settled(window) and window.session.state.diagnosis is not before, timeout=60_000)
    after = window.session.state.diagnosis
    assert PATTERN in [f.pattern.name for f in after.findings]
    assert [result.probe for result in after.probed] == [name]
    window.session.open(healthy_run())
    assert window.session.state.probed == ()
    qtbot.waitUntil(lambda: settled(window))


def test_odd_lines_hurt_nobody(panel, qtbot, window, mood, name):
    """Prints, broken JSON, three megabytes without an end, half a line: the probe goes on."""
    mood("talks")
    pid = start(panel, qtbot, window, name)
    qtbot.waitUntil(lambda: panel.view.doing.text().startswith("step"))
    assert not notice(window).isVisible()
    click(qtbot, panel.view.stop)
    qtbot.waitUntil(lambda: gone(pid) and not window.prober.busy)


# From elsewhere


def reported(pattern: str, *fixes: Fix) -> Reported:
    entry = load_catalogue()[pattern]
    finding = Finding("measured at 7", (EvidenceRow("something", 7.0, 5.0),), iterations=(1000, 2000))
    return Reported(entry, finding, entry.severity, entry.cause, fixes, (1000, 2000), ())


def diagnosed(window: Window, *findings: Reported) -> None:
    run = window.session.state.run
    window.session.update(diagnosis=Diagnosis(run, (200, 2000), findings, (), (), ()))


def settled_pattern() -> tuple[str, str]:
    """A pattern and a probe that settles it."""
    return next((name, page.name) for page in pages().values() for name in page.settles if name in load_catalogue())


def test_a_finding_and_its_page_lead_to_the_probe_that_settles_it(window, qtbot):
    """Whoever doubts a finding is one click from what decides it."""
    window.session.open(healthy_run())
    pattern, probe = settled_pattern()
    diagnosed(window, reported(pattern, Fix("Do it", "It helps")))
    diagnosis, page = window.panels["diagnosis"], window.panels["pattern"]
    assert isinstance(diagnosis, DiagnosisPanel)
    assert isinstance(page, PatternPanel)
    window.session.visit(window.session.state.diagnosis.findings[0])
    assert f"Ask the {probe} probe" in page.page.toPlainText()
    page.page.anchorClicked.emit(QUrl(f"probe:{probe}"))
    assert window.session.state.asked.probe == probe
    qtbot.waitUntil(lambda: in_front(window) == "Probes")
    window.docks["pattern"].raise_()
    qtbot.waitUntil(lambda: in_front(window) == "Finding")
    diagnosis.cards[0].probe_wanted.emit(probe)
    qtbot.waitUntil(lambda: in_front(window) == "Probes")


@pytest.mark.skipif(TRIAL not in pages(), reason="no probe tries fixes")
def test_a_fix_that_can_be_tried_leads_to_its_trial(panel, qtbot, window):
    """With this fix chosen; fixes that nobody can try are not offered."""
    fixes = (Fix("Look at the photos", "You see it"), Fix("Train longer", "Better", setting="lambda_dssim", proposed=0.3))
    diagnosed(window, reported(PATTERN, *fixes))
    window.session.visit(window.session.state.diagnosis.findings[0])
    page = window.panels["pattern"]
    assert isinstance(page, PatternPanel)
    assert page.page.toPlainText().count("Try this fix") == 1
    assert [trial.number for trial in trials_of(window.session.state)] == [2]
    page.page.anchorClicked.emit(QUrl("try:2"))
    assert "Train longer" in panel.view.trial.message.text()
    qtbot.waitUntil(lambda: "of memory" in panel.view.cost.text())
    wish = window.session.state.cost.question.wish
    assert (wish.finding, wish.fix) == (load_catalogue()[PATTERN].code, 2)


@pytest.mark.skipif(TRIAL not in pages(), reason="no probe tries fixes")
def test_a_trial_without_a_diagnosis_says_what_to_do_first(panel, qtbot):
    """Instead of a button that does nothing."""
    click(qtbot, panel.cards[TRIAL])
    assert "Diagnose first" in panel.view.trial.message.text()
    assert not panel.view.ask.isEnabled()


def test_a_picture_can_be_enlarged_and_another_theme_recolours_the_curves(panel, qtbot, window, name):
    """Pictures of a narrow panel are small, and a theme changes while a page is open."""
    window.session.ask_about(name)
    window.session.update(probed=(answer_of(name, found()),))
    qtbot.waitUntil(panel.view.pictures.isVisible)
    panel.view.area.ensureWidgetVisible(panel.view.pictures)
    qtbot.mouseDClick(panel.view.pictures.picture, Qt.MouseButton.LeftButton)
    dialog = next(w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible())
    assert dialog.windowTitle() == "render beside photo"
    dialog.close()
    theme.apply(QApplication.instance(), theme.LIGHT)
    qtbot.waitUntil(lambda: theme.LIGHT.curves[0] in next(iter(panel.view.curves.charts.values())).legend.text())
    assert theme.LIGHT.major in panel.view.answer.headline.text()


def test_a_real_probe_answers_in_the_window(panel, qtbot, window, monkeypatch):
    """End to end: the process that users get, on the embedded run."""
    monkeypatch.setattr(window.prober, "command", probe_process.COMMAND)
    window.session.open(open_run(REPOSITORY / "resources" / "sample_run"))
    qtbot.waitUntil(lambda: window.session.state.shown is not None and settled(window))
    panel.view.options.size_px.setValue(32)
    click(qtbot, panel.cards["sh"])
    qtbot.waitUntil(lambda: "on the CPU" in panel.view.cost.text(), timeout=60_000)
    click(qtbot, panel.view.ask)
    qtbot.waitUntil(lambda: len(window.session.state.probed) == 1, timeout=120_000)
    result = window.session.state.probed[0]
    assert result.probe == "sh"
    assert result.answer.says
    assert panel.view.answer.isVisible()
    qtbot.waitUntil(lambda: settled(window))
