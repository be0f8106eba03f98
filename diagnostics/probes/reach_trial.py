"""Short trainings from one start: as it is, with TruncGradGS, with its schedule alone, and from points inside the pictures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from diagnostics.measures.frusta import seen_by
from diagnostics.optimiser import phases
from diagnostics.optimiser.optimiser import Optimiser
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.truncgrad import TruncGrad
from diagnostics.optimiser.views import TrainingData
from diagnostics.probes.reach_stand import Stand
from diagnostics.probes.trial_outcome import Difference
from render.projection import NEAR
from render.raster.compare import psnr
from runs.cameras import Camera
from runs.points import PointCloud

PLAIN, METHOD, SCHEDULE, INSIDE = "as it is", "TruncGradGS", "its schedule alone", "points inside the pictures"
# INRIA's threshold of 2e-4 means the same growth in larger pictures: 1.5e-3 at 64 px and 1e-3 at 96 px grow as it does there.
THRESHOLD_PX = 0.096
PARTS = {"densify_from_iter": 20, "densification_interval": 40, "opacity_reset_interval": 3, "densify_until_iter": 2}
INSIDE_VIEWS = (0.5, 0.25, 0.0)  # share of the pictures that a point lies in: the first that gives enough points
FEWEST_VIEWS = 3  # but at least so many, where there are so many
ROUNDS = 20  # of drawing points
GROWTH = 4  # times the start, at which all of these trainings stop growing
MOST_GAUSSIANS = 20_000
Told = Callable[[int, str], None]  # (trainings begun, which one); raises Cancelled


@dataclass(frozen=True)
class Trial:
    """PSNR in dB and seconds by training, one value for each seed."""

    psnr: Mapping[str, tuple[float, ...]]
    seconds: Mapping[str, tuple[float, ...]]
    held_out: bool  # measured on views that were not trained on
    steps: int

    def gain(self, one: str, other: str = PLAIN) -> Difference:
        """dB by which one is above the other, seed by seed."""
        return Difference(tuple(a - b for a, b in zip(self.psnr[one], self.psnr[other], strict=True)))

    def cost(self, one: str) -> float:
        """Times the time of the training as it is."""
        return float(np.median(np.array(self.seconds[one]) / np.array(self.seconds[PLAIN])))


def short_settings(own: OptimiserSettings, size_px: tuple[int, int], steps: int, count: int) -> OptimiserSettings:
    """The run's rates, loss and start, and the usual schedule made short: densification and one reset in the first half."""
    schedule: dict[str, Any] = {name: max(steps // part, 1) for name, part in PARTS.items()}
    return replace(
        own, **schedule, iterations=steps, position_lr_max_steps=steps, strategy="default", sh_degree=min(own.sh_degree, 1),
        sh_interval=steps // 2, densify_grad_threshold=THRESHOLD_PX / max(size_px), test_iterations=(), save_iterations=(),
        cap_max=min(GROWTH * count, max(MOST_GAUSSIANS, count)), checkpoint_iterations=(), opacity_reg=0.0, scale_reg=0.0,
    )


def tried(stand: Stand, seeds: int, steps: int, beat: Callable[[], None], told: Told) -> Trial:
    """Every training of every seed. Raises Cancelled, and OutOfReach where time runs out."""
    data = stand.data
    plain = short_settings(stand.settings, data.train[0].camera.size_px, steps, len(data.points))
    plain = replace(plain, white_background=stand.source.background == "white", random_background=False)
    method = TruncGrad.of_code()
    arms: dict[str, tuple[TrainingData, OptimiserSettings]] = {
        PLAIN: (data, plain), METHOD: (data, phases.in_truncgrad(plain, method)),
        SCHEDULE: (data, phases.in_truncgrad(plain, method.without_surrogate())),
    }
    inside = inside_points(data.points, stand.source.train, len(data.points))
    if inside is not None:
        arms[INSIDE] = (replace(data, points=inside), plain)
    scores, seconds = {name: list[float]() for name in arms}, {name: list[float]() for name in arms}
    for seed in range(seeds):
        for place, (name, (start, settings)) in enumerate(arms.items()):
            told(seed * len(arms) + place, name)
            began = perf_counter()
            optimiser = Optimiser(start, replace(settings, seed=seed))
            optimiser.run(progress=lambda _: beat())
            seconds[name].append(perf_counter() - began)
            scores[name].append(_score(optimiser, data))
    return Trial({name: tuple(each) for name, each in scores.items()}, {name: tuple(each) for name, each in seconds.items()},
                 bool(data.test), steps)


def _score(optimiser: Optimiser, data: TrainingData) -> float:
    return float(np.mean([psnr(optimiser.render(view.camera).rgb, view.photo) for view in data.test or data.train]))


def inside_points(points: PointCloud, cameras: tuple[Camera, ...], count: int) -> PointCloud | None:
    """As many random points in the start's own box as lie where many cameras look; None where hardly any such place is in it."""
    low, high = np.quantile(points.xyz[np.isfinite(points.xyz).all(axis=1)], (0.01, 0.99), axis=0)
    rng, few = np.random.default_rng(0), min(FEWEST_VIEWS, len(cameras))
    drawn = rng.uniform(low, high, (ROUNDS * max(count, 1_000), 3))
    looking = seen_by(drawn, cameras, NEAR)
    for share in INSIDE_VIEWS:
        found = drawn[looking >= max(few, share * len(cameras))]
        if len(found) >= count:
            xyz = found[:count]
            return PointCloud(xyz, rng.integers(0, 256, xyz.shape, np.uint8), INSIDE)
    return None
