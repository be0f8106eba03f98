"""Colours of the start cloud: unrelated to the photos although a model with true ones is at hand, or one and the same for all."""

import numpy as np

from diagnostics.facts.cameras import Visibility
from diagnostics.facts.colours import ColourTest
from diagnostics.facts.frames import CloudFrame
from diagnostics.measures.shares import share
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, NotEvaluable
from runs.cameras import Camera
from runs.points import PointCloud


@detects("random-initialisation")
def random_initialisation(
    start_colours: ColourTest, model_colours: ColourTest, train_cameras: tuple[Camera, ...],
    initial_visibility: Visibility | None = None, cloud_frame: CloudFrame | None = None,
    *, unrelated: float = 0.75, related: float = 0.5, wide: float = 0.1,
) -> Finding | None:
    """Start points agree with the photos no better than chance, while those of the COLMAP model do.

    A cloud that is the model's in another frame, or wider than what the cameras see, has a name of its own.
    """
    if not (start_colours.of_chance > unrelated and model_colours.of_chance < related) or cloud_frame is not None:
        return None
    if initial_visibility is not None and share(initial_visibility.views < 2) > wide:
        return None
    return Finding(
        f"The {start_colours.points:,} start points looked at agree with the photos no better than chance (difference "
        f"{start_colours.found:.3f}, by chance {start_colours.chance:.3f}), while the COLMAP model's do "
        f"({model_colours.found:.3f}): training started from random points although surface points were at hand",
        evidence=(
            EvidenceRow("difference of start points to the photos (better 30 % of pairs) over that by chance",
                        start_colours.of_chance, unrelated, "", None, start_colours.source),
            EvidenceRow("the same of the COLMAP model's points", model_colours.of_chance, related, "", None,
                        model_colours.source),
        ),
        cameras=tuple(camera.name for camera in train_cameras), confidence=0.8,
    )


@detects("uniform-initial-colours")
def uniform_initial_colours(start_points: PointCloud, *, levels: float = 2.0, fewest: int = 10) -> Finding | NotEvaluable | None:
    """All start points have one colour."""
    if start_points.rgb is None or len(start_points) < fewest:
        return NotEvaluable((f"at least {fewest} starting points with colours",))
    spread = float(np.std(start_points.rgb.astype(np.float64), axis=0).max())
    if spread >= levels:
        return None
    colour = [int(value) for value in np.round(start_points.rgb.mean(axis=0))]
    told = "black" if max(colour) < levels else f"RGB {colour[0]}, {colour[1]}, {colour[2]}"
    return Finding(
        f"All {len(start_points):,} starting points have one colour ({told}): Gaussians start without the colours that structure "
        f"from motion knows",
        evidence=(
            EvidenceRow("standard deviation of the start points' colours, largest channel", spread, levels, "of 255", None,
                        start_points.source),
            EvidenceRow("starting points", len(start_points), None, "points", None, start_points.source),
        ),
        confidence=0.95, facts={"colour": told},
    )
