"""What a probe will cost, told before it starts: its workload, timed by a few pictures of the same kind on this machine."""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from diagnostics.optimiser.initialise import gaussians_at
from diagnostics.optimiser.optimiser import Engine
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.probes.bench import Bench
from diagnostics.probes.engines import chosen_engine
from diagnostics.probes.registry import Probe, Workload
from render.raster.parameters import Parameters
from runs.cameras import look_at

# Measured times of one picture scatter by so much on a machine that does other things, and real scenes differ from the ball.
QUICKEST, SLOWEST = 0.5, 2.0
# Parameters, gradients and two moments of a Gaussian of degree 3 (59 numbers of 4 bytes each), and what a step makes of them.
BYTES_PER_GAUSSIAN = 59 * 4 * 6
BYTES_PER_PIXEL = 4 * 3 * 6
BASE_BYTES = 350 << 20  # Python, numpy and the compiled kernels
MOST_TIMED = 200_000  # Gaussians that the timing draws; more are reckoned in proportion
SECONDS_TO_TIME = 1.0


@dataclass(frozen=True)
class Estimate:
    """Expected cost of one probe."""

    seconds: tuple[float, float]  # between
    memory_bytes: int
    workload: Workload
    engine: str
    grows: bool = False  # the number of Gaussians will grow, and the time with it


def estimate(probe: Probe, bench: Bench) -> Estimate:
    """Times a few pictures, so it takes about two seconds. Raises OutOfReach where the probe cannot be asked at all."""
    work = probe.workload(bench)
    engine = chosen_engine(bench.wish.engine)
    step, draw = _timed(engine.render, work)
    middle = work.steps * step + work.draws * draw + work.seconds
    memory = BASE_BYTES + work.gaussians * BYTES_PER_GAUSSIAN + work.size_px[0] * work.size_px[1] * BYTES_PER_PIXEL
    return Estimate((QUICKEST * middle, SLOWEST * middle), memory, work, engine.name, work.at_least)


def _timed(render: Engine, work: Workload) -> tuple[float, float]:
    """Seconds of one step and of one picture; the first of each compiles and does not count."""
    count = max(1, min(work.gaussians, MOST_TIMED))
    camera, ball = look_at(np.array([0.0, 0.0, -3.0]), np.zeros(3), size_px=work.size_px), _ball(count)
    times: tuple[list[float], list[float]] = ([], [])
    ends = perf_counter() + SECONDS_TO_TIME
    while len(times[0]) < 2 or (perf_counter() < ends and len(times[0]) < 6):
        started = perf_counter()
        picture = render(ball, camera, background=(0.0, 0.0, 0.0), sh_degree=ball.sh_degree, dilation_px2=0.3)
        drawn = perf_counter()
        picture.backward(np.ones_like(picture.rgb))
        times[0].append(perf_counter() - started)
        times[1].append(drawn - started)
    factor = work.gaussians / count
    return float(np.median(times[0][1:])) * factor, float(np.median(times[1][1:])) * factor


def _ball(count: int) -> Parameters:
    """Gaussians that fill a ball, as large as their distance, half transparent: like a scene in the middle of its training."""
    rng = np.random.default_rng(0)
    xyz = rng.standard_normal((count, 3))
    xyz /= np.maximum(np.linalg.norm(xyz, axis=1, keepdims=True), 1e-9)
    xyz *= np.cbrt(rng.random((count, 1)))
    return gaussians_at(xyz, rng.standard_normal((count, 3)) * 0.3, np.full(count, count ** (-1 / 3)),
                        OptimiserSettings(init_opacity=0.5))

