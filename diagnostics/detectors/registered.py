"""Faults of the data set: a lens that nobody straightened, or twice; photos that structure from motion lost."""

import numpy as np

from diagnostics.facts.registered import Bent, Registered
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding
from diagnostics.wording import percent


@detects("distortion-not-removed")
def distortion_not_removed(bent: Bent, *, shift_px: float = 1.0, serious_px: float = 5.0) -> Finding | None:
    """The photos are bent, and the trainer draws straight; or they are straight, and the trainer unbends them once more."""
    if not bent.shift_px or not (bent.twice if bent.straightened else bent.taken):
        return None
    worst = max(bent.shift_px, key=lambda name: bent.shift_px[name])
    shift = bent.shift_px[worst]
    if not shift > shift_px:
        return None
    middle = float(np.median([*bent.shift_px.values()]))
    return Finding(
        _says(bent, shift),
        evidence=(
            EvidenceRow(f"shift of a corner by the lens, {worst}", shift, shift_px, "px", None, bent.source),
            EvidenceRow("the same, median over the cameras", middle, serious_px, "px", None, bent.source),
            EvidenceRow("cameras with such a lens", len(bent.shift_px), 0, "cameras", None, bent.source),
        ),
        cameras=tuple(bent.shift_px), severity="critical" if shift > serious_px and not bent.straightened else None,
        confidence=0.6 if bent.straightened else 0.85, facts={"shift": f"{shift:.1f}", "lens": bent.lens},
    )


def _says(bent: Bent, shift: float) -> str:
    if bent.straightened:
        return (f"{bent.trainer} straightens photos of a lens {bent.lens}, and the COLMAP model beside {bent.source} says that "
                f"they are straight already: corners would then be moved by {shift:.1f} px once too often")
    return (f"The photos have a lens {bent.lens} that shows corners {shift:.1f} px from where {bent.trainer}, which knows "
            f"pinhole cameras alone, draws them; training used this model's own focal lengths and shape")


@detects("few-cameras-registered")
def few_registered(registered: Registered, *, few: float = 0.8, serious: float = 0.5, larger: float = 1.0) -> Finding | None:
    """Many photos have no pose, or training used a sub-model that is not the largest."""
    told = registered
    share = told.registered / told.photos
    other = told.largest_images > larger * told.used_images and told.largest != told.used
    if share >= few and not other:
        return None
    beside = (f", while {told.largest} holds {told.largest_images}: the reconstruction fell apart, and training used the smaller "
              f"part")
    return Finding(
        f"{told.used} holds {told.registered} of {told.photos} photos ({percent(share)})"
        + (beside if other else ": the others have no pose, and training never saw them"),
        evidence=(
            EvidenceRow("registered photos / photos on disk", share, few, "share", None, told.source),
            EvidenceRow("images of the model that was used", told.used_images, None, "images", None, told.used),
            EvidenceRow("images of the largest model", told.largest_images, told.used_images, "images", None, told.largest),
            EvidenceRow("points per image", told.points_per_image, None, "points", None, told.used),
        ),
        cameras=told.lost, confidence=0.9, severity="major" if share < serious or other else None,
        facts={"lost": told.photos - told.registered, "photos": told.photos, "used": told.used,
               **({"largest": told.largest, "most": told.largest_images} if other else {})},
    )
