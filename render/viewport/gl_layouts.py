"""The two data layouts of the GL back-end: how splats, marks and order reach the splat program."""

from typing import Any, Protocol

import numpy as np
from vispy import gloo

from render.viewport.gl_programs import Layout, splat_program
from render.viewport.gl_upload import Packed, texture_rows
from runs.arrays import F32, U32


class SplatLayout(Protocol):
    """Owns the splat program and its buffers. All calls need the canvas' GL context."""

    program: Any

    def set_splats(self, packed: Packed) -> None:
        """Replace geometry; SH is the caller's."""

    def set_marks(self, scalar: F32, tint: F32) -> None:
        """float32 [M] each: position on the colour map or -1, and 1 where tinted."""

    def set_order(self, order: U32) -> None:
        """Farthest first."""

    def draw(self) -> None:
        """Blend the splats of the order."""


class PointLayout:
    """"gtex": static vertex buffers, a geometry shader makes the quads, the index buffer is the order."""

    def __init__(self) -> None:
        self.program = splat_program("gtex")
        self._order = gloo.IndexBuffer()
        self._drawn = 0

    def set_splats(self, packed: Packed) -> None:
        for name, values in (("a_mean_opacity", packed.mean_opacity), ("a_cov_a", packed.cov_a), ("a_cov_b", packed.cov_b)):
            self.program[name] = gloo.VertexBuffer(values)

    def set_marks(self, scalar: F32, tint: F32) -> None:
        self.program["a_scalar"] = gloo.VertexBuffer(scalar)
        self.program["a_tint"] = gloo.VertexBuffer(tint)

    def set_order(self, order: U32) -> None:
        self._drawn = len(order)
        if self._drawn:
            self._order = gloo.IndexBuffer(order)

    def draw(self) -> None:
        if self._drawn:
            self.program.draw("points", self._order)


class QuadLayout:
    """"tex": an instanced quad a splat with parameters in textures, for drivers with poor geometry shaders."""

    def __init__(self) -> None:
        self.program = splat_program("tex")
        self._drawn = 0

    def set_splats(self, packed: Packed) -> None:
        texels = np.zeros((packed.count, 3, 4), np.float32)
        texels[:, 0], texels[:, 1, :3], texels[:, 2, :3] = packed.mean_opacity, packed.cov_a, packed.cov_b
        self.program["u_geometry"] = float_texture(texture_rows(texels), "rgba32f")

    def set_marks(self, scalar: F32, tint: F32) -> None:
        marks = np.stack([scalar, tint], axis=1)[:, None]
        self.program["u_marks"] = float_texture(texture_rows(marks), "rg32f")

    def set_order(self, order: U32) -> None:
        self._drawn = len(order)
        if self._drawn:  # gloo draws an empty instance buffer once
            self.program["a_index"] = gloo.VertexBuffer(order.astype(np.float32), divisor=1)

    def draw(self) -> None:
        if self._drawn:
            self.program.draw("triangle_strip")


def make_layout(layout: Layout) -> SplatLayout:
    """The layout called `layout`."""
    return PointLayout() if layout == "gtex" else QuadLayout()


def float_texture(values: F32, internalformat: str) -> Any:
    """A texture of float32 [H, W, C] without filtering; the driver converts to `internalformat`."""
    names = {2: "rg", 4: "rgba"}
    texture = gloo.Texture2D(shape=values.shape, format=names[values.shape[2]], internalformat=internalformat)
    texture.set_data(values, copy=False)
    return texture
