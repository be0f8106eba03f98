"""What shows once suspects are left out: a clump of floaters hides what each of them does, and the surface behind them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from diagnostics.measures.rejection import Rejection, Strengths, fitting
from diagnostics.measures.surfaces import regional_depth
from render.raster.cpu import rasterise
from render.raster.measures import DEPTH_MARGIN
from render.raster.picture import Picture
from render.raster.removal import removal
from render.splats import Splats
from runs.arrays import F32, F64, Mask
from runs.cameras import Camera


@dataclass(frozen=True, eq=False)
class Seen:
    """What the pictures say about M splats."""

    front: F64  # float64 [M], 0..1, share of its weight that lies clearly before the region's surface; 0 where it has none
    rejection: Strengths | None  # how clearly the photos would do without it

    @classmethod
    def of(cls, front_weight: F64, weight: F64, rejection: Strengths | None) -> "Seen":
        return cls(np.divide(front_weight, weight, out=np.zeros_like(weight), where=weight > 0), rejection)


def look_behind(splats: Splats, suspects: Mask, shots: Iterable[tuple[Camera, F32]]) -> Seen:
    """The splats judged in pictures without the suspects [M]; each suspect as if it alone were added to them.

    One more drawing and one more pass over the pixels per shot: a camera and its photo [H, W, 3 or 4]. A suspect that the scene
    needs explains errors that its absence has made; a floater makes its error anew, with no other floater to share it.
    """
    rest = replace(splats, opacities=np.where(suspects, np.float32(0), splats.opacities))
    weight, front, said = np.zeros(len(splats)), np.zeros(len(splats)), Rejection.empty(len(splats))
    for camera, photo in shots:
        picture = rasterise(rest, camera)
        found = removal(splats, camera, *fitting(picture, photo), surface_limits(picture), absent=suspects)
        weight += found.weight
        front += found.front_weight
        said.add(found)
    return Seen.of(front, weight, said.strengths(splats.means))


def surface_limits(picture: Picture) -> F32:
    """float32 [H, W]: the depth before which a splat lies clearly before the region's surface; NaN where there is none."""
    return np.asarray((1 - DEPTH_MARGIN) * regional_depth(picture.mode_depth), np.float32)
