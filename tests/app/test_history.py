"""The history in the inspector, with a real mouse: a double-click on a moment must lead to that very Gaussian, and back."""

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidgetItem
from pytestqt.qtbot import QtBot

from app.lanes import close_lanes, settled
from app.loading import Loader
from app.panels.inspector import LOOKING, InspectorPanel
from app.session import Session
from runs.run import UNKNOWN_TRAINER, Run, Trainer
from tests.support.densified import densified, learned
from tests.support.runs import INRIA, cloud, made_run

CLONES, SPLITS = np.arange(0, 400, 10), np.arange(3, 400, 20)
FIRST = cloud(400, seed=5)
CLONE_OF_40 = 400 - len(SPLITS) + 4


def grown_run(trainer: Trainer = INRIA) -> Run:
    grown = densified(FIRST, clones=CLONES, splits=SPLITS)
    return made_run(checkpoints={1100: FIRST, 1200: learned(grown, 1), 1300: learned(grown, 2, 0.04)}, trainer=trainer)


@pytest.fixture
def panel(qtbot: QtBot) -> Iterator[InspectorPanel]:
    session = Session()
    Loader(session)
    panel = InspectorPanel(session)
    qtbot.addWidget(panel)
    panel.resize(420, 900)
    panel.show()
    session.open(grown_run())
    qtbot.waitUntil(lambda: session.state.shown is not None)
    yield panel
    close_lanes(session)
    close_lanes(panel)


def settle(panel: InspectorPanel, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: settled(panel) and settled(panel._session))


def lines(panel: InspectorPanel) -> list[QTreeWidgetItem]:
    """Of the history."""
    (group,) = panel.tree.findItems("History", Qt.MatchFlag.MatchStartsWith)
    return [group.child(i) for i in range(group.childCount())]


def texts(panel: InspectorPanel) -> list[str]:
    return [line.text(0) for line in lines(panel)]


def double_click(panel: InspectorPanel, line: QTreeWidgetItem, qtbot: QtBot) -> None:
    panel.tree.scrollToItem(line)
    at, left = panel.tree.visualItemRect(line).center(), Qt.MouseButton.LeftButton
    qtbot.mouseClick(panel.tree.viewport(), left, pos=at)
    qtbot.mouseDClick(panel.tree.viewport(), left, pos=at)


def test_a_double_click_on_a_moment_goes_to_the_ancestor_and_back(panel: InspectorPanel, qtbot: QtBot) -> None:
    """The row is another one there, so the number that stays selected would be somebody else."""
    session = panel._session
    session.select([CLONE_OF_40])
    settle(panel, qtbot)
    assert texts(panel) == ["1,100 · parent: cloned", "1,200", "1,300 · inspected"]
    assert "Told by the order of rows, 97.0 % sure" in lines(panel)[0].toolTip(0)
    double_click(panel, lines(panel)[0], qtbot)
    settle(panel, qtbot)
    assert (session.state.iteration, session.state.selected.rows.tolist()) == (1100, [40])
    assert panel.title.text() == "Gaussian 40"
    assert "1,200 · child: cloned" in texts(panel)
    session.back()
    settle(panel, qtbot)
    assert (session.state.iteration, session.state.selected.rows.tolist()) == (1300, [CLONE_OF_40])
    assert texts(panel)[-1] == "1,300 · inspected"


def test_the_inspected_moment_leads_nowhere(panel: InspectorPanel, qtbot: QtBot) -> None:
    """A step to where one stands would only fill the way back."""
    panel._session.select([5])
    settle(panel, qtbot)
    before = panel._session.state
    double_click(panel, lines(panel)[-1], qtbot)
    assert panel._session.state is before


def test_parameters_are_there_before_the_history(panel: InspectorPanel, qtbot: QtBot) -> None:
    """Following a Gaussian through large saves takes seconds; what it is now must not wait for that."""
    seen: list[str] = []
    shown = panel.show_inspection

    def show(*what: object) -> None:
        shown(*what)  # type: ignore[arg-type]
        seen.extend(texts(panel))

    panel.show_inspection = show  # type: ignore[method-assign,assignment]
    panel._session.select([5])
    settle(panel, qtbot)
    assert seen == [f"{LOOKING}…"]
    assert LOOKING not in "".join(texts(panel))


def test_progress_is_told_while_saves_are_looked_through(panel: InspectorPanel, qtbot: QtBot) -> None:
    """A line that stands still for a minute reads as a hang; and a late word of progress may not overwrite a history."""
    seen: list[str] = []
    progress = panel._show_progress

    def show(fraction: float, says: str) -> None:
        progress(fraction, says)
        seen.append(says)

    panel._show_progress = show  # type: ignore[method-assign]
    panel._session.select([5])
    settle(panel, qtbot)
    assert seen == [f"{LOOKING}: 1 of 2", f"{LOOKING}: 2 of 2"]
    before = texts(panel)
    progress(0.5, "late")
    assert texts(panel) == before


def test_what_is_doubtful_is_called_uncertain(panel: InspectorPanel, qtbot: QtBot) -> None:
    """Likeness in a crowd is no identity, and the user must see which is which."""
    session = panel._session
    session.open(grown_run(UNKNOWN_TRAINER))
    qtbot.waitUntil(lambda: session.state.shown is not None)
    marked = {}
    for row in range(0, 40, 4):
        session.select([row])
        settle(panel, qtbot)
        marked.update({line.toolTip(0): line.text(0) for line in lines(panel) if "Told by likeness" in line.toolTip(0)})
    doubtful = {tip: "uncertain" in text for tip, text in marked.items()}
    sure = {tip: float(tip.split(" % sure")[0].split(", ")[-1]) >= 90 for tip in marked}
    assert marked
    assert doubtful == {tip: not is_sure for tip, is_sure in sure.items()}
    assert any(doubtful.values())


def test_the_newest_click_wins(panel: InspectorPanel, qtbot: QtBot) -> None:
    """Whoever clicks through a crowd must never read another one's history."""
    for row in (1, 2, 5, CLONE_OF_40):
        panel._session.select([row])
    settle(panel, qtbot)
    assert panel.title.text() == f"Gaussian {CLONE_OF_40}"
    assert texts(panel)[0] == "1,100 · parent: cloned"


def test_the_tree_stays_where_it_was_read(panel: InspectorPanel, qtbot: QtBot) -> None:
    """Going from moment to moment, the eye stays on the history."""
    panel.resize(420, 260)
    panel._session.select([CLONE_OF_40])
    settle(panel, qtbot)
    bar = panel.tree.verticalScrollBar()
    bar.setValue(bar.maximum())
    held = bar.value()
    double_click(panel, lines(panel)[1], qtbot)
    settle(panel, qtbot)
    assert held > 0
    assert abs(bar.value() - held) <= 2


def test_a_moment_whose_save_is_gone_leads_nowhere(panel: InspectorPanel) -> None:
    """The trainer may have deleted it since; nothing may be selected in another save."""
    before = panel._session.state
    panel._session.follow(1150, 3)
    assert panel._session.state is before
