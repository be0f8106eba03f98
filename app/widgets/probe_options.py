"""How a probe is to be asked: size, renderer, limits, repetitions and the save; at first all is left to the probe."""

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QFormLayout, QSpinBox, QWidget

from app import wording
from app.probe_question import GIB, Question
from app.session import State
from diagnostics.probes.bench import Limits, Wish

BY_ITSELF = "chosen by the probe"
ENGINES = (("CUDA where it is, else CPU", "auto"), ("CPU", "cpu"), ("CUDA", "cuda"))


class ProbeOptions(QWidget):
    """`changed` comes with every change that a user makes."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown_iteration: int | None = None
        self.size_px = _spin(0, 4096, 32, " px")
        self.steps, self.seeds = _spin(0, 100_000, 50), _spin(0, 20, 1)
        self.seconds = _spin(10, 36_000, 30, " s", round(Limits().seconds))
        self.memory_gib = QDoubleSpinBox(minimum=0.5, maximum=512.0, singleStep=0.5, decimals=1, suffix=" GiB")
        self.memory_gib.setValue(Limits().memory_bytes / GIB)
        self.engine, self.save = QComboBox(), QComboBox()
        for text, name in ENGINES:
            self.engine.addItem(text, name)
        self.save.addItem("The last one of the range", False)
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.fields: dict[str, QComboBox | QSpinBox | QDoubleSpinBox] = {
            "Longer side of the pictures": self.size_px, "Drawn by": self.engine, "Time at most": self.seconds,
            "Memory at most": self.memory_gib, "Steps of a training": self.steps, "Trainings on each side": self.seeds,
            "Save to look at": self.save,
        }
        for text, field in self.fields.items():
            form.addRow(text, field)
            field.setAccessibleName(text)
            field.installEventFilter(self)
            field.setMinimumWidth(90)
            heard = field.currentIndexChanged if isinstance(field, QComboBox) else field.valueChanged
            heard.connect(self.changed)

    def show_state(self, state: State) -> None:
        """Offers the shown save."""
        saved = () if state.run is None else state.run.iterations
        self._shown_iteration = state.iteration if saved else None
        chosen = self.save.currentIndex()
        self.save.blockSignals(True)
        while self.save.count() > 1:
            self.save.removeItem(1)
        if len(saved) > 1:
            self.save.addItem(f"The one that is shown ({wording.count(state.iteration)})", True)
        self.save.setCurrentIndex(min(chosen, self.save.count() - 1))
        self.save.blockSignals(False)

    def question(self, probe: str, span: tuple[int, int] | None) -> Question:
        """As these options put it."""
        wish = Wish(
            longest_px=self.size_px.value(), engine=self.engine.currentData(), seeds=self.seeds.value(), steps=self.steps.value(),
            iteration=self._shown_iteration if self.save.currentData() else None,
        )
        return Question(probe, wish, Limits(float(self.seconds.value()), round(self.memory_gib.value() * GIB)), span)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A wheel that scrolls the page changes no number under it."""
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return super().eventFilter(watched, event)


def _spin(least: int, most: int, step: int, suffix: str = "", value: int = 0) -> QSpinBox:
    """At 0 it reads "chosen by the probe"."""
    spin = QSpinBox(minimum=least, maximum=most, singleStep=step, suffix=suffix)
    if least == 0:
        spin.setSpecialValueText(BY_ITSELF)
    spin.setValue(value)
    spin.setKeyboardTracking(False)
    spin.setGroupSeparatorShown(True)
    return spin
