"""What several cameras say about the same splats: who sees them, in front of what, and in which colour."""

from dataclasses import dataclass

import numpy as np

from diagnostics.measures.frusta import project, sample
from render.projection import NEAR
from runs.arrays import F32, F64, I64, Mask
from runs.cameras import Camera

# Of the depth: closer than this to the pixel's main surface counts as on it.
DEPTH_MARGIN = 0.05


@dataclass(frozen=True, eq=False)
class Testimony:
    """What one camera says about M splats, at the pixel under each centre."""

    inside: Mask  # bool [M], the centre lies in the picture
    depth: F64  # float64 [M], of the centre, world units along the view axis
    behind: Mask  # bool [M], clearly farther than the main surface there (the splat with the largest weight): hidden
    photo: F32 | None  # float32 [M, 3], the photo's colour there; NaN outside


def hear(means: F32, camera: Camera, mode_depth: F32, photo: F32 | None) -> Testimony:
    """From splat centres [M, 3], the camera's depth of the strongest splat [H, W] and its photo [H, W, 3]."""
    seen = project(means, camera, NEAR)
    inside = seen.inside
    x, y = seen.x_px[inside], seen.y_px[inside]
    surface = np.full(len(means), np.nan)
    surface[inside] = sample(mode_depth[..., None], x, y)[:, 0]
    colours = None
    if photo is not None:
        colours = np.full((len(means), 3), np.nan, np.float32)
        colours[inside] = sample(photo, x, y)
    with np.errstate(invalid="ignore"):
        behind = seen.depth > (1 + DEPTH_MARGIN) * surface
    return Testimony(inside, seen.depth, behind, colours)


def effective_views(total: F64, squares: F64) -> F64:
    """float64 [M], (Σw)² / Σw² over views, from both sums: how many views share a splat evenly; 0 where none sees it."""
    return np.asarray(np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0))


@dataclass(frozen=True, eq=False)
class ColourSpread:
    """Running mean and spread of colours per splat, over the views that see it."""

    count: I64  # int64 [M]
    total: F64  # float64 [M, 3]
    squares: F64  # float64 [M, 3]

    @classmethod
    def empty(cls, splats: int) -> "ColourSpread":
        return cls(np.zeros(splats, np.int64), np.zeros((splats, 3)), np.zeros((splats, 3)))

    def add(self, seen: Mask, colours: F32) -> None:
        """One more view: colours [M, 3] of the splats under the mask."""
        self.count[seen] += 1
        self.total[seen] += colours[seen]
        self.squares[seen] += colours[seen].astype(np.float64) ** 2

    def deviation(self, fewest: int) -> F64:
        """float64 [M], standard deviation averaged over the channels; NaN where fewer than `fewest` views have seen it."""
        count = np.maximum(self.count, 1)[:, None]
        variance = np.maximum(self.squares / count - (self.total / count) ** 2, 0)
        return np.where(self.count >= fewest, np.sqrt(variance).mean(axis=1), np.nan)


def brightness_bias(photo: F32, render: F32) -> F32:
    """float32 [3]: how much brighter the photo is than the render as a whole, so that exposure is not taken for disagreement."""
    return np.asarray((photo - np.clip(render, 0, 1)).reshape(-1, 3).mean(axis=0), np.float32)
