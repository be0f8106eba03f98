"""The one small interface to a viewport back-end, free of GL and Qt types."""

from dataclasses import dataclass
from typing import Literal, Protocol

from render.colouring import Scale
from render.splats import Splats
from runs.arrays import F32, U8, U32, Mask
from runs.cameras import Camera

# rgb: trained colours; scalar: any number per splat by colour map; depth: Σ weight·z / Σ weight; alpha: Σ weight.
Mode = Literal["rgb", "scalar", "depth", "alpha"]

POINT_RADIUS_PX = 1.5  # a dot at a device pixel ratio of 1


@dataclass(frozen=True, eq=False)
class ViewRequest:
    """Everything that one picture depends on besides the splats, their scalar and their tint."""

    camera: Camera  # its size_px is the picture's size
    mode: Mode = "rgb"
    points: bool = False  # every mean as an opaque dot instead of its splat
    background: tuple[float, float, float] = (0.0, 0.0, 0.0)  # 0..1
    sh_degree: int = 3  # at most; 0 shows the view-independent colour
    tint_strength: float = 0.0  # 0 shows no tint, 1 paints tinted splats in the tint's colour
    field_scale: Scale | None = None  # range of the colour map in depth mode; alpha always runs 0..1


class Backend(Protocol):
    """Draws splats. Calls come from one thread; `draw` may be called again with the same splats at no upload cost."""

    name: str

    def set_gaussians(self, splats: Splats) -> None:
        """Replace what is drawn; scalar, tint and order are forgotten."""

    def set_scalar(self, values: F32 | None, colours: U8, scale: Scale) -> None:
        """One number per splat, float32 [M], NaN where not available; `colours` uint8 [256, 3] also serves depth and alpha."""

    def set_tint(self, mask: Mask | None, colour: tuple[float, float, float]) -> None:
        """Splats to be tinted, bool [M]."""

    def upload_order(self, order: U32) -> None:
        """Indices of the splats to draw, farthest first (`order.depth_order`)."""

    def draw(self, request: ViewRequest) -> None:
        """Make the picture; `read` returns it."""

    def read(self) -> U8:
        """uint8 [H, W, 3], the last picture, top row first."""
