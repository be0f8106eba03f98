"""Faults of the start whose points serve, but are worth less than those at hand."""

from dataclasses import replace

import numpy as np

from runs.points import PointCloud
from tests.lab.faults.fault import Fault, codes
from tests.lab.plan import Plan
from tests.lab.scenes import transforms


def _inside(plan: Plan, share: float) -> Plan:
    """Anywhere in the box around this share of the cloud, in random colours."""
    points, rng = plan.scene.data.points, np.random.default_rng(plan.settings.seed)
    low, high = np.quantile(points.xyz, ((1 - share) / 2, (1 + share) / 2), axis=0)
    cloud = PointCloud(rng.uniform(low, high, points.xyz.shape), rng.integers(0, 256, points.xyz.shape, np.uint8), "random")
    return replace(plan, data=replace(plan.data, points=cloud))


def _grey(plan: Plan, _: float) -> Plan:
    """A converter dropped the colours on the way from the model to the trainer."""
    return replace(plan, data=transforms.points_without_colour(plan.scene).data)


FAULTS = (
    Fault(
        "start-at-random-in-the-scene", "start", _inside, codes("TG-04"),
        "Random points where the scene is, although the model's points are at hand: 2 dB lost in the feasibility study. They "
        "lie in view, so neither their place nor their number is at fault.",
        (0.9, 0.8), codes("AF-01"), codes("IF-04 N-20 TG-03 IF-06"),
    ),
    Fault(
        "start-without-colours", "start", _grey, codes("N-30"),
        "All points grey: the first pictures are flat, what is lost is time.", wrong=codes("IF-06 IF-04"),
    ),
)
