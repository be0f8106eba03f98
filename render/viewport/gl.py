"""The GL back-end: splats blended back to front into a float frame buffer, then resolved into a picture."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from vispy import gloo

from render.colouring import NO_VALUE, Scale, colour_map
from render.projection import NEAR, slope_limits
from render.splats import Splats
from render.viewport.backend import POINT_RADIUS_PX, ViewRequest
from render.viewport.gl_layouts import bind, empty_texture, make_layout, send_rows
from render.viewport.gl_programs import Layout, resolve_program
from render.viewport.gl_upload import ROW, Packed, pack
from runs.arrays import F32, U8, U32, Mask

_MODES = {"rgb": 0, "scalar": 1, "depth": 2, "alpha": 3}
_WHOLE = Scale(0.0, 1.0)


class GLBackend:
    """Draws with vispy's gloo. Every call needs the canvas' context to be current, so it belongs to the GUI thread.

    `precision` is the frame buffer's: half floats keep 53 to 62 dB on screen, "rgba32f" over 100 dB (render tests).
    """

    name = "gl"

    def __init__(self, layout: Layout = "gtex", precision: str = "rgba16f", sh_precision: str = "rgba16f") -> None:
        self._layout = make_layout(layout)
        self._resolve = resolve_program()
        self._precision, self._sh_precision = precision, sh_precision
        self._packed: Packed | None = None
        self._scalar, self._tint = np.zeros(0, np.float32), np.zeros(0, np.float32)
        self._sums: Any = None
        self._picture: Any = None
        self._size_px = (0, 0)
        self._layout.program["u_tint"] = (1.0, 0.0, 0.0)
        self._set_colours(colour_map())

    def set_gaussians(self, splats: Splats) -> None:
        for _ in self.uploading(pack(splats)):
            pass

    def uploading(self, packed: Packed) -> Iterator[None]:
        """`set_gaussians` in pieces that take a few ms each; until the last one is done, the old splats are drawn."""
        arrays: dict[str, Any] = {}
        if packed.count:
            arrays["u_sh"] = empty_texture(packed.sh.shape, self._sh_precision)
            yield from send_rows(arrays["u_sh"], packed.sh)
            yield from self._layout.upload(packed, arrays)
        bind(self._layout.program, arrays)
        self._packed = packed
        self._scalar = np.full(packed.count, -1, np.float32)
        self._tint = np.zeros(packed.count, np.float32)
        self._layout.set_order(np.zeros(0, np.uint32))
        self._upload_marks()

    def set_scalar(self, values: F32 | None, colours: U8, scale: Scale) -> None:
        self._scalar = np.full(len(self._tint), -1, np.float32)
        if values is not None:
            self._scalar = np.nan_to_num(scale.position(values).astype(np.float32), nan=-1.0)
        self._set_colours(colours)
        self._upload_marks()

    def set_tint(self, mask: Mask | None, colour: tuple[float, float, float]) -> None:
        self._tint = np.zeros(len(self._scalar), np.float32) if mask is None else mask.astype(np.float32)
        self._layout.program["u_tint"] = colour
        self._upload_marks()

    def upload_order(self, order: U32) -> None:
        self._layout.set_order(order)

    def draw(self, request: ViewRequest) -> None:
        self._fit(request.camera.size_px)
        self._set_view(request)
        gloo.set_state(depth_test=False, cull_face=False, blend=True)
        gloo.set_blend_func("one", "one_minus_src_alpha")
        with self._sums:
            gloo.set_viewport(0, 0, *self._size_px)
            gloo.clear(color=(0, 0, 0, 0))
            self._layout.draw()
        # vispy clears the window's alpha to that of the clear colour after each paint: 0 would make it translucent.
        gloo.set_clear_color((0, 0, 0, 1))

    def present(self, lower_left_px: tuple[int, int] = (0, 0)) -> None:
        """Paint the picture into the frame buffer that is bound, opaque."""
        gloo.set_state(depth_test=False, cull_face=False, blend=False)
        gloo.set_viewport(*lower_left_px, *self._size_px)
        self._resolve["u_offset"] = lower_left_px
        self._resolve.draw("triangle_strip")

    def read(self) -> U8:
        with self._picture:
            self.present()
            pixels = gloo.read_pixels((0, 0, *self._size_px), alpha=False)
        return np.asarray(pixels, np.uint8)

    def read_sums(self) -> F32:
        """float32 [H, W, 4] as blended, before background and colour map: for measuring the back-end itself."""
        with self._sums:
            return np.asarray(gloo.read_pixels((0, 0, *self._size_px), out_type="float"), np.float32)

    def _upload_marks(self) -> None:
        if len(self._scalar):
            self._layout.set_marks(self._scalar, self._tint)

    def _set_colours(self, colours: U8) -> None:
        table = np.ascontiguousarray(colours[None])
        for program in (self._layout.program, self._resolve):
            program["u_colours"] = gloo.Texture2D(table, interpolation="nearest")

    def _fit(self, size_px: tuple[int, int]) -> None:
        """Frame buffers of the picture's size."""
        if size_px == self._size_px:
            return
        self._size_px = size_px
        shape = (size_px[1], size_px[0], 4)
        sums = gloo.Texture2D(shape=shape, format="rgba", internalformat=self._precision)
        self._sums = gloo.FrameBuffer(color=sums)
        self._picture = gloo.FrameBuffer(color=gloo.Texture2D(shape=shape, format="rgba"))
        self._resolve["u_sums"] = sums

    def _set_view(self, request: ViewRequest) -> None:
        packed, camera = self._packed, request.camera
        unit = packed.depth_unit if packed else 1.0
        x_low, x_high, y_low, y_high = slope_limits(camera)
        splat: dict[str, Any] = {
            "u_camera_from_world": camera.camera_from_world.T.astype(np.float32),
            "u_intrinsics": (camera.fx, camera.fy, camera.cx, camera.cy), "u_size": camera.size_px,
            "u_slopes": (-x_low, x_high, -y_low, y_high), "u_eye": camera.centre, "u_near": NEAR,
            "u_depth_unit": unit, "u_point_radius": POINT_RADIUS_PX, "u_tint_strength": request.tint_strength,
            "u_no_value": np.array(NO_VALUE) / 255, "u_mode": _MODES[request.mode],
            "u_points": int(request.points),
            "u_sh_degree": min(request.sh_degree, packed.sh_degree if packed else 0),
            "u_sh_groups": packed.sh_groups if packed else 1, "u_sh_row": ROW,
        }
        field = request.field_scale or _WHOLE
        ends = np.log([field.low, field.high]) if field.log else (field.low, field.high)
        resolve = {"u_background": request.background, "u_mode": _MODES[request.mode], "u_depth_unit": unit,
                   "u_field": (*ends, float(field.log))}
        bind(self._layout.program, splat)
        bind(self._resolve, resolve)
