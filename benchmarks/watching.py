"""Following a training: what a look costs, what hours of appended logs cost in memory, and whether the window stalls meanwhile.

`python -m benchmarks.watching [iterations]`: a run of 30 saves whose logs hold that many iterations (default 30,000).
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication

from app import show, theme
from app.watching import LOOK_MS
from app.window import Window
from benchmarks.big_run import write_run
from benchmarks.gui_stall import Watch as Gaps
from benchmarks.gui_stall import rest, wait
from benchmarks.logs import write_events, write_jsonl
from runs.open_run import open_run
from runs.run import Run
from runs.watch import Watch

SAVES, COUNT = 30, 1_000
ROUNDS = 20
APPENDS, NUMBERS = 2_000, 4  # lines, and numbers in each
FOLLOWED_S = 12.0  # some looks


def read(run: Run | None) -> None:
    if run is not None:
        _ = (run.series, run.events, run.settings, run.cameras, run.per_view, run.photos, run.exposures, run.input_points)


def processor_ms(act: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Of the fastest of some rounds, on the processor: neighbours lengthen the clock's time."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        act()
        times.append(1000 * (time.process_time() - start))
    return min(times)


def append(folder: Path, iteration: int) -> None:
    with (folder / "metrics.jsonl").open("a") as file:
        file.write(f'{{"it": {iteration}, "l1": 0.25, "loss": 0.5, "ms": 10.5, "n": 1000}}\n')


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def looks(folder: Path, iterations: int) -> None:
    def anew() -> None:
        read(open_run(folder))

    print(f"{SAVES} saves, logs of {iterations:,} iterations; on the processor:")
    print(f"  opening it anew        {processor_ms(anew, 3):8.2f} ms")
    watch = Watch(open_run(folder))
    read(watch.run)
    read(watch.look())
    print(f"  a look, nothing new    {processor_ms(watch.look):8.2f} ms")
    last = iter(range(iterations + 1, iterations + 10**6))

    def one_line() -> None:
        append(folder, next(last))
        read(watch.look())

    print(f"  a look, one line more  {processor_ms(one_line):8.2f} ms")
    before = resident_mb()
    for _ in range(APPENDS):
        one_line()
    numbers = APPENDS * NUMBERS * 16 / 2**20  # an iteration and a value
    print(f"  {APPENDS:,} such looks      {resident_mb() - before:8.2f} MB more in memory, {numbers:.2f} MB of it numbers")


def window(folder: Path, iterations: int, settings: Path) -> None:
    show.application(theme.DARK)
    shown = Window(show.passing_settings(settings))
    shown.show()
    QCoreApplication.processEvents()
    gaps = Gaps()
    gaps.phase = "open"
    shown.loader.open(folder)
    wait(shown)
    gaps.phase = "idle"
    shown.follower.follow(False)
    rest(2.0)
    gaps.phase = "following"
    shown.follower.follow(True)
    end, iteration = time.monotonic() + FOLLOWED_S, iterations + 10**6
    while time.monotonic() < end:
        append(folder, iteration := iteration + 1)
        rest(0.2)
    gaps.phase = "end"
    print(f"the window, looking every {LOOK_MS / 1000:g} s while a line is written every 0.2 s:")
    for phase in ("idle", "following"):
        print("  " + gaps.line(phase))
    shown.close()
    show.dispose(shown)


def main() -> None:
    iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 30_000
    with tempfile.TemporaryDirectory() as folder:
        run = write_run(Path(folder) / "run", COUNT, tuple(range(1000, 1000 * SAVES + 1, 1000)))
        for old in run.glob("events.out.tfevents.*"):
            old.unlink()
        write_events(run / "events.out.tfevents.1.host", iterations)
        write_jsonl(run / "metrics.jsonl", iterations)
        looks(run, iterations)
        window(run, iterations, Path(folder))


if __name__ == "__main__":
    main()
