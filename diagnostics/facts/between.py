"""Facts about what no photo could teach: colours towards directions without a camera, and pictures of a camera that turns."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import alike, lens, pictures, saved  # noqa: F401  (drawn_train_cameras, views, checkpoint)
from diagnostics.facts import cameras as camera_facts
from diagnostics.facts.photos import evenly
from diagnostics.facts.pictures import Views
from diagnostics.measures.turning import Change, change, turn, turned
from diagnostics.measures.unseen import Unseen, unseen_colours
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from render.raster.cpu import rasterise
from render.raster.measures import capped
from render.splats import prepare
from runs.arrays import F64, I64
from runs.cameras import Camera
from runs.checkpoints import Checkpoint

ENOUGH_ROWS, MOST_CAMERAS = 5_000, 24
TURN_DEG, MOST_TURNED = 8.0, 3  # far enough for the order to change, near enough to keep most of the picture
VISIBLE_WEIGHT = 0.5  # pixels that a Gaussian fills, summed over the drawn views


@dataclass(frozen=True, eq=False)
class UnseenColours:
    """A sample of visible Gaussians of one save."""

    rows: I64  # int64 [n], rows of the stored Gaussians
    weight: F64  # float64 [n], what each adds to the training views
    colours: Unseen


@fact(missing=f"{saved.CHECKPOINT}; {camera_facts.CAMERAS}")
def unseen_colour(
    views: Views, drawn_train_cameras: tuple[Camera, ...], beat: Callable[[], None],
) -> UnseenColours | NotEvaluable | None:
    """None where nothing is visible."""
    splats = views.splats
    if splats.sh_degree == 0:
        return NotEvaluable(("colours that depend on the direction (harmonics of degree 1 or more)",))
    visible = np.flatnonzero(views.weight > VISIBLE_WEIGHT)
    if not len(visible):
        return None
    at = visible[np.linspace(0, len(visible) - 1, min(len(visible), ENOUGH_ROWS)).astype(np.int64)]
    colours = unseen_colours(splats.means[at], splats.sh[at], splats.sh_degree, evenly(drawn_train_cameras, MOST_CAMERAS), beat)
    return UnseenColours(splats.rows[at], views.weight[at], colours)


@dataclass(frozen=True)
class Turned:
    """Training cameras that were turned on the spot by `TURN_DEG`."""

    cameras: tuple[str, ...]
    each: tuple[Change, ...]
    iteration: int


@fact(missing=f"{saved.CHECKPOINT}; {camera_facts.CAMERAS}")
def turned_views(
    checkpoint: Checkpoint, drawn_train_cameras: tuple[Camera, ...], beat: Callable[[], None],
) -> Turned | None:
    """At most three, each drawn twice; to the right and to the left in turn."""
    splats, found = prepare(checkpoint.gaussians), {}
    for place, camera in enumerate(evenly(drawn_train_cameras, MOST_TURNED)):
        beat()
        shown, rotation = capped(camera), turn(TURN_DEG if place % 2 else -TURN_DEG)
        before, after = (rasterise(splats, view).rgb for view in (shown, turned(shown, rotation)))
        found[camera.name] = change(before, after, shown, rotation)
    known = {name: each for name, each in found.items() if each is not None}
    return Turned(tuple(known), tuple(known.values()), checkpoint.iteration) if known else None
