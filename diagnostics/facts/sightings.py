"""Facts about how the training cameras see single Gaussians of the last save, by geometry alone: nothing is rendered.

A sample of 20,000 rows at 64 cameras: shares are known to less than a percent, and a million Gaussians cost no more.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import cameras as camera_facts
from diagnostics.facts import saved
from diagnostics.facts.moving import moves
from diagnostics.facts.photos import evenly
from diagnostics.measures.sightings import Seen, sightings
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from render.projection import ALPHA_MIN
from runs.arrays import I64, Mask
from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.run import Run

ENOUGH_ROWS, MOST_CAMERAS = camera_facts.ENOUGH_POINTS, 64


@dataclass(frozen=True, eq=False)
class Sightings:
    """A sample of the finite Gaussians of one save, and how the training cameras see each."""

    rows: I64  # int64 [n], rows of the stored Gaussians
    alive: Mask  # bool [n], opaque enough to be drawn: over 1/255
    seen: Seen
    cameras: int  # looked through
    of: int  # finite Gaussians of the save


@fact(missing=f"{saved.CHECKPOINT}; {camera_facts.CAMERAS}")
def sighted(
    run: Run, checkpoint: Checkpoint, train_cameras: tuple[Camera, ...], beat: Callable[[], None],
) -> Sightings | NotEvaluable | None:
    """None without any finite Gaussian."""
    if (why := moves(run)) is not None:
        return why
    gaussians = checkpoint.gaussians
    finite = np.flatnonzero(gaussians.finite)
    if not len(finite):
        return None
    rows = finite[np.linspace(0, len(finite) - 1, min(len(finite), ENOUGH_ROWS)).astype(np.int64)]
    cameras, opacities = evenly(train_cameras, MOST_CAMERAS), gaussians.opacities[rows]
    seen = sightings(gaussians.means[rows], gaussians.scales[rows], opacities, cameras, beat)
    return Sightings(rows, np.asarray(opacities > ALPHA_MIN), seen, len(cameras), len(finite))
