"""How long a switch to another checkpoint takes, cold (from the file) and warm (shown before), until it can be drawn.

Beside it, as the bar: reading the file's bytes alone. Run: python -m benchmarks.checkpoint_switch [COUNT]
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication

from app.lanes import close_lanes
from app.loading import Loader
from app.session import Session
from app.warm import warm_up
from benchmarks.big_run import write_run

ITERATIONS = (1000, 2000, 3000, 4000)


def until(ready: Callable[[], bool]) -> float:
    """Milliseconds until `ready`, with the event loop running."""
    start = time.perf_counter()
    while not ready():
        QCoreApplication.processEvents()
        time.sleep(0.0005)
    return 1000 * (time.perf_counter() - start)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    app = QCoreApplication([])
    warm_up()
    session = Session()
    loader = Loader(session)
    with tempfile.TemporaryDirectory() as folder:
        run = write_run(Path(folder) / "run", count, ITERATIONS)
        bytes_ms = [_read_ms(run / "point_cloud" / f"iteration_{i}" / "point_cloud.ply") for i in ITERATIONS]
        loader.open(run)
        first = until(lambda: session.state.shown is not None)

        def switch(iteration: int) -> float:
            session.go_to(iteration)
            return until(lambda: session.state.shown is not None and session.state.shown.checkpoint.iteration == iteration)

        cold = [switch(i) for i in ITERATIONS[:3]]
        warm = [switch(i) for i in ITERATIONS * 2]
        print(f"{count:,} Gaussians at SH degree 3; median of {len(cold)} cold and {len(warm)} warm switches")
        ratio = median(cold) / median(bytes_ms)
        print(f"open, and show the last checkpoint {first:7.0f} ms (kernels are loaded here, and compiled the first time ever)")
        print(f"cold switch                        {median(cold):7.0f} ms = {ratio:.1f} x reading the bytes")
        print(f"warm switch                        {median(warm):7.1f} ms")
        close_lanes(session)
    app.quit()


def _read_ms(path: Path) -> float:
    start = time.perf_counter()
    path.read_bytes()
    return 1000 * (time.perf_counter() - start)


if __name__ == "__main__":
    main()
