"""The two data layouts of the GL back-end: how splats, marks and order reach the splat program."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np
from vispy import gloo

from render.viewport.gl_programs import Layout, splat_program
from render.viewport.gl_upload import Packed, texture_rows
from runs.arrays import F32, U32

PIECE_BYTES = 24_000_000  # 10 to 15 ms on Mesa's llvmpipe, which is a copy and a conversion


class SplatLayout(Protocol):
    """Owns the splat program and its buffers. All calls need the canvas' GL context."""

    program: Any

    def upload(self, packed: Packed, into: dict[str, Any]) -> Iterator[None]:
        """Send the geometry in pieces and put what the program shall be given under its names; SH is the caller's."""

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

    def upload(self, packed: Packed, into: dict[str, Any]) -> Iterator[None]:
        for name, values in (("a_mean_opacity", packed.mean_opacity), ("a_cov_a", packed.cov_a), ("a_cov_b", packed.cov_b)):
            into[name] = gloo.VertexBuffer(values)
            _send(into[name])
            yield

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

    def upload(self, packed: Packed, into: dict[str, Any]) -> Iterator[None]:
        into["u_geometry"] = texture = empty_texture(packed.geometry.shape, "rgba32f")
        yield from send_rows(texture, packed.geometry)

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


def empty_texture(shape: tuple[int, ...], internalformat: str) -> Any:
    """A float texture of `shape` [H, W, C] without filtering; the driver converts to `internalformat`."""
    return gloo.Texture2D(shape=shape, format={2: "rg", 4: "rgba"}[shape[2]], internalformat=internalformat)


def float_texture(values: F32, internalformat: str) -> Any:
    """A texture of float32 [H, W, C], sent at its first use."""
    texture = empty_texture(values.shape, internalformat)
    texture.set_data(values, copy=False)
    return texture


def send_rows(texture: Any, values: F32) -> Iterator[None]:
    """Fill the texture with float32 [H, W, C], at most `PIECE_BYTES` before each yield."""
    step = max(PIECE_BYTES // values[0].nbytes, 1)
    for first in range(0, len(values), step):
        texture.set_data(values[first:first + step], offset=(first, 0), copy=False)
        _send(texture)
        yield


def bind(program: Any, values: Mapping[str, Any]) -> None:
    """Give the program its uniforms, textures and buffers by name."""
    for name, value in values.items():
        program[name] = value


def _send(thing: Any) -> None:
    """Have the driver take the data now; gloo would keep it until a program draws with it."""
    context = gloo.get_current_canvas().context
    context.glir.associate(thing.glir)
    context.flush_commands()
