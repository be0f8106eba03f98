"""Surfaces: widgets that show the splats; here the software one, and what the panel asks of any of them."""

import time
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from PySide6.QtCore import QRect, QTimer, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.lanes import Latest
from render.splats import Splats
from render.viewport.appearance import Marks
from render.viewport.backend import ViewRequest
from render.viewport.software import picture
from runs.arrays import U8

STILL_MS = 150  # after the last motion the full picture is made
MOVING_PX = 640 * 360  # most pixels of a picture while the camera moves: 42 ms at 100,000 splats on two idle cores
LEAST_PX = 200 * 112  # fewer show nothing, and the splats themselves then take most of the time
MOVING_S = 0.08  # what a picture may take while the camera moves, before the next one gets fewer pixels


@dataclass(frozen=True, eq=False)
class Scene:
    """What is drawn, whatever the view."""

    splats: Splats
    marks: Marks


class Surface(Protocol):
    """A widget that draws off the GUI thread as far as its back-end allows. `frames` counts pictures shown."""

    frames: int

    def show_scene(self, scene: Scene | None) -> None:
        """Other splats or other marks; the last view is drawn again. None shows nothing."""

    def show_view(self, request: ViewRequest, moving: bool) -> None:
        """Another camera or mode; while `moving`, speed comes before detail."""

    def settled(self) -> bool:
        """Whether the picture on screen is the final one of the last request."""

    def close_lanes(self) -> None:
        """Wait for the workers; nothing is drawn afterwards."""


class SoftwareSurface(QWidget):
    """The CPU rasteriser's picture: small while the camera moves, full when it is still."""

    drawn = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.frames = 0
        self._scene: Scene | None = None
        self._wanted: tuple[Scene, ViewRequest] | None = None  # newest that is not being drawn yet
        self._request: ViewRequest | None = None
        self._image: QImage | None = None
        self._drawing = False
        self._closed = False
        self._moving_px: float = MOVING_PX
        self._lane = Latest("draw", self)
        self._still = QTimer(self, singleShot=True, interval=STILL_MS)
        self._still.timeout.connect(self._come_to_rest)

    def show_scene(self, scene: Scene | None) -> None:
        self._scene = scene
        if scene is None:
            self._lane.cancel()
            self._image = self._wanted = None
            self._drawing = False
            self.update()
        elif self._request is not None:
            self._want(self._request)

    def show_view(self, request: ViewRequest, moving: bool) -> None:
        self._request = request
        if moving:
            self._want(smaller(request, self._moving_px))
            self._still.start()
        else:
            self._draw_full()

    def settled(self) -> bool:
        return not (self._drawing or self._still.isActive())

    def close_lanes(self) -> None:
        self._closed = True
        self._still.stop()
        self._lane.close()

    def _come_to_rest(self) -> None:
        if self.isVisible():  # a window that was closed in motion has ended its lanes
            self._draw_full()

    def _draw_full(self) -> None:
        self._still.stop()
        if self._request is not None:
            self._want(self._request)

    def _want(self, request: ViewRequest) -> None:
        """One picture at a time, then the newest wanted: a lane alone would drop every picture of a steady drag."""
        if self._scene is None or self._closed:
            return
        self._wanted = (self._scene, request)
        if not self._drawing:
            self._start()

    def _start(self) -> None:
        if self._wanted is None:
            return
        (scene, request), self._wanted = self._wanted, None
        self._drawing = True
        self._lane.request(lambda _task: _timed(scene, request), self._arrived, over=self._over)

    def _over(self) -> None:
        self._drawing = False

    def _arrived(self, answer: tuple[U8, float]) -> None:
        pixels, took_s = answer
        if self._still.isActive():
            self._moving_px = affordable(pixels.shape[0] * pixels.shape[1], took_s)
        self._image = to_image(pixels)
        self.frames += 1
        self.update()
        self.drawn.emit()
        self._start()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if self._image is None:
            painter.fillRect(self.rect(), self.palette().window())
        else:
            painter.drawImage(QRect(0, 0, self.width(), self.height()), self._image)
        painter.end()


def _timed(scene: Scene, request: ViewRequest) -> tuple[U8, float]:
    start = time.perf_counter()
    return picture(scene.splats, scene.marks, request), time.perf_counter() - start


def affordable(pixels: int, took_s: float) -> float:
    """Pixels of the next picture in motion, after one of `pixels` took `took_s`; half a step in logarithms, against jitter."""
    return float(np.clip(pixels * np.sqrt(MOVING_S / max(took_s, 1e-4)), LEAST_PX, MOVING_PX))


def smaller(request: ViewRequest, most_px: float = MOVING_PX) -> ViewRequest:
    """The same view with at most `most_px` pixels."""
    width, height = request.camera.size_px
    scale = min(1.0, float(np.sqrt(most_px / (width * height))))
    return replace(request, camera=request.camera.resized((max(round(width * scale), 1), max(round(height * scale), 1))))


def to_image(pixels: U8) -> QImage:
    """A QImage that owns its pixels, from uint8 [H, W, 3]."""
    height, width, _ = pixels.shape
    return QImage(np.ascontiguousarray(pixels).tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888).copy()
