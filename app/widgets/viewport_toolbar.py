"""The viewport's controls: what colours mean, what is drawn, and through which camera."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QToolButton, QWidget

from app.widgets.elided import ElidedLabel
from app.widgets.toggle_style import TOGGLE_STYLE
from app.widgets.viewport_looks import CHOICES, RGB

FREE = "Free camera"
PLAIN = "One colour"  # of rows whose colour is not the trainer's
POINTS_TIP = "Draw every Gaussian as a dot at its mean"


class ViewportToolbar(QWidget):
    """Signals carry what the user chose; `show_*` never emits."""

    colour_chosen = Signal(str)
    camera_chosen = Signal(object)  # image name, or None
    toggled = Signal()
    framed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.colour_by = QComboBox()
        self.colour_by.setAccessibleName("Colour by")
        self.colour_by.setToolTip("What the colours show")
        for name, title in CHOICES.items():
            self.colour_by.addItem(title, name)
        self.camera = QComboBox()
        self.camera.setAccessibleName("Camera")
        self.camera.setToolTip("Look through a camera of the run")
        self.camera.addItem(FREE, None)
        self.camera.setMinimumContentsLength(14)
        self.camera.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.points = self._toggle("Points", POINTS_TIP)
        self._chose_points = False  # while dots are forced
        self.frusta = self._toggle("Cameras", "Draw the cameras, held-out ones in orange; click one to look through it")
        self.white = self._toggle("White", "White background instead of black")
        self.frame = self._button("Frame", "Show the whole scene (F)")
        self.colour_by.setMinimumContentsLength(16)
        self.colour_by.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.where = ElidedLabel()
        self.where.setProperty("role", "muted")
        self._lay_out()
        self.setStyleSheet(TOGGLE_STYLE)  # switched on must be told from off at a glance
        self.colour_by.activated.connect(lambda _: self.colour_chosen.emit(self.colour_by.currentData()))
        self.camera.activated.connect(lambda _: self.camera_chosen.emit(self.camera.currentData()))
        self.frame.clicked.connect(self.framed)

    def show_colour(self, name: str) -> None:
        with QSignalBlocker(self.colour_by):
            self.colour_by.setCurrentIndex(max(self.colour_by.findData(name), 0))

    def show_choices(self, unusable: Mapping[str, str], *, trained: bool) -> None:
        """Choices that mean nothing are greyed out and say why; `trained`: whether the rows have a colour of their own."""
        model = self.colour_by.model()
        assert isinstance(model, QStandardItemModel)
        for index in range(self.colour_by.count()):
            why = unusable.get(self.colour_by.itemData(index), "")
            model.item(index).setEnabled(not why)
            model.item(index).setToolTip(why)
        self.colour_by.setItemText(self.colour_by.findData(RGB), CHOICES[RGB] if trained else PLAIN)

    def force_points(self, why: str) -> None:
        """Dots, whatever the user chose before, for the reason `why`; empty gives the choice back."""
        if bool(why) == self.points.isEnabled():
            self._chose_points = self.points.isChecked() if why else self._chose_points
            with QSignalBlocker(self.points):
                self.points.setChecked(bool(why) or self._chose_points)
        self.points.setEnabled(not why)
        self.points.setToolTip(why or POINTS_TIP)

    def show_cameras(self, names: Sequence[str]) -> None:
        with QSignalBlocker(self.camera):
            self.camera.clear()
            self.camera.addItem(FREE, None)
            for name in names:
                self.camera.addItem(name, name)
        self.camera.setEnabled(bool(names))
        self.frusta.setEnabled(bool(names))

    def show_camera(self, name: str | None) -> None:
        with QSignalBlocker(self.camera):
            self.camera.setCurrentIndex(0 if name is None else max(self.camera.findText(name), 0))

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        return button

    def _toggle(self, text: str, tip: str) -> QToolButton:
        button = self._button(text, tip)
        button.setCheckable(True)
        button.toggled.connect(lambda _: self.toggled.emit())
        return button

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(4)
        for widget in (self.colour_by, self.points, self.frusta, self.white, self.frame, self.camera):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.where)
