"""Runs panel: what the open folder holds, who wrote it, and what could not be read."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QTreeWidgetItem, QVBoxLayout, QWidget

from app import wording
from app.session import Session, State
from app.widgets.facts_tree import FactsTree
from diagnostics.verdict import NOT_AVAILABLE
from runs.run import Run
from runs.settings import NOT_STORED
from runs.storage import address_of

EMPTY = "No run is open\n\nOpen a run's folder with Ctrl+O, or drop one here"
ITERATION_ROLE = Qt.ItemDataRole.UserRole


class RunsPanel(QWidget):
    """Double-click a checkpoint to go there."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._checkpoint_items: list[QTreeWidgetItem] = []
        self.title = QLabel()
        self.title.setProperty("role", "heading")
        self.title.setWordWrap(True)
        self.trainer = QLabel()
        self.trainer.setWordWrap(True)
        self.trainer.setProperty("role", "muted")
        self.hidden = QLabel()
        self.hidden.setWordWrap(True)
        self.empty = QLabel(EMPTY)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setWordWrap(True)
        self.empty.setProperty("role", "muted")
        for label in (self.title, self.trainer, self.hidden):
            label.setTextFormat(Qt.TextFormat.PlainText)  # names from the disk are never markup
        self.tree = FactsTree(["Name", "Value"], giving=1)
        self.tree.itemActivated.connect(self._on_activated)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 8)
        column.addWidget(self.title)
        column.addWidget(self.trainer)
        column.addWidget(self.hidden)
        column.addWidget(self.empty, 1)
        column.addWidget(self.tree, 1)
        session.watch(self.show_run, "run", "shown", "diagnosis")  # reading and diagnosing may add notes
        session.watch(self.show_iteration, "iteration", "run")

    def show_run(self, state: State) -> None:
        run = state.run
        for widget in (self.title, self.trainer, self.tree):
            widget.setVisible(run is not None)
        self.empty.setVisible(run is None)
        hidden = state.shown.splats.hidden.sentence() if state.shown is not None and run is not None else ""
        self.hidden.setText(hidden)
        self.hidden.setVisible(bool(hidden))
        if run is None:
            return
        self.title.setText(run.name)
        self.title.setToolTip(address_of(run.path))
        self.trainer.setText(f"Trainer {wording.trainer(run)}\n{run.trainer.why}")
        self.trainer.setToolTip(f"What says so: {run.trainer.why}")
        self._fill(run)
        self.show_iteration(state)

    def show_iteration(self, state: State) -> None:
        """The checkpoint that is asked for is bold."""
        for item in self._checkpoint_items:
            font = item.font(0)
            font.setBold(item.data(0, ITERATION_ROLE) == state.iteration)
            item.setFont(0, font)

    def _fill(self, run: Run) -> None:
        opened = self.tree.opened()
        scrolled = self.tree.verticalScrollBar().value()
        self._checkpoint_items.clear()
        self.tree.clear()
        parts: tuple[tuple[str, str, Callable[[Run, QTreeWidgetItem], None], bool], ...] = (
            ("Notes", f"Notes ({len(run.notes)})", self._notes, True),
            ("Run", "Run", self._facts, True),
            ("Checkpoints", f"Checkpoints ({len(run.checkpoints)})", self._checkpoints, True),
            ("Resumable", f"Resumable states ({len(run.state_files)})", self._states, True),
            ("Settings", f"Settings ({len(run.settings)})", self._settings, False),
        )
        for key, title, fill, first_opened in parts:
            if key != "Notes" or run.notes:
                fill(run, self.tree.group(title, opened=opened.get(key, first_opened)))
        self.tree.verticalScrollBar().setValue(scrolled)

    def _facts(self, run: Run, group: QTreeWidgetItem) -> None:
        cloud, points = run.input_points, run.sfm_points
        rows = (
            ("Folder", run.path.name, address_of(run.path)),
            ("Photos and model", run.data.name if run.data else NOT_AVAILABLE,
             f"{run.data or NOT_AVAILABLE}\nChange it with File → Photos and COLMAP model…"),
            ("Cameras", wording.count(len(run.cameras)) if run.cameras else NOT_AVAILABLE, ""),
            ("Photos", wording.count(len(run.photos)) if run.photos else NOT_AVAILABLE, ""),
            ("Initial points", wording.count(len(cloud)) if cloud is not None else NOT_AVAILABLE, ""),
            ("SfM points", wording.count(len(points)) if points is not None else NOT_AVAILABLE, ""),
            ("Logged series", wording.count(len(run.series)) if run.series else NOT_AVAILABLE, ", ".join(run.series)),
        )
        for name, value, tip in rows:
            self.tree.row(group, [name, value], tip=tip or f"{name}: {value}")

    def _checkpoints(self, run: Run, group: QTreeWidgetItem) -> None:
        for c in run.checkpoints:
            tip = f"{c.path}\n{wording.rows(c)}, SH degree {c.sh_degree}, {wording.size(c.size_bytes)}"
            value = f"{c.label} · {wording.count(c.count)}" if c.label else wording.count(c.count)
            item = self.tree.row(group, [f"Iteration {wording.count(c.iteration)}", value], tip=tip)
            item.setData(0, ITERATION_ROLE, c.iteration)
            self._checkpoint_items.append(item)

    def _states(self, run: Run, group: QTreeWidgetItem) -> None:
        for state in run.state_files:
            self.tree.row(group, [f"Iteration {wording.count(state.iteration)}", state.path.name], tip=str(state.path))
        if not run.state_files:
            self.tree.sentence(group, "None: this run cannot be resumed exactly")

    def _settings(self, run: Run, group: QTreeWidgetItem) -> None:
        for setting in sorted(run.settings.values(), key=lambda s: (not s.stored, s.name)):
            tip = f"{setting.name} = {setting.value!r}\nfrom {setting.source}" if setting.stored else (
                f"{setting.name} = {setting.value!r}\n{NOT_STORED}")
            self.tree.row(group, [setting.name, str(setting.value)], tip=tip, muted=not setting.stored)
        if not run.settings:
            self.tree.sentence(group, NOT_AVAILABLE)

    def _notes(self, run: Run, group: QTreeWidgetItem) -> None:
        for note in run.notes:
            item = self.tree.sentence(group, note.says)
            item.setToolTip(0, f"{note.says}\n{address_of(Path(note.file))}")

    def _on_activated(self, item: QTreeWidgetItem) -> None:
        iteration = item.data(0, ITERATION_ROLE)
        if iteration is not None:
            self._session.go_to(iteration)
