"""Picture: one rendered view as arrays, with what each splat contributed to it."""

from dataclasses import dataclass

from runs.arrays import F32, Array


@dataclass(frozen=True, eq=False)
class Contributions:
    """What each of the M splats added to one picture; weight = alpha × transmittance in front of it."""

    weight_sum: F32  # float32 [M], Σ over pixels
    weight_max: F32  # float32 [M], 0..1
    pixel_count: Array  # int32 [M], pixels with alpha >= 1/255 that were reached before the early stop


@dataclass(frozen=True, eq=False)
class Picture:
    """A view rendered by the reference or the CPU rasteriser."""

    rgb: F32  # float32 [H, W, 3], linear in the splat colours, background included, not clamped above 1
    alpha: F32  # float32 [H, W], accumulated weight 0..1
    depth: F32  # float32 [H, W], Σ weight·z / Σ weight in world units along the view axis; NaN where nothing was hit
    mode_depth: F32  # float32 [H, W], z of the splat with the largest weight; NaN where nothing was hit
    mode_splat: Array  # int32 [H, W], index of that splat, or -1
    contributions: Contributions | None
