"""Notices: every error reaches the user once, in a bar that blocks nothing."""

import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from runs.errors import RunError


class Trouble(Exception):
    """Something the user can understand and act on; its sentence is all there is to say."""


@dataclass(frozen=True)
class Notice:
    """One message; `details` is for a bug report and empty where the sentence says everything."""

    says: str
    details: str = ""
    kind: Literal["error", "done"] = "error"


class Notices(QObject):
    """Collects notices from any thread and hands each one over once, on the GUI thread."""

    told = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._seen: set[str] = set()
        self._lock = threading.Lock()

    def tell(self, notice: Notice) -> None:
        """Safe from any thread; the same sentence is told once until it is dismissed."""
        with self._lock:
            known = notice.says in self._seen
            self._seen.add(notice.says)
        if not known:
            self.told.emit(notice)

    def tell_error(self, error: BaseException) -> None:
        """A trouble with a file says what to do; anything else is our own mistake and says so."""
        if isinstance(error, RunError | OSError | Trouble):
            self.tell(Notice(str(error)))
            return
        details = "".join(traceback.format_exception(error))
        print(details, file=sys.stderr, end="")
        self.tell(Notice(f"Something went wrong inside Splat Doctor: {error or type(error).__name__}", details))

    def dismiss(self, notice: Notice) -> None:
        """The user has read it; should it happen again, it is told again."""
        with self._lock:
            self._seen.discard(notice.says)

    def install(self) -> Callable[[], None]:
        """Hear every uncaught exception of every thread; call the result to stop. Qt slots' exceptions come here too."""
        before = sys.excepthook, threading.excepthook

        def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
            if issubclass(kind, KeyboardInterrupt | SystemExit):
                before[0](kind, error, trace)
            else:
                self.tell_error(error)

        def thread_hook(args: threading.ExceptHookArgs) -> None:
            if args.exc_value is not None and not issubclass(args.exc_type, SystemExit):
                self.tell_error(args.exc_value)

        def restore() -> None:
            sys.excepthook, threading.excepthook = before

        sys.excepthook, threading.excepthook = hook, thread_hook
        return restore


class NoticeBar(QFrame):
    """Shows one notice at a time above the window's content; hidden while there is none."""

    def __init__(self, notices: Notices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("noticeBar")
        self._notices = notices
        self._waiting: list[Notice] = []
        self.label = QLabel()
        self.label.setWordWrap(True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.copy = QPushButton("Copy details")
        self.copy.clicked.connect(self._copy)
        self.close_button = QToolButton()
        self.close_button.setText("✕")
        self.close_button.setToolTip("Dismiss")
        self.close_button.clicked.connect(self._next)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 8, 6)
        for widget in (self.label, self.copy, self.close_button):
            row.addWidget(widget)
        self.hide()
        notices.told.connect(self._on_told, Qt.ConnectionType.QueuedConnection)

    def _on_told(self, notice: Notice) -> None:
        self._waiting.append(notice)
        if len(self._waiting) == 1:
            self._show(notice)

    def _show(self, notice: Notice) -> None:
        self.label.setText(notice.says[:1].upper() + notice.says[1:])  # on the command line it follows a colon
        self.copy.setVisible(bool(notice.details))
        self.setProperty("kind", notice.kind)
        self.style().unpolish(self)
        self.style().polish(self)
        self.show()

    def _next(self) -> None:
        self._notices.dismiss(self._waiting.pop(0))
        if self._waiting:
            self._show(self._waiting[0])
        else:
            self.hide()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._waiting[0].details)
