"""Which fix of which finding is tried: only those that the compact trainer can make."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLabel, QVBoxLayout, QWidget

from app.probe_trials import Trial, trials_of
from app.session import State
from diagnostics.report.finding_words import change

NO_DIAGNOSIS = "Diagnose first: a trial needs a finding whose fix it can try."
NO_FIX = "No finding has a fix that can be tried: they ask for a look, for other data, or for other code."


class TrialChoice(QWidget):
    """`changed` comes when the user chooses another."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._trials: tuple[Trial, ...] = ()
        self._asked: object = None  # whose wish was heard last
        self.message, self.fixes = QLabel(), QComboBox()
        self.message.setWordWrap(True)
        self.message.setProperty("role", "muted")
        self.fixes.setAccessibleName("Fix to try")
        self.fixes.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.fixes.setMinimumContentsLength(16)
        self.fixes.activated.connect(self._on_chosen)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.fixes)
        column.addWidget(self.message)

    @property
    def chosen(self) -> Trial | None:
        """None where nothing can be tried."""
        index = self.fixes.currentIndex()
        return self._trials[index] if 0 <= index < len(self._trials) else None

    def show_state(self, state: State) -> None:
        """The fix that somebody asked for is chosen, once; else the same one stays."""
        before, asked = self.chosen, state.asked
        wanted = None if before is None else before.key
        if asked is not None and asked is not self._asked and asked.finding:
            wanted = (asked.finding, asked.fix)
        self._asked = asked
        self._trials = trials_of(state)
        keys = [trial.key for trial in self._trials]
        self.fixes.clear()
        self.fixes.addItems([trial.title for trial in self._trials])
        self.fixes.setCurrentIndex(keys.index(wanted) if wanted in keys else 0)
        self.fixes.setVisible(bool(keys))
        self._say(NO_DIAGNOSIS if state.diagnosis is None else NO_FIX)

    def _on_chosen(self) -> None:
        self._say()
        self.changed.emit()

    def _say(self, nothing: str = "") -> None:
        trial = self.chosen
        changes = "" if trial is None else change(trial.fix)
        self.message.setText(nothing if trial is None else f"{trial.fix.do}{f' [{changes}]' if changes else ''}")
