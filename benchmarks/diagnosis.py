"""The whole catalogue on a big run, by fact and detector: `python -m benchmarks.diagnosis [--count 1000000] [--saves 10]`.

Prints the time, the highest memory, and the longest that a user would wait for a cancel. `--sizes` shows how it grows with N.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from diagnostics.diagnose import diagnose
from diagnostics.registry import DETECTORS, FACTS
from runs.checkpoints import AdamGroup, TrainingState
from runs.gaussians import Gaussians
from runs.open_run import open_run
from runs.writers.inria import InriaWriter
from tests.lab.scenes.building import build
from tests.lab.scenes.scene import Scene

VIEWS, PHOTO_PX, POINTS = 48, 640, 60_000
SIZES = (10_000, 100_000, 300_000, 1_000_000, 3_000_000)
LAST = 30_000
EARLY = (3_000, 3_200)  # near enough to follow who became whom
BARS = {"seconds": 60.0, "memory": 3.0, "cancel": 0.2}


def write_run(folder: Path, count: int, saves: int) -> None:
    """A healthy run of a scene of the lab, whose surfaces hold `count` Gaussians; photos, cameras and points beside it."""
    scene = build("garden", PHOTO_PX, 0, VIEWS, 6, POINTS, samples=1)
    scene.write(folder / "data")
    writer = InriaWriter(folder / "run", str(folder / "data"))
    cameras = [view.camera for view in (*scene.data.train, *scene.data.test)]
    writer.begin(cameras, scene.data.points, {"iterations": LAST, "sh_degree": 3, "lambda_dssim": 0.2})
    last = _surface(scene, count)
    iterations = [*EARLY, *np.linspace(LAST / saves, LAST, saves).round().astype(int)[2:].tolist()]
    for iteration in (1, *range(100, LAST + 1, 100)):
        writer.log(iteration, _logged(iteration, count))
    for place, iteration in enumerate(iterations):
        writer.save(iteration, _earlier(last, (saves - 1 - place) / saves, seed=place))
    writer.save_state(_state(last))
    writer.finish()


def _surface(scene: Scene, count: int) -> Gaussians:
    """Discs around the scene's points, as large as they are apart."""
    rng = np.random.default_rng(0)
    points = scene.data.points
    rows = rng.integers(0, len(points.xyz), count)
    apart = np.quantile(cKDTree(points.xyz).query(points.xyz, k=2)[0][:, 1], 0.5)
    means = points.xyz[rows] + rng.normal(0, 0.5 * apart, (count, 3))
    size = np.log(apart * np.sqrt(len(points.xyz) / count))
    assert points.rgb is not None
    return Gaussians.from_arrays(
        means=means, log_scales=rng.normal(size, 0.3, (count, 3)) - np.array([0, 0, 1.0]), quats_wxyz=rng.normal(size=(count, 4)),
        logit_opacities=rng.normal(1.5, 2, count), sh0=(points.rgb[rows] / 255 - 0.5) / 0.28209479,
        sh_rest=rng.normal(0, 0.02, (count, 15, 3)),
    )


def _earlier(last: Gaussians, before: float, seed: int) -> Gaussians:
    """The same rows, fewer and less settled the earlier it is."""
    rng, kept = np.random.default_rng(seed), int(last.count * (1 - 0.3 * before))
    moved = {name: getattr(last, name)[:kept] + rng.normal(0, 0.02 * before + 1e-5, getattr(last, name)[:kept].shape)
             for name in ("means", "log_scales", "quats_wxyz", "logit_opacities", "sh0", "sh_rest")}
    return Gaussians.from_arrays(**moved)


def _logged(iteration: int, count: int) -> dict[str, Any]:
    quality = 28 - 12 * np.exp(-iteration / 4000)
    grown = POINTS + max(0, count - POINTS) * min(iteration, 15_000) / 15_000
    return {"train/psnr": quality, "test/psnr": quality - 1, "num_gaussians": int(grown), "loss/l1": 0.2 * 10 ** (-quality / 40)}


