"""Actions: everything that menus, buttons and shortcuts can do, each once."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QSettings
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog, QMenu, QMenuBar, QMessageBox, QWidget

from app import theme
from app.diagnosing import Doctor
from app.help import HelpDialog
from app.loading import Loader
from app.notices import Notice, Notices
from app.probing import Prober
from app.session import PROBE_JOB, SCORE_JOB, Session, State
from app.version import product_version
from app.watching import Follower
from diagnostics.probes.answer import Result
from runs.remote.addresses import is_address, place_of
from runs.storage import address_of

RECENT = "recent_runs"
MOST_RECENT = 8
ADDRESS = "Address of a run, such as sftp://host/path, s3://bucket/path or https://host/path"


class Actions(QObject):
    """The window's actions; `parent` is where dialogs open."""

    def __init__(
        self, session: Session, loader: Loader, doctor: Doctor, prober: Prober, follower: Follower, notices: Notices,
        settings: QSettings, parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._session, self._loader, self._doctor, self._prober = session, loader, doctor, prober
        self._notices, self._settings, self._window = notices, settings, parent
        self.open_folder = self._action("&Open run…", self.ask_folder, QKeySequence.StandardKey.Open)
        self.open_file = self._action("Open splat &file…", self.ask_file, "Ctrl+Shift+O")
        self.open_address = self._action("Open &address…", self.ask_address, "Ctrl+L")
        self.data = self._action("&Photos and COLMAP model…", self.ask_data, "Ctrl+D")
        self.refresh = self._action("&Look for new saves", loader.refresh, "Ctrl+R")
        self.follow = QAction("&Follow the training", self, checkable=True)
        self.follow.setShortcut(QKeySequence("Ctrl+Shift+R"))
        self.follow.setToolTip("Look for new saves and longer logs by itself; on while a run is being written")
        self.follow.toggled.connect(follower.follow)
        follower.followed.connect(self.follow.setChecked)
        self.report = self._action("Export &report…", self.ask_report, "Ctrl+E")
        self.json = self._action("Export &JSON…", self.ask_json, "Ctrl+Shift+E")
        self.quit = self._action("&Quit", self._window.close, QKeySequence.StandardKey.Quit)
        self.diagnose = self._action("&Diagnose", doctor.diagnose, "F5")
        self.cancel = self._action("&Cancel", self.stop, "Ctrl+.")
        self.back = self._action("&Back", session.back, "Alt+Left")
        self.forward = self._action("&Forward", session.forward, "Alt+Right")
        self.leave = self._action("&Leave the finding", session.leave, "Alt+Up")
        self.previous = self._action("&Previous iteration", lambda: session.step(-1), "Ctrl+Left")
        self.next = self._action("&Next iteration", lambda: session.step(1), "Ctrl+Right")
        self.whole = self._action("&Whole run", lambda: session.choose_span(None, None), "Ctrl+0")
        self.help = self._action("&Help", self.show_help, QKeySequence.StandardKey.HelpContents)
        self.about = self._action("&About Splat Doctor", self.show_about)
        self._help: HelpDialog | None = None  # one is enough, however often it is asked for
        self.recent = QMenu("Open &recent", parent)
        self._fill_recent()
        session.watch(self.show_state, "run", "diagnosis", "busy")
        session.watch(self.show_run, "run")
        session.watch(self.show_finding, "finding")

    def fill(self, bar: QMenuBar, view: QMenu) -> None:
        """Put everything into the menu bar; `view` is the window's own menu of panels."""
        groups: tuple[tuple[str, tuple[QAction | QMenu | None, ...]], ...] = (
            ("&File", (self.open_folder, self.open_file, self.open_address, self.recent, self.data, self.refresh,
                       self.follow, None, self.report, self.json, None, self.quit)),
            ("&Go", (self.back, self.forward, self.leave, None, self.previous, self.next, self.whole)),
            ("&Diagnosis", (self.diagnose, self.cancel)),
        )
        for title, entries in groups:
            _fill(bar.addMenu(title), entries)
        bar.addMenu(view)
        _fill(bar.addMenu("&Help"), (self.help, self.about))

    def all(self) -> list[QAction]:
        return [action for action in self.children() if isinstance(action, QAction)]

    def show_state(self, state: State) -> None:
        running = "diagnose" in state.busy
        for action in (self.data, self.refresh, self.follow, self.previous, self.next, self.whole):
            action.setEnabled(state.run is not None)
        self.diagnose.setEnabled(state.run is not None and not running)
        self.cancel.setEnabled(any(job in state.busy for job in ("diagnose", SCORE_JOB, "export", PROBE_JOB)))
        for action in (self.report, self.json):
            action.setEnabled(state.diagnosis is not None and not running)

    def show_finding(self, state: State) -> None:
        self.leave.setEnabled(state.finding is not None)

    def show_run(self, state: State) -> None:
        if state.run is not None:
            path = address_of(state.run.path.resolve())  # of a remote run without user and password
            kept = [path, *(old for old in self.recent_paths() if old != path)][:MOST_RECENT]
            self._settings.setValue(RECENT, kept)
            self._fill_recent()

    def recent_paths(self) -> list[str]:
        stored = self._settings.value(RECENT)  # QSettings writes a list of one as a plain string
        return [stored] if isinstance(stored, str) else [str(path) for path in stored] if isinstance(stored, list) else []

    # Dialogs

    def ask_folder(self) -> None:
        self._open(QFileDialog.getExistingDirectory(self._window, "Open a run's folder", self._start()))

    def ask_file(self) -> None:
        self._open(QFileDialog.getOpenFileName(self._window, "Open a splat file", self._start(), splat_files())[0])

    def ask_address(self) -> None:
        self._open(QInputDialog.getText(self._window, "Open address", ADDRESS)[0].strip())

    def ask_data(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self._window, "Folder with the photos and the COLMAP model", self._start())
        if chosen:
            self._loader.set_data(Path(chosen))

    def ask_report(self) -> None:
        if (path := self._ask_save("Export report", ".pdf", "PDF (*.pdf);;Page for a browser (*.html)")) is not None:
            self._doctor.export_report(path, self._written)

    def ask_json(self) -> None:
        if (path := self._ask_save("Export JSON", ".json", "JSON (*.json)")) is not None:
            self._doctor.export_json(path, self._written)

    def ask_answer(self, result: Result) -> None:
        """Save what a probe found out."""
        kinds, named = "JSON (*.json)", f"-{result.probe}"
        if (path := self._ask_save("Save the result of the probe", ".json", kinds, named)) is not None:
            self._doctor.export_answer(result, path, self._written)

    def stop(self) -> None:
        """What the status bar shows: a diagnosis or an export first, a probe where nothing else runs."""
        if self._doctor.busy:
            self._doctor.cancel()
        else:
            self._prober.stop()

    def show_help(self) -> None:
        if self._help is None:
            self._help = HelpDialog(self.all(), self._window)
        self._help.show()
        self._help.raise_()
        self._help.activateWindow()

    def show_about(self) -> None:
        QMessageBox.about(self._window, "About Splat Doctor", (
            f"<h3>Splat Doctor {product_version()}</h3><p>A desktop debugger for 3D Gaussian Splatting training runs.</p>"
            "<p>Apache License 2.0</p>"))

    def _open(self, path: str) -> None:
        if path:
            self._loader.open(place_of(path))

    def _start(self) -> str:
        recent = self.recent_paths()
        local = (path for path in recent if not is_address(path))
        return str(Path(next(local, "")).parent)

    def _ask_save(self, title: str, suffix: str, kinds: str, named: str = "-diagnosis") -> Path | None:
        run = self._session.state.run
        suggested = str(Path(self._start()) / f"{run.name if run else 'run'}{named}{suffix}")
        chosen = QFileDialog.getSaveFileName(self._window, title, suggested, kinds)[0]
        if not chosen:
            return None
        return Path(chosen) if Path(chosen).suffix else Path(chosen).with_suffix(suffix)

    def _written(self, path: Path) -> None:
        self._notices.tell(Notice(f"Written: {path}", kind="done"))

    def _fill_recent(self) -> None:
        self.recent.clear()
        for path in self.recent_paths():
            self.recent.addAction(path, partial(self._open, path))
        self.recent.setEnabled(not self.recent.isEmpty())

    def _action(self, text: str, act: Callable[[], object], keys: QKeySequence.StandardKey | str | None = None) -> QAction:
        action = QAction(text, self)
        action.triggered.connect(lambda _checked: act())
        if keys is not None:
            action.setShortcut(QKeySequence(keys))
        return action


def _fill(menu: QMenu, entries: tuple[QAction | QMenu | None, ...]) -> None:
    for entry in entries:
        if entry is None:
            menu.addSeparator()
        elif isinstance(entry, QMenu):
            menu.addMenu(entry)
        else:
            menu.addAction(entry)


def splat_files() -> str:
    """What the dialog offers: files of splats in every format, and resumable ones, each of which opens its run."""
    from runs.formats.splat_formats import ENDINGS  # not before it is needed
    from runs.open_run import STATE_ENDINGS

    known = " ".join(f"*{ending}" for ending in (*ENDINGS, *STATE_ENDINGS))
    return f"Splats and checkpoints ({known});;All files (*)"


def theme_menu(settings: QSettings, parent: QWidget) -> QMenu:
    """System, dark or light; remembered."""
    menu = QMenu("&Theme", parent)
    only_one = QActionGroup(menu)
    stored = settings.value("theme")
    current = str(stored) if theme.named(str(stored)) is not None else "system"

    def choose(name: str) -> None:
        settings.setValue("theme", name)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.apply(app, theme.named(name))

    for name in ("system", "dark", "light"):
        action = only_one.addAction(QAction(name.capitalize(), menu, checkable=True, checked=name == current))
        action.triggered.connect(lambda _checked, name=name: choose(name))
        menu.addAction(action)
    return menu
