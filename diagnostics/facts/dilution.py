"""Facts about what the logged loss of masked views was divided by: the pixels that count, or all of them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from diagnostics.facts import alike, lens, logged, saved  # noqa: F401  (the facts named below)
from diagnostics.facts.habits import full_size_from
from diagnostics.facts.masks import COUNTS, MASKS, mask_pixels
from diagnostics.facts.photos import evenly, photo_at
from diagnostics.facts.redrawn import EPOCHS, LARGEST_PX, MOST_REDRAWN
from diagnostics.measures.backgrounds import COLOURS, composite, over
from diagnostics.registry import fact
from diagnostics.schedule import Schedule
from diagnostics.verdict import NotEvaluable
from render.raster.cpu import rasterise
from render.splats import Splats, prepare
from runs.arrays import F32, F64, Mask
from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.photos import Photo
from runs.run import Run
from runs.series import Series


@dataclass(frozen=True, eq=False)
class MaskedLoss:
    """L1 of some masked training views, drawn again, beside what the log says around the same save."""

    coverage: F64  # float64 [V], share of pixels that count
    inside: F64  # float64 [V], mean difference over those
    everywhere: F64  # float64 [V], mean difference over the whole picture
    logged: float  # mean over at least one pass over the training views
    iteration: int
    cameras: tuple[str, ...]
    source: str

    @property
    def by_counting(self) -> float:
        """What the log would say if the sum were divided by the pixels that count."""
        return float(np.mean(self.inside))

    @property
    def by_all(self) -> float:
        """What it would say if the same sum were divided by all pixels."""
        return float(np.mean(self.inside * self.coverage))

    @property
    def unmasked(self) -> float:
        """What it would say without the masks."""
        return float(np.mean(self.everywhere))


@fact(missing=f"{MASKS}, the photos, a saved point cloud and series loss/l1 around its iteration")
def masked_loss(
    run: Run, checkpoint: Checkpoint, masks: dict[str, Photo], drawn_train_cameras: tuple[Camera, ...], photos_alike: bool,  # noqa: ARG001
    loss_l1: Series, beat: Callable[[], None], schedule: Schedule | None = None,
) -> MaskedLoss | NotEvaluable | None:
    """At most eight masked views of the last checkpoint of the range, at the size that trained."""
    reach = EPOCHS * len(drawn_train_cameras)
    around = loss_l1.between(checkpoint.iteration - reach, checkpoint.iteration + reach)
    values = around.values[np.isfinite(around.values)]
    if alike.is_rounded(checkpoint) or checkpoint.iteration < full_size_from(run) or (
            schedule is not None and schedule.is_muted(checkpoint.iteration)):
        return NotEvaluable(("an exact save at full size, outside the dip after an opacity reset",))
    if len(values) < len(drawn_train_cameras):
        return NotEvaluable(("series loss/l1 for a whole pass over the training views around the save",))
    splats, rows, names = prepare(checkpoint.gaussians), [], []
    usable = tuple(c for c in drawn_train_cameras if c.name in masks and c.name in run.photos and max(c.size_px) <= LARGEST_PX)
    for camera in evenly(usable, MOST_REDRAWN):
        beat()
        mask, photo = mask_pixels(run, masks[camera.name], camera), photo_at(run, camera)
        if mask is not None and photo is not None:
            rows.append(_row(splats, camera, photo, mask[..., :3].mean(axis=2) > COUNTS))
            names.append(camera.name)
    if not rows:
        return None
    coverage, inside, everywhere = np.array(rows, np.float64).T
    return MaskedLoss(coverage, inside, everywhere, float(np.mean(values)), checkpoint.iteration, tuple(names), loss_l1.source)


def _row(splats: Splats, camera: Camera, photo: F32, counts: Mask) -> tuple[float, float, float]:
    """Coverage, L1 where pixels count, L1 everywhere; on the background that fits better where they count."""
    picture = rasterise(splats, camera)
    each = [np.abs(np.clip(over(picture.rgb, picture.alpha, colour), 0, 1) - composite(photo, colour)).mean(axis=2)
            for colour in COLOURS]
    inside = [float(values[counts].mean()) if counts.any() else 0.0 for values in each]
    best = int(np.argmin(inside))
    return float(counts.mean()), inside[best], float(each[best].mean())
