"""Exact depth order with cull against a bare numpy.argsort: `python -m benchmarks.order [millions]`; the bar is 2.5 times."""

import sys
import time
from collections.abc import Callable

import numpy as np

from render.viewport.order import depth_order
from runs.cameras import look_at

BAR = 2.5


def best_ms(work: Callable[[], object], repeats: int = 9) -> float:
    """Shortest wall time in ms: on a shared machine the minimum is the steadiest figure."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def main(count: int) -> float:
    """Print both times and their ratio; return the ratio."""
    rng = np.random.default_rng(0)
    means = rng.normal(0, 1, (count, 3)).astype(np.float32)
    radii = rng.uniform(0.001, 0.03, count).astype(np.float32)
    camera = look_at(np.array([0.0, 0.0, -4.0]), np.zeros(3), size_px=(1280, 720))
    depths = means[:, 2] + np.float32(4)
    depth_order(means[:10], radii[:10], camera)  # compile
    ours, bare = best_ms(lambda: depth_order(means, radii, camera)), best_ms(lambda: np.argsort(depths))
    kept = len(depth_order(means, radii, camera)) / count
    print(f"depth order of {count:,} splats, {kept:.0%} kept: {ours:.1f} ms; bare numpy.argsort {bare:.1f} ms; "
          f"ratio {ours / bare:.2f} (bar: at most {BAR})")
    return ours / bare


if __name__ == "__main__":
    sys.exit(0 if main(int(float(sys.argv[1] if len(sys.argv) > 1 else 1) * 1e6)) <= BAR else 1)
