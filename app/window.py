"""The main window: panels in docks, menus, drops, and what is remembered between sessions."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QLabel,
    QMainWindow,
    QMenu,
    QProgressBar,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.actions import Actions, theme_menu
from app.diagnosing import Doctor
from app.lanes import close_lanes
from app.loading import Loader
from app.notices import Notice, NoticeBar, Notices
from app.panels.diagnosis import DiagnosisPanel
from app.panels.inspector import InspectorPanel
from app.panels.memory import MemoryPanel
from app.panels.pattern import PatternPanel
from app.panels.plots import PlotsPanel
from app.panels.probes import ProbesPanel
from app.panels.runs import RunsPanel
from app.panels.timeline import TimelinePanel
from app.panels.viewport import ViewportPanel
from app.probing import Prober
from app.session import PROBE_JOB, Session, State
from app.watching import Follower
from diagnostics.catalogue import Pattern

LAYOUT_VERSION = 2  # a saved layout of another version is not restored
TOLD_MS = 6000  # long enough to read a sentence in the status bar
BUSY_AFTER_MS = 200  # shorter work shows no bar, or the window would flicker
PANELS = {
    "runs": RunsPanel, "viewport": ViewportPanel, "timeline": TimelinePanel, "plots": PlotsPanel,
    "inspector": InspectorPanel, "diagnosis": DiagnosisPanel, "pattern": PatternPanel, "memory": MemoryPanel,
    "probes": ProbesPanel,
}
SIDE = {
    "runs": ("Run", Qt.DockWidgetArea.LeftDockWidgetArea), "plots": ("Plots", Qt.DockWidgetArea.BottomDockWidgetArea),
    "diagnosis": ("Diagnosis", Qt.DockWidgetArea.RightDockWidgetArea),
    "inspector": ("Inspector", Qt.DockWidgetArea.RightDockWidgetArea),
    "pattern": ("Finding", Qt.DockWidgetArea.RightDockWidgetArea),
    "memory": ("Memory", Qt.DockWidgetArea.RightDockWidgetArea),
    "probes": ("Probes", Qt.DockWidgetArea.RightDockWidgetArea),
}
NARROWEST_PX = {"runs": 200, "viewport": 240, "diagnosis": 280, "inspector": 330, "pattern": 280, "memory": 280, "probes": 280}


class Window(QMainWindow):
    """Puts the pieces together; every act is an action or a verb of the session."""

    def __init__(self, settings: QSettings, session: Session | None = None) -> None:
        super().__init__()
        self.session = session or Session()
        self.session.setParent(self)
        self.settings = settings
        self.notices = Notices(self)
        self.loader, self.doctor, self.follower = Loader(self.session), Doctor(self.session), Follower(self.session)
        self.prober = Prober(self.session)
        self.actions_ = Actions(
            self.session, self.loader, self.doctor, self.prober, self.follower, self.notices, settings, self)
        self.panels = {name: panel(self.session) for name, panel in PANELS.items()}
        for name, width in NARROWEST_PX.items():
            self.panels[name].setMinimumWidth(width)
        self.docks: dict[str, QDockWidget] = {}
        self._alone = False
        self._read: Pattern | None = None  # whose page was raised last
        self.setWindowTitle("Splat Doctor")
        self.setAcceptDrops(True)
        self._put_centre()
        self._put_docks()
        self._put_menus()
        self._put_status()
        self._connect()
        self._restore()

    def _put_centre(self) -> None:
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(NoticeBar(self.notices))
        column.addWidget(self.panels["viewport"], 1)
        column.addWidget(self.panels["timeline"])
        self.centre = centre
        self.setCentralWidget(centre)

    def _put_docks(self) -> None:
        self.setDockNestingEnabled(True)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        for name, (title, area) in SIDE.items():
            dock = QDockWidget(title, self)
            dock.setObjectName(name)
            dock.setWidget(self.panels[name])
            self.addDockWidget(area, dock)
            self.docks[name] = dock
        self.splitDockWidget(self.docks["diagnosis"], self.docks["inspector"], Qt.Orientation.Vertical)
        self.tabifyDockWidget(self.docks["inspector"], self.docks["pattern"])
        self.tabifyDockWidget(self.docks["pattern"], self.docks["memory"])
        self.tabifyDockWidget(self.docks["memory"], self.docks["probes"])
        self.setTabPosition(Qt.DockWidgetArea.RightDockWidgetArea, QTabWidget.TabPosition.North)
        self.docks["inspector"].raise_()
        self._first_layout = self.saveState(LAYOUT_VERSION)

    def reset_layout(self) -> None:
        """The layout of a first start."""
        self.restoreState(self._first_layout, LAYOUT_VERSION)
        self.size_docks()

    def size_docks(self) -> None:
        """Shares of the window that suit its present size."""
        wide = self.width() >= 1500
        self.resizeDocks([self.docks["runs"], self.docks["diagnosis"]], [300 if wide else 240, 400 if wide else 350],
                         Qt.Orientation.Horizontal)
        self.resizeDocks([self.docks["plots"]], [round(self.height() * 0.33)], Qt.Orientation.Vertical)
        self.resizeDocks([self.docks["diagnosis"], self.docks["inspector"]], [550, 450], Qt.Orientation.Vertical)

    def show_only(self, name: str) -> None:
        """One panel alone; nothing of this layout is remembered."""
        self._alone = True
        for dock in self.docks.values():
            dock.setVisible(dock.objectName() == name)
        self.panels["viewport"].setVisible(name == "viewport")
        self.panels["timeline"].setVisible(name == "timeline")
        if name in self.docks:
            self.centre.hide()

    def _put_menus(self) -> None:
        view = QMenu("&View", self)
        for dock in self.docks.values():
            view.addAction(dock.toggleViewAction())
        view.addSeparator()
        view.addAction("&Reset layout", self.reset_layout)
        view.addMenu(theme_menu(self.settings, self))
        self.actions_.fill(self.menuBar(), view)

    def _put_status(self) -> None:
        self.doing, self.bar = QLabel(), QProgressBar(textVisible=False)
        self.doing.setTextFormat(Qt.TextFormat.PlainText)  # it may quote a folder's name
        self.bar.setFixedSize(140, 6)
        self.stop = QToolButton()
        self.stop.setDefaultAction(self.actions_.cancel)
        self.live = QLabel()
        self.live.setTextFormat(Qt.TextFormat.PlainText)
        for widget in (self.doing, self.bar, self.stop, self.live):
            self.statusBar().addPermanentWidget(widget)
            widget.hide()
        self._patience = QTimer(self, singleShot=True, interval=BUSY_AFTER_MS)
        self._patience.timeout.connect(lambda: self._show_bar(self.session.state))

    def _connect(self) -> None:
        diagnosis = self.panels["diagnosis"]
        assert isinstance(diagnosis, DiagnosisPanel)
        diagnosis.diagnose_wanted.connect(self.actions_.diagnose.trigger)
        diagnosis.cancel_wanted.connect(self.actions_.cancel.trigger)
        diagnosis.report_wanted.connect(self.actions_.report.trigger)
        diagnosis.json_wanted.connect(self.actions_.json.trigger)
        self._connect_probes()
        self.loader.looked.connect(lambda text: self.statusBar().showMessage(text, TOLD_MS))
        self.follower.told.connect(self.show_live)
        self.session.watch(self.show_title, "run")
        self.session.watch(self.show_busy, "busy")
        self.session.watch(self.show_selection, "selected")
        self.session.watch(self.show_pattern, "pattern", "finding")
        self.session.watch(self.show_asked, "asked")

    def _connect_probes(self) -> None:
        probes = self.panels["probes"]
        assert isinstance(probes, ProbesPanel)
        probes.run_wanted.connect(self.prober.ask)
        probes.cost_wanted.connect(self.prober.cost)
        probes.pause_wanted.connect(self.prober.pause)
        probes.stop_wanted.connect(self.prober.stop)
        probes.save_wanted.connect(self.actions_.ask_answer)
        self.prober.failed.connect(lambda says, details: self.notices.tell(Notice(says, details)))

    # What the session says

    def show_title(self, state: State) -> None:
        self.setWindowTitle(f"{state.run.name} – Splat Doctor" if state.run is not None else "Splat Doctor")

    def show_busy(self, state: State) -> None:
        if not state.busy:
            self._patience.stop()
            self._show_bar(state)
        elif self.bar.isVisible():
            self._show_bar(state)
        elif not self._patience.isActive():
            self._patience.start()

    def show_live(self, text: str) -> None:
        self.live.setText(text)
        self.live.setVisible(bool(text))

    def show_selection(self, state: State) -> None:
        if state.selected is not None and state.selected.contributors:  # picked by hand
            self.docks["inspector"].raise_()

    def show_pattern(self, state: State) -> None:
        fresh, self._read = state.pattern is not self._read, state.pattern
        if state.pattern is not None and (fresh or state.finding is not None):  # leaving a finding raises nothing
            self.docks["pattern"].show()
            self.docks["pattern"].raise_()

    def show_asked(self, state: State) -> None:
        if state.asked is not None:
            self.docks["probes"].show()
            self.docks["probes"].raise_()

    def _show_bar(self, state: State) -> None:
        shorter = (job for job in state.busy if job != PROBE_JOB)  # a probe takes longest, and has a panel of its own
        fraction, text = state.busy.get(next(shorter, PROBE_JOB), (0.0, ""))
        self.doing.setText(text)
        self.bar.setRange(0, 0 if fraction < 0 else 1000)
        self.bar.setValue(round(fraction * 1000))
        self.doing.setVisible(bool(state.busy))
        self.bar.setVisible(bool(state.busy))
        self.stop.setVisible(self.actions_.cancel.isEnabled())

    # Drops, and what is remembered

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = next((Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()), None)
        if path is not None:
            event.acceptProposedAction()
            self.loader.open(path)

    def _restore(self) -> None:
        geometry, layout = self.settings.value("geometry"), self.settings.value("layout")
        if isinstance(geometry, QByteArray) and isinstance(layout, QByteArray):
            self.restoreGeometry(geometry)
            self.restoreState(layout, LAYOUT_VERSION)
        else:
            self.resize(1600, 1000)
            self.size_docks()

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._alone:
            self.settings.setValue("geometry", self.saveGeometry())
            self.settings.setValue("layout", self.saveState(LAYOUT_VERSION))
        self.follower.follow(False)
        self.hide()  # a worker may need a moment to stop, and a window that stands still meanwhile looks hung
        self.prober.end()
        close_lanes(self)
        super().closeEvent(event)


def user_settings() -> QSettings:
    """Where the window remembers things on this machine."""
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "splatdoctor", "splatdoctor")
