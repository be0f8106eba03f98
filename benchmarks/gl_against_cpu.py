"""One frame, order included: the CPU rasteriser against the GL back-end on this machine's off-screen driver.

`python -m benchmarks.gl_against_cpu [millions]`; on Mesa's llvmpipe the CPU rasteriser should be at least 1.3 times faster, which
is why `render.viewport.choose` takes it there.
"""

import os
import sys
from collections.abc import Callable

os.environ.setdefault("EGL_PLATFORM", "surfaceless")
os.environ.setdefault("PYOPENGL_PLATFORM", "egl")

import numpy as np
import vispy

vispy.use(app="egl", gl="gl+")

from vispy import app, gloo  # noqa: E402 - the environment decides which GL they load

from benchmarks.order import best_ms  # noqa: E402
from benchmarks.scenes import blob  # noqa: E402
from render.splats import Splats  # noqa: E402
from render.viewport.appearance import Marks  # noqa: E402
from render.viewport.backend import ViewRequest  # noqa: E402
from render.viewport.gl import GLBackend  # noqa: E402
from render.viewport.gl_programs import Layout  # noqa: E402
from render.viewport.order import depth_order, reach  # noqa: E402
from render.viewport.software import picture  # noqa: E402
from runs.cameras import look_at  # noqa: E402

BAR = 1.3
SIZE_PX = (1280, 720)
ROUNDS = 6


def gl_frame(splats: Splats, request: ViewRequest, layout: Layout) -> Callable[[], None]:
    """Order, upload, blend and wait; the splats are on the GPU already."""
    backend, radii = GLBackend(layout), reach(splats)
    backend.set_gaussians(splats)

    def frame() -> None:
        backend.upload_order(depth_order(splats.means, radii, request.camera))
        backend.draw(request)
        gloo.finish()

    return frame


def main(count: int) -> float:
    """Print all times and ratios; return how much faster the CPU rasteriser is than the better layout."""
    canvas = app.Canvas(size=(16, 16), show=False)
    canvas.set_current()
    splats = blob(count)
    request = ViewRequest(look_at(np.array([0.0, 0.0, -4.0]), np.zeros(3), size_px=SIZE_PX))
    frames = (lambda: picture(splats, Marks(), request), gl_frame(splats, request, "gtex"), gl_frame(splats, request, "tex"))
    for frame in frames:  # compile and upload
        frame()
    # Interleaved, so that a busy neighbour slows all three; the shortest of each counts.
    rounds = [[best_ms(frame, 1) for frame in frames] for _ in range(ROUNDS)]
    software, points, quads = np.min(rounds, axis=0)
    ratio = float(min(points, quads) / software)
    print(f"{gloo.gl.glGetParameter(gloo.gl.GL_RENDERER)}, {count:,} splats, {SIZE_PX[0]}x{SIZE_PX[1]}: "
          f"CPU raster {software:.0f} ms, GL points {points:.0f} ms, GL quads {quads:.0f} ms; "
          f"CPU {ratio:.2f} times faster (bar on llvmpipe: at least {BAR})")
    return ratio


if __name__ == "__main__":
    sys.exit(0 if main(int(float(sys.argv[1] if len(sys.argv) > 1 else 1) * 1e6)) >= BAR else 1)
