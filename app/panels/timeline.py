"""Timeline panel: where the run was saved, where the user is, and which range is chosen."""

from collections.abc import Callable
from html import escape

from PySide6.QtCore import QEvent, QSize, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from app import wording
from app.session import Session, State
from app.theme import theme_of
from app.widgets.glyphs import Glyph, transport_icon
from app.widgets.iteration_axis import extent
from app.widgets.timeline_bar import Band, Mark, Scene, TimelineBar
from diagnostics.diagnosis import Diagnosis
from diagnostics.schedule import STAGED
from diagnostics.verdict import SEVERITIES
from runs.run import Run

PLAY_MS = 400  # a saved iteration stays long enough to be looked at
HOW_TO_CHOOSE = "Shift-drag on the timeline to choose a range, drag its handles to change it, Escape for the whole run"


class TimelinePanel(QWidget):
    """Scrub, step, play, choose a range."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.bar = TimelineBar()
        self.label = QLabel()
        self.range_label = QLabel()
        self.range_label.setProperty("role", "muted")
        self._buttons: dict[Glyph, QToolButton] = {
            "first": self._button("First saved iteration (Home)", lambda: session.step(-len(self.bar.scene.saved))),
            "previous": self._button("Previous saved iteration (←)", lambda: session.step(-1)),
            "play": self._button("Play or pause (Space)", self.toggle_play),
            "next": self._button("Next saved iteration (→)", lambda: session.step(1)),
            "last": self._button("Last saved iteration (End)", lambda: session.step(len(self.bar.scene.saved))),
        }
        self._timer = QTimer(self, interval=PLAY_MS)
        self._timer.timeout.connect(self._play_on)
        self._lay_out()
        self._connect()
        self._draw_icons()
        session.watch(self.show_state, "run", "iteration", "span", "diagnosis", "finding", "shown")

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(2)
        for button in self._buttons.values():
            top.addWidget(button)
        top.addSpacing(10)
        top.addWidget(self.label)
        top.addSpacing(12)
        top.addStretch(1)
        top.addWidget(self.range_label)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.bar)

    def _connect(self) -> None:
        self.bar.scrubbed.connect(self._session.go_to)
        self.bar.span_chosen.connect(self._session.choose_span)
        self.bar.span_cleared.connect(lambda: self._session.choose_span(None, None))
        self.bar.stepped.connect(self._session.step)
        self.bar.play_toggled.connect(self.toggle_play)

    def show_state(self, state: State) -> None:
        run = state.run
        for button in self._buttons.values():
            button.setEnabled(run is not None and len(run.iterations) > 1)
        if run is None:
            self.label.setText("")
            self.range_label.setText("")
            self.bar.show_scene(Scene())
            return
        bands = _bands(self, state.diagnosis)
        self.bar.show_scene(Scene(extent(run), run.iterations, marks(run), bands, state.iteration, state.span))
        self.label.setText(self._where(state, run))
        self.range_label.setText(f"Range: {wording.span(state.span)}")
        self.range_label.setToolTip(HOW_TO_CHOOSE)

    def toggle_play(self) -> None:
        """Play from here; at the end, from the beginning."""
        if self._timer.isActive():
            self._stop()
        elif len(self.bar.scene.saved) > 1:
            if self.bar.scene.here == self.bar.scene.saved[-1]:
                self._session.go_to(self.bar.scene.saved[0])
            self._timer.start()
            self._draw_icons()

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    def _play_on(self) -> None:
        state = self._session.state
        if state.run is None or state.iteration == state.run.iterations[-1]:
            self._stop()
        elif state.shown is None or state.shown.checkpoint.iteration == state.iteration:  # wait for a slow load
            self._session.step(1)

    def _stop(self) -> None:
        self._timer.stop()
        self._draw_icons()

    def _where(self, state: State, run: Run) -> str:
        checkpoint = run.checkpoint(state.iteration)
        if checkpoint is None:
            return "No saved iteration"
        loading = state.shown is None or state.shown.checkpoint is not checkpoint
        text = f"<b>{escape(wording.save(checkpoint))}</b> · {wording.rows(checkpoint)}"
        return f"{text} · loading…" if loading else text

    def _button(self, tip: str, act: Callable[[], None]) -> QToolButton:
        button = QToolButton()
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setIconSize(QSize(16, 16))
        button.clicked.connect(act)
        return button

    def _draw_icons(self) -> None:
        theme = theme_of(self)
        for name, button in self._buttons.items():
            button.setIcon(transport_icon("pause" if name == "play" and self.playing else name, theme.text, theme.line))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            self._draw_icons()
            self.show_state(self._session.state)
        super().changeEvent(event)


def marks(run: Run) -> tuple[Mark, ...]:
    """Opacity resets, the end of densification, resumable states."""
    found = [
        Mark(s.iteration, "state", f"Resumable state at {wording.count(s.iteration)}: {s.path.name}") for s in run.state_files
    ]
    resets = run.series.get("opacity_reset")
    if resets is not None:
        at = [int(i) for i, value in zip(resets.iterations, resets.values, strict=True) if value]
        found += [Mark(i, "reset", f"Opacity reset at {wording.count(i)}") for i in at]
    until = run.settings.get("densify_until_iter") if run.trainer.name not in STAGED else None  # they count in each stage anew
    if until is not None and isinstance(until.value, int):
        said = "" if until.stored else f" ({until.source})"
        found.append(Mark(until.value, "densify end", f"Densification ends at {wording.count(until.value)}{said}"))
    first, last = extent(run)
    return tuple(mark for mark in found if first <= mark.iteration <= last)


def _bands(widget: QWidget, diagnosis: Diagnosis | None) -> tuple[Band, ...]:
    theme = theme_of(widget)
    found = diagnosis.findings if diagnosis is not None else ()
    return tuple(
        Band(*f.iterations, theme.severity(f.severity), f"{f.severity.capitalize()}: {f.pattern.title}")
        for f in sorted(found, key=lambda f: (SEVERITIES.index(f.severity), f.iterations[0]))
    )
