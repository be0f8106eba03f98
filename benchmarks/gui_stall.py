"""How long the GUI thread is blocked at worst while a 1 M checkpoint loads and is scrubbed, and while a probe runs beside it:
gaps of a 10 ms timer.

Limit: 50 ms, above which a drag is felt to stick. "idle" is what the machine itself does to the timer; "own work" is the
processor time that the GUI thread spent in its longest step, which other processes do not lengthen. The probe draws curves and
pictures, and its panel is in front.
Run: python -m benchmarks.gui_stall [COUNT]
"""

import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, Qt, QTimer

from app import show, theme
from app.lanes import settled
from app.probe_question import Question
from app.window import Window
from benchmarks.big_run import write_run
from diagnostics.probes.bench import Wish

ITERATIONS = (1000, 2000, 3000, 4000)
TICK_MS = 10
PASSES = 3
PROBE = "overfit"
PROBE_S = 8.0  # of each phase while the probe works
STEPS = 5_000  # of each of its fits: more than it can do meanwhile
SAMPLE = Path(__file__).parents[1] / "resources" / "sample_run"  # lends its cameras and photos


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


def scrub(window: Window, watch: Watch, phase: str) -> None:
    """Once through all saves."""
    watch.phase = phase
    for iteration in ITERATIONS:
        window.session.go_to(iteration)
        wait(window)


def beside_a_probe(window: Window, watch: Watch) -> int:
    """The window at rest and scrubbed while a probe works; the points of its curves that came."""
    window.session.ask_about(PROBE)
    window.prober.ask(Question(PROBE, Wish(steps=STEPS)))
    end = time.monotonic() + 60.0
    watch.phase = "probe starts"
    while not told(window) and window.prober.busy and time.monotonic() < end:
        rest(0.1)
    watch.phase = "probe runs"
    rest(PROBE_S)
    end = time.monotonic() + PROBE_S
    while window.prober.busy and time.monotonic() < end:
        scrub(window, watch, "probe, scrub")
    points = told(window)
    watch.phase = "probe stops"
    window.prober.stop()
    while window.prober.busy:
        rest(0.1)
    return points


def told(window: Window) -> int:
    working = window.session.state.working
    return 0 if working is None else sum(len(curve.steps) for curve in working.curves)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        run = write_run(Path(folder) / "run", count, ITERATIONS)
        shutil.copy(SAMPLE / "cameras.json", run)
        show.application(theme.DARK)
        window = Window(show.passing_settings(Path(folder)))
        window.show()
        QCoreApplication.processEvents()
        watch = Watch()
        watch.phase = "idle"
        rest(2.0)
        watch.phase = "open and load"
        window.loader.open(run, SAMPLE / "studio")
        wait(window)
        for number in range(PASSES):
            scrub(window, watch, "scrub, cold" if number == 0 else "scrub, warm")
        points = beside_a_probe(window, watch)
        watch.phase = "end"
        print(f"{count:,} Gaussians at SH degree 3, {len(ITERATIONS)} saved iterations")
        for phase in dict.fromkeys(gap.phase for gap in watch.gaps if gap.phase not in ("start", "end")):
            print(watch.line(phase))
        print(f"The {PROBE} probe told {points:,} points of its curves meanwhile")
        window.close()
        show.dispose(window)


if __name__ == "__main__":
    main()
