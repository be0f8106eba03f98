"""Forward and backward pass of one view against gsplat's torch code and dense torch: `python -m benchmarks.gradient [repeats]`.

The bars are 150 and 500 times, all on one thread, in one run and in float32, in CPU time, which busy neighbours do not
lengthen much. gsplat's torch code lacks one step on a CPU: which pixel of a tile a Gaussian reaches is found by a CUDA kernel.
So there are two figures for it. "whole" lists the tiles with gsplat's torch code and blends every pixel of a tile, which is all
that it can do alone. "listed" gets exactly the pairs that count, for nothing.
"""

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from benchmarks.scenes import stored_blob
from render.raster.differentiable import Rendered, render
from render.raster.gradients import Gradients
from render.raster.parameters import Parameters
from runs.arrays import F64
from runs.cameras import Camera, look_at
from tests.support import torch_splats as peers

GSPLAT_BAR, DENSE_BAR = 150, 500
SIZES = ((2_000, 64), (2_000, 128), (10_000, 64))
SH_DEGREE = 3


def main(repeats: int) -> None:
    """Print milliseconds of ours, and how many times longer each peer takes, for every size."""
    torch.set_num_threads(1)
    start = time.perf_counter()
    _round_trip(*_scene(100, 16))
    print(f"first step, compiled or read from the cache: {time.perf_counter() - start:.1f} s")
    for count, size in SIZES:
        parameters, camera, incoming = _scene(count, size)
        forward = _median_ms(lambda p=parameters, c=camera: render(p, c), repeats)
        both = _median_ms(lambda p=parameters, c=camera, i=incoming: _round_trip(p, c, i), repeats)
        print(f"{count:,} Gaussians at {size}×{size}, SH {SH_DEGREE}: forward {forward:.2f} ms, backward {both - forward:.2f} ms")
        for name, taken in _peers(parameters, camera, incoming):
            print(f"    {name}: {taken:.0f} ms, {taken / both:.0f} times longer", flush=True)


def _scene(count: int, size: int) -> tuple[Parameters, Camera, F64]:
    camera = look_at(np.array([0.0, 0.0, -4.0]), np.zeros(3), size_px=(size, size))
    return Parameters.of(stored_blob(count, SH_DEGREE)), camera, np.random.default_rng(0).normal(size=(size, size, 3))


def _round_trip(parameters: Parameters, camera: Camera, incoming: F64) -> Rendered:
    picture = render(parameters, camera)
    picture.backward(incoming)
    return picture


def _peers(parameters: Parameters, camera: Camera, incoming: F64) -> Iterator[tuple[str, float]]:
    """Name and milliseconds of one step of each peer."""
    groups, black = peers.leaves(parameters), torch.zeros(3)
    counted, all_of_tiles = peers.pairs_of(groups, camera), peers.tile_pairs(groups, camera)

    def back(outputs: tuple[Any, Any, Any]) -> Gradients:
        return peers.torch_gradients(groups, outputs, (incoming, np.zeros(incoming.shape[:2])))

    def whole() -> Gradients:
        peers.gsplat_tiles(groups, camera)
        return back(peers.gsplat_torch(groups, camera, black, all_of_tiles))

    ours = render(parameters, camera).backward(incoming)
    for name, step, most in (
        (f"gsplat's torch, whole (bar {GSPLAT_BAR})", whole, 0.1),  # it blends what is fainter than 1/255 too
        ("gsplat's torch, listed", lambda: back(peers.gsplat_torch(groups, camera, black, counted)), 0.01),
        (f"dense torch (bar {DENSE_BAR})", lambda: back(peers.dense(groups, camera, black)), 0.01),
    ):
        error = np.abs(step().sh0 - ours.sh0).max() / np.abs(ours.sh0).max()
        assert error < most, f"{name} computes something else: {error:.3g}"
        yield name, _median_ms(step, 3)


def _median_ms(work: Callable[[], object], repeats: int) -> float:
    """Median CPU time, after one run that is not counted."""
    work()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(1000 * (time.process_time() - start))
    return float(np.median(times))


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 100)
