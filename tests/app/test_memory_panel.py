"""The Memory panel under real events: it adds up when it is looked at, follows the timeline, and answers for a chosen GPU."""


import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QTabBar

from app import theme
from app.lanes import settled
from app.panels.memory import NOTHING, MemoryPanel
from app.window import Window
from runs.run import Run, Trainer
from tests.support.runs import made_run, ring_cameras
from tests.support.training import healthy_run

COUNTS = {i: 4500.0 * i for i in range(1, 2001)}  # 9 million at the end; SH degree 1, as the saves of `healthy_run`


def grown(**changes: object) -> Run:
    """INRIA's trainer with 194 photos on the GPU and up to 9 million Gaussians."""
    return healthy_run(series={"num_gaussians": COUNTS}, settings={"data_device": "cuda", "sh_degree": 3},
                       cameras=ring_cameras(194, size_px=(1237, 822)), **changes)


def look(window: Window, qtbot, run: Run) -> MemoryPanel:
    """Open a run, and click on the tab as a user does."""
    window.session.open(run)
    bar = next(bar for bar in window.findChildren(QTabBar) if "Memory" in [bar.tabText(i) for i in range(bar.count())])
    index = [bar.tabText(i) for i in range(bar.count())].index("Memory")
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(index).center())
    panel = window.panels["memory"]
    assert isinstance(panel, MemoryPanel)
    qtbot.waitUntil(lambda: settled(window) and (panel.tree.isVisible() or panel.message.text() == NOTHING))
    return panel


def lines(panel: MemoryPanel) -> dict[str, list[str]]:
    """Cells of every row by its name."""
    groups = [panel.tree.topLevelItem(i) for i in range(panel.tree.topLevelItemCount())]
    rows = [group.child(i) for group in groups for i in range(group.childCount())]
    return {row.text(0): [row.text(column) for column in (1, 2)] for row in rows}


def test_it_adds_up_only_when_it_is_looked_at(window, qtbot):
    """Nobody waits for a table behind another tab."""
    window.session.open(grown())
    qtbot.waitUntil(lambda: window.session.state.shown is not None and settled(window))
    assert window.panels["memory"].tree.topLevelItemCount() == 0
    panel = look(window, qtbot, grown())
    assert lines(panel)["Photos on the GPU"] == ["2.20 GiB", "2.20 GiB"]
    assert panel.bar.segments[0].name == "Parameters"


def test_it_follows_the_timeline(window, qtbot):
    """The left column is the shown iteration, the right one the peak."""
    panel = look(window, qtbot, grown())
    assert lines(panel)["Gaussians"] == ["9,000,000", "9,000,000"]
    window.session.go_to(1000)
    qtbot.waitUntil(lambda: settled(window) and lines(panel)["Gaussians"][0] == "4,500,000")
    assert lines(panel)["Gaussians"][1] == "9,000,000"
    assert lines(panel)["Parameters"] == ["395 MiB", "790 MiB"]


def test_a_gpu_is_chosen_with_the_keyboard(window, qtbot):
    """8.6 GiB are tight on 10, and too much for 8, which are full before the end."""
    panel = look(window, qtbot, grown())
    assert panel.bar.limit_x() is None
    panel.gpu.setFocus()
    while panel.gpu.currentText() != "RTX 3080 · 10 GiB":
        qtbot.keyClick(panel.gpu, Qt.Key.Key_Down)
    assert "fits narrowly" in panel.answer.text()
    assert panel.bar.limit_x() == pytest.approx(panel.bar.width(), abs=2)
    panel.gpu.setCurrentIndex(panel.gpu.findText("RTX 2080 · 8 GiB"))
    assert "does not fit" in panel.answer.text()
    assert "Full at iteration 1," in panel.answer.text()
    assert panel.bar.limit_x() < panel.bar.width() - 10


def test_each_segment_says_what_it_is(window, qtbot):
    """Colours alone tell nothing; and the segments fill the bar."""
    panel = look(window, qtbot, grown())
    rectangles = panel.bar.rectangles()
    assert len(rectangles) == len(panel.bar.segments) == 8
    assert rectangles[-1].right() == pytest.approx(panel.bar.width() - 1, abs=1)
    middle = rectangles[-1].center().toPoint()
    assert panel.bar.rect().contains(QPoint(middle))
    assert panel.bar.segments[-1].tip == "Photos on the GPU: 2.20 GiB"


def test_a_trainer_that_nobody_measured_gets_a_floor_and_no_verdict(window, qtbot):
    """No card is called large enough for what is not known."""
    panel = look(window, qtbot, grown(trainer=Trainer("brush", 0.9, "made up")))
    assert panel.title.text().startswith("Peak at least")
    assert any("nobody measured this trainer" in name for name in lines(panel))
    panel.gpu.setCurrentIndex(panel.gpu.count() - 1)
    assert "not available" in panel.answer.text()


def test_a_folder_without_a_count_says_so(window, qtbot):
    """And comes back with the next run."""
    panel = look(window, qtbot, made_run())
    assert panel.message.isVisible()
    assert not panel.tree.isVisible()
    panel = look(window, qtbot, grown())
    assert panel.tree.isVisible()


def test_another_theme_recolours_it(window, qtbot):
    """Squares in the table and segments in the bar are drawn in the same colours."""
    panel = look(window, qtbot, grown())
    theme.apply(QApplication.instance(), theme.LIGHT)
    qtbot.waitUntil(lambda: settled(window))
    icon = panel.tree.topLevelItem(0).child(1).icon(0).pixmap(10, 10).toImage().pixelColor(5, 5)
    assert icon.name() == theme.LIGHT.curves[0]
    drawn = panel.bar.grab().toImage().pixelColor(panel.bar.rectangles()[0].center().toPoint())
    assert drawn.name() == theme.LIGHT.curves[0]
