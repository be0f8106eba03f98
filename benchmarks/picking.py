"""The contributor list of a pixel: `python -m benchmarks.picking [millions]`; the bar is the 3.6 ms of the prototype at 1 M."""

import sys

import numpy as np

from benchmarks.order import best_ms
from benchmarks.scenes import blob
from render.viewport.picking import contributors
from runs.cameras import look_at

BAR_MS = 3.6  # the prototype at 1 M on a 2-core EPYC


def main(count: int) -> float:
    """Print the mean over a few pixels, beside a bare argsort of the same run; return it in ms."""
    splats = blob(count)
    camera = look_at(np.array([0.0, 0.0, -4.0]), np.zeros(3), size_px=(1280, 720))
    pixels = [(640, 360), (400, 300), (900, 500), (640, 100)]
    lengths = [len(contributors(splats, camera, x, y)) for x, y in pixels]
    taken = float(np.mean([best_ms(lambda at=at: contributors(splats, camera, *at)) for at in pixels]))
    sort = best_ms(lambda: np.argsort(splats.means[:, 2]))
    print(f"picking among {count:,} splats, lists of {lengths}: {taken:.1f} ms (bar at 1 M: {BAR_MS} ms); "
          f"{taken / sort:.2f} of a bare argsort of their depths ({sort:.1f} ms)")
    return taken


if __name__ == "__main__":
    main(int(float(sys.argv[1] if len(sys.argv) > 1 else 1) * 1e6))
