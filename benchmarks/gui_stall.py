"""How long the GUI thread is blocked at worst while a 1 M checkpoint loads and is scrubbed: gaps of a 10 ms timer.

Limit: 50 ms, above which a drag is felt to stick. "idle" is what the machine itself does to the timer; "own work" is the
processor time that the GUI thread spent in its longest step, which other processes do not lengthen.
Run: python -m benchmarks.gui_stall [COUNT]
"""

import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, Qt, QTimer

from app import show, theme
from app.lanes import settled
from app.window import Window
from benchmarks.big_run import write_run

ITERATIONS = (1000, 2000, 3000, 4000)
TICK_MS = 10
PASSES = 3


@dataclass(frozen=True)
class Gap:
    """The time between two ticks, and how much of it the GUI thread worked."""

    phase: str
    wall_ms: float
    work_ms: float


class Watch:
    """Remembers the gaps between ticks, and during which phase they were."""

    def __init__(self) -> None:
        self.gaps: list[Gap] = []
        self.phase = "start"
        self._last = time.perf_counter(), time.thread_time()
        self._timer = QTimer(interval=TICK_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def _tick(self) -> None:
        wall, work = time.perf_counter(), time.thread_time()
        self.gaps.append(Gap(self.phase, 1000 * (wall - self._last[0]), 1000 * (work - self._last[1])))
        self._last = wall, work

    def line(self, phase: str) -> str:
        gaps = [gap for gap in self.gaps if gap.phase == phase]
        wall = sorted((gap.wall_ms for gap in gaps), reverse=True)
        work = max(gap.work_ms for gap in gaps)
        return (f"{phase:<14} worst gap {wall[0]:6.1f} ms, next {wall[1]:6.1f} ms, own work at most {work:5.1f} ms, "
                f"{len(gaps):5d} ticks, limit 50 ms")


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
        window = Window(show.passing_settings(Path(folder)))
        window.show()
        QCoreApplication.processEvents()
        watch = Watch()
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
        print(f"{count:,} Gaussians at SH degree 3, {len(ITERATIONS)} saved iterations")
        for phase in ("idle", "open and load", "scrub, cold", "scrub, warm"):
            print(watch.line(phase))
        window.close()
        show.dispose(window)


if __name__ == "__main__":
    main()
