"""One frame, order included: the CPU rasteriser against the GL back-end on this machine's off-screen driver.

`python -m benchmarks.gl_against_cpu [millions]`; on Mesa's llvmpipe the CPU rasteriser should be at least 1.3 times faster, which
is why `render.viewport.choose` takes it there.
"""

import os
import sys

os.environ.setdefault("EGL_PLATFORM", "surfaceless")
os.environ.setdefault("PYOPENGL_PLATFORM", "egl")

import numpy as np
import vispy

vispy.use(app="egl", gl="gl+")

from vispy import app, gloo

from benchmarks.order import best_ms
from benchmarks.scenes import blob
from render.splats import Splats
from render.viewport.appearance import Marks
from render.viewport.backend import ViewRequest
from render.viewport.gl import GLBackend
from render.viewport.gl_programs import Layout
from render.viewport.order import depth_order, reach
from render.viewport.software import picture
from runs.cameras import look_at

BAR = 1.3
SIZE_PX = (1280, 720)


def gl_ms(splats: Splats, request: ViewRequest, layout: Layout) -> float:
    """Order, upload, blend and wait, splats being on the GPU."""
    backend, radii = GLBackend(layout), reach(splats)
    backend.set_gaussians(splats)

    def frame() -> None:
        backend.upload_order(depth_order(splats.means, radii, request.camera))
        backend.draw(request)
        gloo.finish()

    frame()
    return best_ms(frame, 5)


def main(count: int) -> float:
    """Print all times and ratios; return how much faster the CPU rasteriser is than the better layout."""
    canvas = app.Canvas(size=(16, 16), show=False)
    canvas.set_current()
    splats = blob(count)
    request = ViewRequest(look_at(np.array([0.0, 0.0, -4.0]), np.zeros(3), size_px=SIZE_PX))
    picture(splats, Marks(), request)  # compile
    software = best_ms(lambda: picture(splats, Marks(), request), 5)
    points, quads = (gl_ms(splats, request, layout) for layout in ("gtex", "tex"))
    ratio = min(points, quads) / software
    print(f"{gloo.gl.glGetParameter(gloo.gl.GL_RENDERER)}, {count:,} splats, {SIZE_PX[0]}x{SIZE_PX[1]}: "
          f"CPU raster {software:.0f} ms, GL points {points:.0f} ms, GL quads {quads:.0f} ms; "
          f"CPU {ratio:.2f} times faster (bar on llvmpipe: at least {BAR})")
    return ratio


if __name__ == "__main__":
    sys.exit(0 if main(int(float(sys.argv[1] if len(sys.argv) > 1 else 1) * 1e6)) >= BAR else 1)
