"""The CPU rasteriser: `python -m benchmarks.raster [millions …]`; the bar is 360 ms for 1 M at 1280×720 with statistics."""

import sys
import time

import numpy as np

from benchmarks.order import best_ms
from benchmarks.scenes import blob
from render.raster.cpu import rasterise
from runs.cameras import look_at

BAR_MS = 360.0  # the prototype at 1 M on two idle cores of an EPYC, contributions included
SIZES = ((640, 360), (1280, 720))


def main(millions: list[float]) -> None:
    """Print wall times beside a bare argsort of the depths and a bare copy of the coefficients in the same run."""
    start = time.perf_counter()
    rasterise(blob(1000), look_at(np.array([0.0, 0.0, -4.0]), np.zeros(3), size_px=(64, 64)), contributions=True)
    print(f"first picture, compiled or read from the cache: {time.perf_counter() - start:.1f} s")
    for count in (int(1e6 * million) for million in millions):
        splats = blob(count)
        sort, copy = best_ms(lambda found=splats: np.argsort(found.means[:, 2])), best_ms(splats.sh.copy)
        for size in SIZES:
            camera = look_at(np.array([0.0, 0.0, -4.0]), np.zeros(3), size_px=size)
            plain = best_ms(lambda s=splats, c=camera: rasterise(s, c), 5)
            measured = best_ms(lambda s=splats, c=camera: rasterise(s, c, contributions=True), 5)
            alone = best_ms(lambda s=splats, c=camera: rasterise(s, c, threads=1), 3)
            hits = rasterise(splats, camera, contributions=True).contributions.pixel_count.sum()
            bar = f" (bar {BAR_MS:.0f} ms)" if (count, size) == (1_000_000, (1280, 720)) else ""
            print(f"{count:,} splats at {size[0]}×{size[1]}, {hits / (size[0] * size[1]):.0f} layers: {plain:.0f} ms, "
                  f"with statistics {measured:.0f} ms{bar}, one thread {alone:.0f} ms; argsort of depths {sort:.1f} ms, "
                  f"copy of SH {copy:.1f} ms: {measured / (sort + copy):.1f} times both")


if __name__ == "__main__":
    main([float(argument) for argument in sys.argv[1:]] or [0.1, 1.0])
