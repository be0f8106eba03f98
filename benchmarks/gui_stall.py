"""How long the GUI thread is blocked at worst while a 1 M checkpoint loads and is scrubbed: gaps of a 10 ms timer.

Limit: 50 ms, above which a drag is felt to stick. Run: python -m benchmarks.gui_stall [COUNT]
"""

import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QSettings, Qt, QTimer

from app import show, theme
from app.lanes import settled
from app.window import Window
from benchmarks.big_run import write_run

ITERATIONS = (1000, 2000, 3000, 4000)
TICK_MS = 10
PASSES = 3


class Watch:
    """Remembers the gaps between ticks, and during which phase they were."""

    def __init__(self) -> None:
        self.gaps: list[tuple[float, str]] = []
        self.phase = "start"
        self._last = time.perf_counter()
        self._timer = QTimer(interval=TICK_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        self._last = time.perf_counter()
        self._timer.start()

    def _tick(self) -> None:
        now = time.perf_counter()
        self.gaps.append((1000 * (now - self._last), self.phase))
        self._last = now

    def worst(self, phase: str) -> float:
        return max((gap for gap, when in self.gaps if when == phase), default=0.0)


def wait(window: Window, seconds: float = 120.0) -> None:
    """Process events until the shown checkpoint is the one asked for and every lane is quiet."""
    end = time.monotonic() + seconds
    state = window.session.state
    while time.monotonic() < end:
        QCoreApplication.processEvents()
        state = window.session.state
        if state.shown is not None and state.shown.checkpoint.iteration == state.iteration and settled(window):
            return
        time.sleep(0.001)


def rest(seconds: float) -> None:
    """Nothing to do: the gaps that the machine itself makes, to read the others against."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        QCoreApplication.processEvents()
        time.sleep(0.001)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        run = write_run(Path(folder) / "run", count, ITERATIONS)
        show.application(theme.DARK)
        window = Window(QSettings(os.devnull, QSettings.Format.IniFormat))
        window.show()
        watch = Watch()
        QCoreApplication.processEvents()
        watch.start()
        watch.phase = "idle"
        rest(2.0)
        watch.phase = "open and load"
        window.loader.open(run)
        wait(window)
        for number in range(PASSES):
            watch.phase = "scrub, cold" if number == 0 else "scrub, warm"
            for iteration in ITERATIONS:
                window.session.go_to(iteration)
                wait(window)
        watch.phase = "end"
        for phase in ("idle", "open and load", "scrub, cold", "scrub, warm"):
            gaps = sorted((gap for gap, when in watch.gaps if when == phase), reverse=True)
            print(f"{phase:<14} worst gap {watch.worst(phase):6.1f} ms, next {gaps[1] if len(gaps) > 1 else 0:6.1f} ms, "
                  f"{len(gaps):5d} ticks, limit 50 ms, {count:,} Gaussians x {len(ITERATIONS)}")
        window.close()
        show.dispose(window)


if __name__ == "__main__":
    main()