def _state(last: Gaussians) -> TrainingState:
    """Adam's moments of every group, and the statistic of densification."""
    rng = np.random.default_rng(9)
    groups = {"xyz": last.means, "f_dc": last.sh0, "f_rest": last.sh_rest, "opacity": last.logit_opacities,
              "scaling": last.log_scales, "rotation": last.quats_wxyz}
    rates = {"xyz": 1.6e-6, "f_dc": 2.5e-3, "f_rest": 1.25e-4, "opacity": 0.05, "scaling": 5e-3, "rotation": 1e-3}
    adam = {name: AdamGroup(name, rates[name], LAST, *(rng.normal(0, 1e-6, (2, *values.shape)).astype(np.float32) ** 2), 1e-15)
            for name, values in groups.items()}
    statistics = {name: np.abs(rng.normal(0, 1e-4, last.count)).astype(np.float32)
                  for name in ("xyz_gradient_accum", "denom", "max_radii2D")}
    return TrainingState(LAST, Path(), "inria 12-tuple", 3, last, adam, statistics, 5.0, ())


@contextmanager
def _timed() -> Iterator[dict[str, float]]:
    """Own seconds of every fact and detector: without what they ask for, because that is computed first."""
    taken: dict[str, float] = defaultdict(float)

    def watched(name: str, act: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            try:
                return act(*args, **kwargs)
            finally:
                taken[name] += time.perf_counter() - started
        return timed

    facts, detectors = dict(FACTS), dict(DETECTORS)
    FACTS.update({name: replace(entry, compute=watched(f"fact {name}", entry.compute)) for name, entry in facts.items()})
    DETECTORS.update({name: replace(entry, judge=watched(f"judge {name}", entry.judge)) for name, entry in detectors.items()})
    try:
        yield taken
    finally:
        FACTS.update(facts)
        DETECTORS.update(detectors)


def measured(folder: Path) -> dict[str, Any]:
    """One diagnosis in this process: seconds, gibibytes, the longest gap between two looks at the cancel button."""
    asked = [time.perf_counter()]

    def cancelled() -> bool:
        asked.append(time.perf_counter())
        return False

    with _timed() as taken:
        started = time.perf_counter()
        diagnosis = diagnose(open_run(folder / "run", folder / "data"), cancelled=cancelled)
        seconds = time.perf_counter() - started
    gaps = np.diff(asked)
    memory_gib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {
        "seconds": seconds, "memory": memory_gib, "cancel": float(gaps.max()), "gaps_over_200_ms": int((gaps > 0.2).sum()),
        "taken": dict(sorted(taken.items(), key=lambda pair: -pair[1])), "findings": [f.pattern.code for f in diagnosis.findings],
        "failed": [why for u in diagnosis.not_evaluable for why in u.missing if "failed" in why],
        "undecided": len(diagnosis.not_evaluable),
    }


def in_a_process(folder: Path) -> dict[str, Any]:
    """Measured alone, so that memory is this run's."""
    command = [sys.executable, "-m", "benchmarks.diagnosis", "--measure", str(folder)]
    told: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    return told


def report(folder: Path, count: int, saves: int, most: int) -> None:
    if not (folder / "run" / f"chkpnt{LAST}.pth").is_file():
        write_run(folder, count, saves)
    told = in_a_process(folder)
    print(f"{saves} saves x {count:,}: " + ", ".join(f"{key} {told[key]:.2f} (bar {bar:g})" for key, bar in BARS.items())
          + f", {told['gaps_over_200_ms']} gaps over 200 ms; findings {told['findings']}, undecided {told['undecided']}")
    for why in told["failed"]:
        print(f"  FAILED {why}")
    for name, seconds in list(told["taken"].items())[:most]:
        print(f"  {name:44s} {seconds:8.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.diagnosis", description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--saves", type=int, default=10)
    parser.add_argument("--sizes", action="store_true", help="with two saves of each of several sizes")
    parser.add_argument("--most", type=int, default=25, help="how many facts and detectors to list")
    parser.add_argument("--keep", type=Path, help="folder in which the made-up run is kept for the next time")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measured(options.measure)))
        return
    with TemporaryDirectory() as temporary:
        place = options.keep or Path(temporary)
        sizes = [(count, 2) for count in SIZES] if options.sizes else [(options.count, options.saves)]
        for count, saves in sizes:
            report(place / f"{count}-{saves}", count, saves, 0 if options.sizes else options.most)


if __name__ == "__main__":
    main()
