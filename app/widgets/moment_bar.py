"""Moment bar: scrubs and plays the moments of a moving scene; hidden where the scene stands still."""

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QStyle, QToolButton, QWidget

from app import wording
from app.theme import theme_of
from app.widgets.glyphs import transport_icon
from app.widgets.toggle_style import TOGGLE_STYLE

STEPS = 200  # of the slider; a recording of 200 frames moves by one at each
PLAYED = 4  # steps from one shown moment to the next: a loop of 50 moments, which the memory of shown moments keeps
PLAY_MS = 80
SPAN_TIP = "Moment of the recording, from {:g} to {:g} in the trainer's own unit (← →)"
CANONICAL_TIP = "The Gaussians as they are stored, from which every moment is made; they show no moment of the recording"


class Scrubber(QSlider):
    """A slider whose handle jumps to where it is pressed, as a film's does."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            handle = self.style().pixelMetric(QStyle.PixelMetric.PM_SliderLength, None, self)
            room = max(self.width() - handle, 1)
            at = round(event.position().x() - handle / 2)
            self.setValue(QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), at, room))
        super().mousePressEvent(event)


class MomentBar(QWidget):
    """`chosen` carries the moment that the user wants, or None for the canonical set; `show_moment` never emits."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._span: tuple[float, float] | None = None
        self._arrived = False  # whether the moment that was asked for is the one that is shown
        self.play = QToolButton()
        self.play.setIconSize(QSize(14, 14))
        self.play.setToolTip("Play or pause the recording")
        self.play.setAccessibleName("Play or pause the recording")
        self.canonical = QToolButton()
        self.canonical.setText("Canonical")
        self.canonical.setCheckable(True)
        self.canonical.setToolTip(CANONICAL_TIP)
        self.canonical.setStyleSheet(TOGGLE_STYLE)
        self.slider = Scrubber(Qt.Orientation.Horizontal)
        self.slider.setRange(0, STEPS)
        self.slider.setPageStep(STEPS // 20)
        self.slider.setAccessibleName("Moment")
        self.label = QLabel()
        self.label.setMinimumWidth(self.label.fontMetrics().horizontalAdvance("Moment 0.000…  "))
        self._timer = QTimer(self, interval=PLAY_MS)
        self._timer.timeout.connect(self._play_on)
        self._lay_out()
        self.play.clicked.connect(self.toggle_play)
        self.slider.valueChanged.connect(lambda step: self.chosen.emit(self._moment(step)))
        self.canonical.clicked.connect(self._choose_canonical)
        self._draw_icon()
        self.hide()

    def show_moment(self, span: tuple[float, float] | None, asked: float | None, shown: float | None) -> None:
        """`span` None: the scene stands still. `asked` and `shown` may differ while a moment is being made."""
        self._span, self._arrived = span, asked == shown
        self.setVisible(span is not None)
        if span is None:
            self._stop()
            return
        self.slider.setToolTip(SPAN_TIP.format(*span))
        with QSignalBlocker(self.slider):
            self.slider.setValue(self._step(asked))
        self.canonical.setChecked(asked is None)
        text = wording.moment(asked) if asked is not None else "canonical set"
        self.label.setText(f"{text.capitalize()}{'' if self._arrived else '…'}")

    def toggle_play(self) -> None:
        """Play from here, round and round."""
        if self._timer.isActive():
            self._stop()
        else:
            self._timer.start()
            self._play_on()
            self._draw_icon()

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    def _play_on(self) -> None:
        if self._arrived:  # a moment that takes long to make is waited for
            step = self.slider.value() // PLAYED * PLAYED + PLAYED
            self.chosen.emit(self._moment(step if step <= STEPS and not self.canonical.isChecked() else 0))

    def _stop(self) -> None:
        self._timer.stop()
        self._draw_icon()

    def _choose_canonical(self, on: bool) -> None:
        self._stop()
        self.chosen.emit(None if on else self._moment(self.slider.value()))

    def _moment(self, step: int) -> float | None:
        return None if self._span is None else self._span[0] + (self._span[1] - self._span[0]) * step / STEPS

    def _step(self, moment: float | None) -> int:
        """The step nearest to a moment; the canonical set leaves the slider where it is."""
        if moment is None or self._span is None or self._span[0] == self._span[1]:
            return int(self.slider.value())
        return round((moment - self._span[0]) / (self._span[1] - self._span[0]) * STEPS)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 3, 8, 3)
        row.setSpacing(8)
        row.addWidget(self.play)
        row.addWidget(self.slider, 1)
        row.addWidget(self.label)
        row.addWidget(self.canonical)

    def _draw_icon(self) -> None:
        theme = theme_of(self)
        self.play.setIcon(transport_icon("pause" if self.playing else "play", theme.text, theme.line))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            self._draw_icon()
        super().changeEvent(event)
