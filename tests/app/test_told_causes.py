"""The diagnosis panel above its cards: the story, what follows from what, and what was explained away."""

from PySide6.QtWidgets import QLabel

from app.lanes import settled
from app.panels.diagnosis import DiagnosisPanel
from app.widgets.fold import Fold
from diagnostics.diagnosis import ExplainedAway
from tests.diagnostics.report import support
from tests.support.training import healthy_run


def test_the_diagnosis_tells_the_chain_above_its_cards(window, qtbot):
    """Who reads one paragraph must see which finding is the cause; what follows from it stands under it, to the right."""
    window.session.open(healthy_run())
    qtbot.waitUntil(lambda: settled(window))
    effect = support.reported(support.pattern(1), severity="critical", consequence_of=("AF-01",))
    away = ExplainedAway(support.reported(support.pattern(2)), "AF-01", "it is the same fault")
    window.session.update(diagnosis=support.diagnosis(support.reported(), effect, explained_away=(away,)))
    shown = window.panels["diagnosis"]
    assert isinstance(shown, DiagnosisPanel)
    assert [card.reported.pattern.code for card in shown.cards] == ["AF-01", "N-01"]
    page = shown.area.widget()
    qtbot.waitUntil(lambda: shown.cards[1].x() > shown.cards[0].x())
    assert any("From this follows N-01, made-up pattern 1" in label.text() for label in page.findChildren(QLabel))
    folds = {fold.head.text(): fold for fold in page.findChildren(Fold)}
    assert list(folds) == ["Explained away (1)", "Not evaluable (1)", "Clear (2)"]
    folds["Explained away (1)"].clicked.emit(away.reported.pattern)
    assert "it is the same fault" in window.panels["pattern"].page.toPlainText()
