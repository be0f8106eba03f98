"""TruncGradGS on CPU-sized scenes: `python -m benchmarks.truncgrad` trains, `--table` prints what was measured as Markdown.

Four starts, with and without the method, its ablations, and controls that cost as much; each seed is trained by every arm, so
that differences are paired. Results go to benchmarks/truncgrad.json as they come; what is there already is not trained again.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from diagnostics.optimiser import phases
from diagnostics.optimiser.optimiser import Optimiser
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.truncgrad import TruncGrad
from diagnostics.optimiser.views import TrainingData
from render.raster.compare import psnr, ssim
from runs.points import PointCloud
from tests.lab.scenes import build, transforms
from tests.lab.scenes.scene import Scene

KEPT = Path(__file__).with_suffix(".json")
SCENE, SIZE_PX, SEEDS = "studio", 64, 5
WIDE_EXTENTS = 1.5  # half the side of the cube: cameras stand within one extent of its middle
FEW_POINTS = 60
# INRIA's schedule of 30,000 iterations, a thirtieth as long; resets and densifications half as often as that would make them:
# opacities need some 90 steps to recover, and the statistic a look at every view, however short the training is.
PLAIN = OptimiserSettings.mini(
    iterations=1_000, position_lr_max_steps=1_000, densification_interval=25, densify_from_iter=50, densify_until_iter=500,
    opacity_reset_interval=200, test_iterations=(), save_iterations=(), checkpoint_iterations=(),
)


def _method(**changes: Any) -> OptimiserSettings:
    return phases.in_truncgrad(PLAIN, TruncGrad.of_code(**changes))


ARMS: Mapping[str, OptimiserSettings] = {
    "plain": PLAIN,
    "TruncGradGS, as the code": _method(),
    "TruncGradGS, as the paper": phases.in_truncgrad(PLAIN, TruncGrad.of_paper()),
    "code without truncated gradient (schedule alone)": phases.in_truncgrad(PLAIN, TruncGrad.of_code().without_surrogate()),
    "code without padding": _method(padding=False),
    "code without delayed pruning": _method(delayed_pruning=False),
    "code without dead filter": _method(dead_filter=False),
    "code without sign filter": _method(sign_filter=False),
    "plain with delayed pruning": replace(PLAIN, truncgrad=replace(TruncGrad.off(), delayed_pruning=True)),
    "plain with half the threshold": replace(PLAIN, densify_grad_threshold=PLAIN.densify_grad_threshold / 2),
}


def _in_the_box(scene: Scene, seed: int) -> TrainingData:
    """As many random points as the cloud has, in the box of its middle 90 %, in random colours."""
    points, rng = scene.data.points, np.random.default_rng(seed)
    low, high = np.quantile(points.xyz, (0.05, 0.95), axis=0)
    cloud = PointCloud(rng.uniform(low, high, points.xyz.shape), rng.integers(0, 256, points.xyz.shape, np.uint8), "random")
    return replace(scene.data, points=cloud)


STARTS: Mapping[str, Callable[[Scene, int], TrainingData]] = {
    "random in the scene's box": _in_the_box,
    "random in a wide cube": lambda scene, seed: transforms.points_random(
        scene, len(scene.data.points), WIDE_EXTENTS, seed).data,
    f"{FEW_POINTS} SfM points": lambda scene, seed: transforms.points_kept(scene, FEW_POINTS, seed).data,
    "SfM": lambda scene, _: scene.data,
}


@dataclass(frozen=True)
class Row:
    """One training."""

    start: str
    arm: str
    seed: int
    psnr: float  # dB, mean over held-out views
    ssim: float
    count: int
    seconds: float  # of processor time


def trained(scene: Scene, start: str, arm: str, seed: int) -> Row:
    """One training from its start to the measured held-out views."""
    data = STARTS[start](scene, seed)
    began = time.thread_time()
    optimiser = Optimiser(data, replace(ARMS[arm], seed=seed))
    optimiser.run()
    seconds = time.thread_time() - began
    drawn = [(optimiser.render(view.camera).rgb, view.photo) for view in data.test]
    scores = [float(np.mean([score(*pair) for pair in drawn])) for score in (psnr, ssim)]
    return Row(start, arm, seed, *scores, optimiser.parameters.count, seconds)


def measure(seeds: int) -> None:
    """Train what is missing; seeds outermost, so that an interrupted benchmark has whole pairs."""
    scene, rows = build(SCENE, size_px=SIZE_PX), list(_kept())
    _warm_up(scene)
    done = {(row.start, row.arm, row.seed) for row in rows}
    for seed in range(seeds):
        for start in STARTS:
            for arm in ARMS:
                if (start, arm, seed) not in done:
                    rows.append(trained(scene, start, arm, seed))
                    print(rows[-1], flush=True)
                    KEPT.write_text(json.dumps([vars(row) for row in rows], indent=0))


def _warm_up(scene: Scene) -> None:
    """Compile, or read compiled kernels: none of it counts."""
    Optimiser(scene.data, replace(_method(interleaved=False), iterations=40)).run()


def _kept() -> Iterable[Row]:
    return (Row(**row) for row in json.loads(KEPT.read_text())) if KEPT.exists() else ()


def table() -> str:
    """Markdown, one table per start: means ± standard deviations, and the paired difference to the plain training."""
    rows = list(_kept())
    return "\n".join(line for start in STARTS for line in _of_start(start, [row for row in rows if row.start == start]))


def _of_start(start: str, rows: list[Row]) -> Iterable[str]:
    plain = {row.seed: row for row in rows if row.arm == "plain"}
    yield f"\n**Start: {start}**, {len(plain)} seeds\n"
    yield "| training | PSNR in dB | paired difference in dB | SSIM | paired difference | Gaussians | time ratio |"
    yield "|---|---|---|---|---|---|---|"
    for arm in ARMS:
        mine = [row for row in rows if row.arm == arm and row.seed in plain]
        pairs = [(row, plain[row.seed]) for row in mine]
        by_psnr, by_ssim = [row.psnr - base.psnr for row, base in pairs], [row.ssim - base.ssim for row, base in pairs]
        ratio = np.mean([row.seconds / base.seconds for row, base in pairs])
        cells = (_told([row.psnr for row in mine], 2), _told(by_psnr, 2, "+"), _told([row.ssim for row in mine], 3),
                 _told(by_ssim, 3, "+"), f"{np.mean([row.count for row in mine]):,.0f}", f"{ratio:.1f}")
        yield f"| {arm} | {' | '.join(cells)} |"


def _told(values: list[float], digits: int, sign: str = "") -> str:
    return f"{np.mean(values):{sign}.{digits}f} ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 else "–"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", action="store_true", help="print what was measured")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    arguments = parser.parse_args()
    if arguments.table:
        print(table())
    else:
        measure(arguments.seeds)
