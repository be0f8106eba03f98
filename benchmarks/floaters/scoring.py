"""One model judged: our scores, as a user gets them from a run's folder, beside the simple rules."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import diagnostics.facts  # noqa: F401  (registers them)
from benchmarks.floaters.baselines import BASELINES
from benchmarks.floaters.precision import average_precision
from diagnostics.diagnose import whole_span
from diagnostics.evidence import Evidence
from diagnostics.verdict import NotEvaluable
from render.raster.cpu import rasterise
from render.raster.measures import contributions_of
from render.splats import prepare
from runs.arrays import Array, Mask
from runs.gaussians import Gaussians
from runs.open_run import open_run
from runs.writers.inria import InriaWriter
from tests.lab.plan import Plan

SEEN = 1 / 255  # of a pixel: what no training photo could show is neither a floater nor innocent
OURS = ("floater_score", "ghost_score")


@dataclass(frozen=True)
class Judged:
    """Average precision by score."""

    guilty: int
    of: int
    precision: Mapping[str, float]


def judge(plan: Plan, gaussians: Gaussians, guilty: Mask, known: Mask) -> Judged:
    """How each score ranks the guilty [N] before the other known [N] Gaussians, of those that a training photo shows."""
    rows = known & seen(plan, gaussians)
    scores = {**our_scores(plan, gaussians), **{name: rule(gaussians) for name, rule in BASELINES.items()}}
    return Judged(int((guilty & rows).sum()), int(rows.sum()),
                  {name: average_precision(values[rows], guilty[rows]) for name, values in scores.items()})


def seen(plan: Plan, gaussians: Gaussians) -> Mask:
    """bool [N]: adds more than `SEEN` to some pixel of some training view."""
    splats = prepare(gaussians)
    most = np.zeros(len(splats), np.float32)
    for view in plan.data.train:
        np.maximum(most, contributions_of(rasterise(splats, view.camera, contributions=True, threads=1)).weight_max, out=most)
    return np.asarray(splats.spread(most, fill=0) > SEEN)


def our_scores(plan: Plan, gaussians: Gaussians) -> Mapping[str, Array]:
    """Of a run with this one save and its data at hand. Raises ValueError where one is not evaluable."""
    with tempfile.TemporaryDirectory() as place:
        run, data = Path(place) / "run", Path(place) / "data"
        plan.scene.write(data)
        writer = InriaWriter(run, str(data))
        writer.begin([view.camera for view in (*plan.data.train, *plan.data.test)], plan.data.points, plan.recorded)
        writer.save(plan.settings.iterations, gaussians)
        writer.finish()
        opened = open_run(run, data)
        evidence = Evidence(opened, whole_span(opened))
        return {name: _known(name, evidence) for name in OURS}


def _known(name: str, evidence: Evidence) -> Array:
    values = evidence.get(name)
    if isinstance(values, NotEvaluable):
        raise ValueError(f"{name} is not evaluable: {', '.join(values.missing)}")
    return np.asarray(values)
