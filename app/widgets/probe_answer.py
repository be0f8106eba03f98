"""What a probe found out: the sentence, what it settles, the numbers, what was tried, how it was done."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.theme import Theme
from app.widgets.probe_html import done_html, headline_html, measured_html, settled_html, tried_html
from app.widgets.section import Section, linked_label
from diagnostics.probes.answer import Result

FEW_ROWS = 12  # a longer table is folded away


class ProbeAnswer(QWidget):
    """Hidden while there is no answer; `followed` carries a link's target."""

    followed = Signal(str)
    save_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._result: Result | None = None
        self.headline, self.settled = linked_label(), linked_label()
        self.measured, self.tried, self.done = Section("Measured"), Section("What was tried"), Section("How it was done")
        self.save = QPushButton("Save result…")
        self.save.setToolTip("As JSON, for splatdoctor diagnose RUN --probed FILE")
        self.save.clicked.connect(lambda: self.save_wanted.emit(self._result))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        for label in (self.headline, self.settled):
            label.linkActivated.connect(self.followed)
            column.addWidget(label)
        for section in (self.tried, self.measured, self.done):
            section.followed.connect(self.followed)
            column.addWidget(section)
        column.addWidget(self.save)
        self.hide()

    def show_result(self, result: Result | None, theme: Theme) -> None:
        another, self._result = result is not self._result, result
        self.setVisible(result is not None)
        if result is None:
            return
        self.headline.setText(headline_html(result, theme))
        self.settled.setText(settled_html(result))
        self.settled.setVisible(bool(result.answer.judged))
        rows = len(result.answer.rows)
        self.measured.show_text(f"Measured ({rows})", measured_html(result))
        self.tried.show_text("What was tried", tried_html(result))
        self.done.show_text("How it was done", done_html(result))
        if another:
            self.measured.head.setChecked(0 < rows <= FEW_ROWS)
            self.tried.head.setChecked(True)
