"""One process in which a probe works: what it says becomes messages, and it never outlives the window."""

import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

import app
from app.probe_child import CANCEL, TEMPORARY
from app.probe_lines import Lines, message_of

COMMAND = (sys.executable, "-m", "app")
MOST_THREADS = 2  # so that the window stays smooth
TAIL_BYTES = 8000  # of what it printed, for a bug report
POLITE_MS, FIRM_MS = 4000, 2000  # how long a closing window waits for a process that was asked to end, and then told to
PATIENCE_MS = 30_000  # until a process is killed that does not end though it was asked to: it may be stopped


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    code: int  # exit code; of a process that crashed or was killed, the signal where the system tells
    crashed: bool
    printed: str  # the end of its standard error


class ProbeProcess(QObject):
    """Start it once. `told` carries every message, `ended` comes once, after the last of them; then it is deleted."""

    told = Signal(object)
    ended = Signal(object)

    def __init__(
        self, arguments: Sequence[str], parent: QObject | None = None, *, command: Sequence[str] = COMMAND,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(parent)
        self._lines, self._printed = Lines(), b""
        self._over = False
        self._folder = tempfile.TemporaryDirectory(prefix="splatdoctor-probe-", ignore_cleanup_errors=True)
        self.process = QProcess(self)
        self.process.setProgram(command[0])
        self.process.setArguments([*command[1:], *arguments])
        self.process.setWorkingDirectory(str(Path(app.__file__).parents[1]))  # where `-m app` is this package and no other
        self.process.setProcessEnvironment(_environment(self._folder.name, environment or {}))
        self.process.readyReadStandardOutput.connect(self._hear)
        self.process.readyReadStandardError.connect(self._keep)
        self.process.finished.connect(self._on_finished)
        self.process.errorOccurred.connect(self._on_error)

    def start(self) -> None:
        self.process.start()

    def say(self, word: str) -> None:
        """One word on its standard input."""
        self.process.write(f"{word}\n".encode())

    def cancel(self) -> None:
        """It ends soon, and `ended` comes."""
        self.say(CANCEL)
        self.process.closeWriteChannel()
        QTimer.singleShot(PATIENCE_MS, self.process, self.process.kill)

    def leave(self) -> None:
        """It ends soon, and nothing more is told."""
        self._over = True
        self.cancel()

    def end(self) -> None:
        """Returns when it is gone; nothing more is told."""
        self.leave()
        for wait_ms, then in ((POLITE_MS, self.process.terminate), (FIRM_MS, self.process.kill), (FIRM_MS, lambda: None)):
            if self.process.waitForFinished(wait_ms):
                return
            then()

    def _hear(self) -> None:
        for line in self._lines.feed(bytes(self.process.readAllStandardOutput().data())):
            message = message_of(line)
            if message is not None and not self._over:
                self.told.emit(message)

    def _keep(self) -> None:
        self._printed = (self._printed + self.process.readAllStandardError().data())[-TAIL_BYTES:]

    def _on_finished(self, code: int, status: QProcess.ExitStatus) -> None:
        self._hear()
        self._keep()
        self._finish(code, status == QProcess.ExitStatus.CrashExit)

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:  # then `finished` never comes
            self._printed = self.process.errorString().encode()
            self._finish(-1, True)

    def _finish(self, code: int, crashed: bool) -> None:
        self._folder.cleanup()
        over, self._over = self._over, True
        if not over:
            self.ended.emit(Ended(code, crashed, self._printed.decode("utf-8", "replace")))
        self.deleteLater()


def _environment(folder: str, more: Mapping[str, str]) -> QProcessEnvironment:
    """Few threads, and a folder of its own for temporary files, which goes with it however it ends."""
    found = QProcessEnvironment.systemEnvironment()
    threads = str(max(1, min(MOST_THREADS, (os.cpu_count() or 2) - 1)))
    for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        if not found.contains(name):
            found.insert(name, threads)
    for name in ("TMPDIR", "TMP", "TEMP", TEMPORARY):
        found.insert(name, folder)
    for name, value in more.items():
        found.insert(name, value)
    return found
