"""The GL surface: a vispy canvas; order and packing come from one worker lane, the GUI thread only uploads."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget
from vispy import app as vispy_app
from vispy import gloo
from vispy.gloo import gl

from app.lanes import Latest
from app.widgets.viewport_surface import Scene
from render.splats import Splats
from render.viewport.appearance import Marks
from render.viewport.backend import ViewRequest
from render.viewport.gl import GLBackend
from render.viewport.gl_programs import Layout
from render.viewport.gl_upload import Packed, pack
from render.viewport.order import depth_order, reach
from runs.arrays import F32, U32


@dataclass(frozen=True, eq=False)
class Ready:
    """A worker's answer: the order for a view, and the packed splats where they are new."""

    splats: Splats
    radii: F32
    order: U32
    packed: Packed | None  # None: the splats were packed before


class GLSurface(QWidget):
    """Draws at once with the order at hand; the exact order of the new view follows as soon as it is computed."""

    drawn = Signal()

    def __init__(self, layout: Layout = "gtex", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        gl.use_gl("gl+")
        self.frames = 0
        self._layout = layout
        self._backend: GLBackend | None = None
        self._scene: Scene | None = None
        self._request: ViewRequest | None = None
        self._splats: Splats | None = None  # those that were packed last, uploaded or about to be
        self._radii: F32 | None = None  # of `_splats`
        self._packed: Packed | None = None  # waits for the next paint
        self._uploading: Iterator[None] | None = None  # new splats, partly on the GPU
        self._order: U32 | None = None  # waits for the next paint
        self._marks: Marks | None = None  # those on the GPU
        self._stale = self._ordering = self._closed = False  # stale: the order at hand is of an earlier view
        self._lane = Latest("draw", self)
        self.canvas = vispy_app.Canvas(app=vispy_app.Application("pyside6"), keys=None, show=False)
        self.canvas.events.draw.connect(self._on_draw)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.canvas.native)

    def show_scene(self, scene: Scene | None) -> None:
        fresh = scene is not None and scene.splats is not self._splats
        self._scene = scene
        if fresh:
            self._outdate()
        self.canvas.update()

    def show_view(self, request: ViewRequest, moving: bool) -> None:  # noqa: ARG002 - a GPU needs no small picture
        self._request = request
        self._outdate()
        self.canvas.update()

    def settled(self) -> bool:
        return not (self._stale or self._ordering or self._order is not None)

    def close_lanes(self) -> None:
        self._closed = True
        self._lane.close()
        self.canvas.close()

    def _outdate(self) -> None:
        """One order at a time, then the newest view's."""
        self._stale = True
        scene, request = self._scene, self._request
        if scene is None or request is None or self._ordering or self._closed:
            return
        self._stale, self._ordering = False, True
        radii = self._radii if scene.splats is self._splats else None
        layout = self._layout
        self._lane.request(lambda _task: _prepare(scene.splats, request, radii, layout), self._arrived, over=self._over)

    def _over(self) -> None:
        self._ordering = False

    def _arrived(self, ready: Ready) -> None:
        if ready.packed is not None:
            self._packed, self._splats, self._radii = ready.packed, ready.splats, ready.radii
        self._order = ready.order
        self.canvas.update()
        if self._stale:
            self._outdate()

    def _on_draw(self, _event: Any) -> None:
        """Runs with the context current."""
        if self._backend is None:
            self._backend = GLBackend(self._layout)
        if self._scene is None or self._request is None:
            gloo.clear(color=self.palette().window().color().getRgbF())
            return
        if self._upload_piece(self._backend):
            self._backend.present()  # the last picture
            QTimer.singleShot(0, self.canvas.update)
            return
        self._upload_rest(self._backend, self._scene)
        self._backend.draw(self._request)
        self._backend.present()
        self.frames += 1
        self.drawn.emit()

    def _upload_piece(self, backend: GLBackend) -> bool:
        """Send a part of new splats to the GPU; whether there is more to send."""
        if self._packed is not None:
            self._uploading, self._packed = backend.uploading(self._packed), None
        if self._uploading is not None:
            for _ in self._uploading:
                return True
            self._uploading = self._marks = None
        return False

    def _upload_rest(self, backend: GLBackend, scene: Scene) -> None:
        if scene.splats is self._splats and scene.marks is not self._marks:
            self._marks = scene.marks
            backend.set_scalar(scene.marks.scalar, scene.marks.colours, scene.marks.scale)
            backend.set_tint(scene.marks.tint, scene.marks.tint_rgb)
        if self._order is not None:
            backend.upload_order(self._order)
            self._order = None


def _prepare(splats: Splats, request: ViewRequest, radii: F32 | None, layout: Layout) -> Ready:
    packed = pack(splats) if radii is None else None
    if packed is not None and layout == "tex":
        assert packed.geometry is not None  # made here, not at its first use on the GUI thread
    found = reach(splats) if radii is None else radii
    return Ready(splats, found, depth_order(splats.means, found, request.camera), packed)
