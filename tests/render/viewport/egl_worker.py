"""Draws the tests' scenes with the GL back-end off screen, in a process of its own, and writes the arrays to a file.

EGL and a windowed GLX context cannot live in one process (PyOpenGL picks its library once), so `test_gl` runs this by itself.
"""

import sys

import numpy as np
import vispy

vispy.use(app="egl", gl="gl+")

from vispy import app  # noqa: E402

from render.colouring import Scale, colour_map  # noqa: E402
from render.viewport.backend import ViewRequest  # noqa: E402
from render.viewport.gl import GLBackend  # noqa: E402
from render.viewport.gl_programs import Layout  # noqa: E402
from render.viewport.order import depth_order, reach  # noqa: E402
from runs.arrays import U8, Array  # noqa: E402
from runs.cameras import Camera  # noqa: E402
from tests.render.viewport import gl_cases  # noqa: E402


def ready(layout: Layout, precision: str, camera: Camera, splats=None) -> GLBackend:  # type: ignore[no-untyped-def]
    """A back-end that holds the scene, its marks and its order."""
    splats = gl_cases.SPLATS if splats is None else splats
    backend = GLBackend(layout, precision, precision)
    backend.set_gaussians(splats)
    backend.upload_order(depth_order(splats.means, reach(splats), camera))
    return backend


def pictures(layout: Layout) -> dict[str, Array]:
    """Every mode and camera as float sums and as 8-bit picture."""
    found: dict[str, Array] = {}
    for name, request in gl_cases.requests().items():
        backend = ready(layout, "rgba32f", request.camera)
        backend.set_scalar(gl_cases.SCALAR, colour_map("viridis"), gl_cases.SCALE)
        backend.set_tint(gl_cases.TINT, gl_cases.TINT_RGB)
        backend.draw(request)
        found[f"{name}/sums"], found[f"{name}/picture"] = backend.read_sums(), backend.read()
    for degree, splats in gl_cases.BY_DEGREE.items():
        request = ViewRequest(gl_cases.OUTSIDE)
        backend = ready(layout, "rgba32f", request.camera, splats)
        backend.draw(request)
        found[f"degree {degree}/picture"] = backend.read()
    return found


def half(layout: Layout) -> dict[str, Array]:
    """The precision that the window uses."""
    request = ViewRequest(gl_cases.OUTSIDE)
    backend = ready(layout, "rgba16f", request.camera)
    backend.draw(request)
    return {"half/sums": backend.read_sums(), "half/picture": backend.read()}


def lifecycle(layout: Layout) -> dict[str, U8]:
    """One back-end through what a session does to it: nothing, splats, another size, fewer splats, nothing again."""
    few, none = gl_cases.SPLATS_FEW, gl_cases.SPLATS_NONE
    backend = ready(layout, "rgba32f", gl_cases.OUTSIDE)
    request = ViewRequest(gl_cases.OUTSIDE, background=(0.0, 0.0, 1.0))
    backend.upload_order(np.zeros(0, np.uint32))
    backend.draw(request)
    found = {"empty order": backend.read()}
    backend.set_gaussians(few)
    backend.set_scalar(np.zeros(len(few), np.float32), colour_map("viridis"), Scale(0.0, 1.0))
    small = ViewRequest(gl_cases.OUTSIDE.resized((48, 40)), background=(0.0, 0.0, 1.0))
    backend.upload_order(depth_order(few.means, reach(few), small.camera))
    backend.draw(small)
    found["few, small"] = backend.read()
    backend.set_gaussians(none)
    backend.draw(request)
    found["none"] = backend.read()
    return found


def main(target: str) -> None:
    canvas = app.Canvas(size=(16, 16), show=False)
    canvas.set_current()
    found: dict[str, Array] = {}
    for layout in gl_cases.LAYOUTS:
        for part in (pictures, half, lifecycle):
            found |= {f"{layout}/{name}": values for name, values in part(layout).items()}
    np.savez(target, **found)


if __name__ == "__main__":
    main(sys.argv[1])
