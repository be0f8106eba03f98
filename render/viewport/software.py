"""The software back-end: the CPU rasteriser's picture as 8-bit RGB, for machines without a usable GPU."""

import numpy as np

from render.colouring import Scale, to_rgb
from render.projection import NEAR
from render.raster.cpu import rasterise
from render.raster.picture import Picture
from render.splats import Splats
from render.viewport.appearance import WHOLE, Marks, splat_colours
from render.viewport.backend import POINT_RADIUS_PX, ViewRequest
from runs.arrays import F32, U8, U32, Mask
from runs.cameras import Camera
from runs.kernels import kernel


class SoftwareBackend:
    """Draws with `render.raster.cpu`; it sorts by itself, so an uploaded order changes nothing."""

    name = "software"

    def __init__(self) -> None:
        self._splats: Splats | None = None
        self._marks = Marks()
        self._picture = np.zeros((1, 1, 3), np.uint8)

    def set_gaussians(self, splats: Splats) -> None:
        self._splats, self._marks = splats, Marks()

    def set_scalar(self, values: F32 | None, colours: U8, scale: Scale) -> None:
        self._marks = Marks(values, colours, scale, self._marks.tint, self._marks.tint_rgb)

    def set_tint(self, mask: Mask | None, colour: tuple[float, float, float]) -> None:
        self._marks = Marks(self._marks.scalar, self._marks.colours, self._marks.scale, mask, colour)

    def upload_order(self, order: U32) -> None:
        pass

    def draw(self, request: ViewRequest) -> None:
        if self._splats is None:
            self._picture = _to_bytes(_filled(request))
        else:
            self._picture = picture(self._splats, self._marks, request)

    def read(self) -> U8:
        return self._picture


def picture(splats: Splats, marks: Marks, request: ViewRequest) -> U8:
    """uint8 [H, W, 3] of frozen values, so that a worker thread can make it."""
    if not len(splats):
        return _to_bytes(_filled(request))
    if request.points:
        return _to_bytes(points(splats, splat_colours(splats, marks, request), request))
    if request.mode in ("depth", "alpha"):
        drawn = rasterise(splats, request.camera, colours=np.zeros((len(splats), 3), np.float32))
        return _depth_picture(drawn, marks, request) if request.mode == "depth" else to_rgb(drawn.alpha, WHOLE, marks.colours)
    plain = request.mode == "rgb" and request.tint_strength == 0
    return _to_bytes(rasterise(
        splats, request.camera, background=request.background, sh_degree=request.sh_degree,
        colours=None if plain else splat_colours(splats, marks, request),
    ).rgb)


def points(splats: Splats, colours: F32, request: ViewRequest) -> F32:
    """float32 [H, W, 3]: every mean beyond the near plane as an opaque dot, the nearest in front."""
    image = _filled(request)
    depths = np.full(image.shape[:2], np.inf, np.float32)
    lens = np.array(_lens(request.camera), np.float32)
    world = request.camera.camera_from_world.astype(np.float32)
    _paint(splats.means, splats.opacities, colours, world, lens, image, depths)
    return image


@kernel
def _paint(means: F32, opacities: F32, colours: F32, world: F32, lens: F32, image: F32, depths: F32) -> None:
    fx, fy, cx, cy, near, radius = lens
    height, width = depths.shape
    for i in range(len(means)):
        x, y, z = means[i, 0], means[i, 1], means[i, 2]
        depth = world[2, 0] * x + world[2, 1] * y + world[2, 2] * z + world[2, 3]
        if not (depth > near and opacities[i] >= np.float32(1 / 255)):
            continue
        u = fx * (world[0, 0] * x + world[0, 1] * y + world[0, 2] * z + world[0, 3]) / depth + cx
        v = fy * (world[1, 0] * x + world[1, 1] * y + world[1, 2] * z + world[1, 3]) / depth + cy
        if not (-radius < u < width + radius and -radius < v < height + radius):
            continue
        for row in range(max(int(v - radius), 0), min(int(v + radius) + 1, height)):
            for column in range(max(int(u - radius), 0), min(int(u + radius) + 1, width)):
                du, dv = column + np.float32(0.5) - u, row + np.float32(0.5) - v
                if du * du + dv * dv <= radius * radius and depth < depths[row, column]:
                    depths[row, column] = depth
                    image[row, column] = colours[i]


def _lens(camera: Camera) -> tuple[float, ...]:
    return camera.fx, camera.fy, camera.cx, camera.cy, NEAR, POINT_RADIUS_PX


def _depth_picture(drawn: Picture, marks: Marks, request: ViewRequest) -> U8:
    hit = np.isfinite(drawn.depth)
    mapped = to_rgb(np.where(hit, drawn.depth, 0), request.field_scale or WHOLE, marks.colours) / 255
    weight = np.where(hit, drawn.alpha, 0)[..., None]
    return _to_bytes(np.asarray(weight * mapped + (1 - weight) * np.array(request.background), np.float32))


def _filled(request: ViewRequest) -> F32:
    width, height = request.camera.size_px
    return np.broadcast_to(np.array(request.background, np.float32), (height, width, 3)).copy()


def _to_bytes(rgb: F32) -> U8:
    return np.asarray(np.clip(rgb, 0, 1) * np.float32(255) + np.float32(0.5), np.uint8)
