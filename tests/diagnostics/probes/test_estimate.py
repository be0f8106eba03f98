"""The cost is told before the work: an estimate that is far off would be worse than none."""

import pytest

from diagnostics.probes.answer import Answer
from diagnostics.probes.ask import bench_at
from diagnostics.probes.bench import OutOfReach, Wish
from diagnostics.probes.estimate import QUICKEST, SLOWEST, estimate
from diagnostics.probes.registry import Probe, Workload
from render.raster import cuda
from tests.support.runs import made_run


def _probe(work: Workload) -> Probe:
    return Probe("tried", lambda _: Answer(""), {}, lambda _: work)


def test_twice_the_work_costs_more_time_and_more_gaussians_more_memory() -> None:
    """Timed on this machine; the fixed part is known exactly."""
    bench = bench_at(made_run(), wish=Wish(engine="cpu"))
    small = estimate(_probe(Workload(0, 0, 1_000, (32, 32), seconds=10.0)), bench)
    assert small.seconds == (10.0 * QUICKEST, 10.0 * SLOWEST)
    large = estimate(_probe(Workload(1_000, 1_000, 100_000, (32, 32), seconds=10.0)), bench)
    assert large.seconds[0] > small.seconds[0]
    assert large.memory_bytes - small.memory_bytes == 99_000 * 59 * 4 * 6
    assert small.engine == "cpu"


def test_cuda_that_is_not_there_is_out_of_reach() -> None:
    """Better told before the run than after it."""
    try:
        cuda.check()
    except cuda.CudaMissing:
        with pytest.raises(OutOfReach, match="CUDA"):
            estimate(_probe(Workload(1, 1, 10, (8, 8))), bench_at(made_run(), wish=Wish(engine="cuda")))
    else:
        pytest.skip("this machine has CUDA")
