"""The colour of each splat in each mode, as the shaders compute it."""

from dataclasses import dataclass, field

import numpy as np

from render.colouring import Scale, colour_map, to_rgb
from render.raster import layout
from render.raster.kernels_project import colour_range
from render.splats import Splats
from render.viewport.backend import ViewRequest
from runs.arrays import F32, U8, Mask
from runs.cameras import Camera

LUMA = np.array([0.299, 0.587, 0.114], np.float32)  # ITU-R BT.601
MUTED = 0.6  # what is not tinted turns grey and darker, so that the tint is seen


WHOLE = Scale(0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Marks:
    """What is shown on the splats besides their trained colour."""

    scalar: F32 | None = None  # float32 [M], NaN where not available
    colours: U8 = field(default_factory=colour_map)  # uint8 [256, 3]
    scale: Scale = WHOLE
    tint: Mask | None = None  # bool [M]
    tint_rgb: tuple[float, float, float] = (1.0, 0.0, 0.0)  # 0..1


def splat_colours(splats: Splats, marks: Marks, request: ViewRequest) -> F32:
    """float32 [M, 3], tint included, not clamped above 1. In depth and alpha mode: the colour of a dot, which is opaque."""
    if request.mode == "depth":
        world = request.camera.camera_from_world[2].astype(np.float32)
        return _mapped(splats.means @ world[:3] + world[3], marks.colours, request.field_scale or WHOLE)
    if request.mode == "alpha":
        return _mapped(np.ones(len(splats), np.float32), marks.colours, WHOLE)
    if request.mode == "scalar":
        return _scalar_colours(splats, marks, request)
    colours = view_colours(splats, request.camera, request.sh_degree)
    return colours if request.tint_strength == 0 else _tinted(colours, colours, marks, request.tint_strength, marks.tint_rgb)


def _scalar_colours(splats: Splats, marks: Marks, request: ViewRequest) -> F32:
    """What is pointed at keeps the colour that the legend explains; the rest becomes a grey picture of the scene."""
    values = np.full(len(splats), np.nan, np.float32) if marks.scalar is None else marks.scalar
    colours = _mapped(values, marks.colours, marks.scale)
    if request.tint_strength == 0:
        return colours
    trained = view_colours(splats, request.camera, request.sh_degree)
    return _tinted(colours, trained, marks, request.tint_strength, None)


def _mapped(values: F32, colours: U8, scale: Scale) -> F32:
    return to_rgb(values, scale, colours).astype(np.float32) / np.float32(255)


def _tinted(
    colours: F32, trained: F32, marks: Marks, strength: float, tint_rgb: tuple[float, float, float] | None
) -> F32:
    """Tinted splats take the tint's colour or, with None, keep theirs; the rest turns grey by `strength` 0..1."""
    mask = np.zeros(len(colours), bool) if marks.tint is None else marks.tint
    goal = np.repeat(MUTED * (trained @ LUMA)[:, None], 3, axis=1)
    goal[mask] = colours[mask] if tint_rgb is None else tint_rgb
    return np.asarray(colours + strength * (goal - colours), np.float32)


def view_colours(splats: Splats, camera: Camera, sh_degree: int) -> F32:
    """float32 [M, 3]: spherical harmonics towards the camera, clamped at 0."""
    rows = np.zeros((len(splats), layout.FIELDS), np.float32)
    every = np.arange(len(splats), dtype=np.int32)
    colour_range(every, splats.means, splats.sh, min(sh_degree, splats.sh_degree), camera.centre, rows, every)
    return np.ascontiguousarray(rows[:, layout.RED:layout.BLUE + 1])
