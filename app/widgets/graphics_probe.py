"""Asks this display for an OpenGL context and what it calls itself."""

import os
import platform

from PySide6.QtGui import QGuiApplication, QOffscreenSurface, QOpenGLContext

from render.viewport.choose import SETTING, Choice, Graphics, choose, wanted_from

_GL_RENDERER, _GL_VERSION = 0x1F01, 0x1F02
_WITHOUT_GL = ("offscreen", "minimal", "vnc", "linuxfb")  # Qt platforms that offer no QOpenGLWidget


def chosen_backend() -> Choice:
    """The back-end for this display; the environment variable overrides it."""
    return choose(graphics(), platform.system(), wanted_from(os.environ.get(SETTING)))


def graphics() -> Graphics:
    """What a fresh context says; made and dropped without showing anything."""
    surface, context = QOffscreenSurface(), QOpenGLContext()
    if QGuiApplication.platformName() in _WITHOUT_GL:
        return Graphics(None, None)
    surface.create()
    if not context.create() or not context.makeCurrent(surface):
        return Graphics(None, None)
    functions = context.functions()
    told = Graphics(str(functions.glGetString(_GL_RENDERER)), str(functions.glGetString(_GL_VERSION)))
    context.doneCurrent()
    return told


def match_pyopengl() -> None:
    """PyOpenGL must use the library that Qt uses, and guesses wrongly on mixed desktops; call before it is imported."""
    using = {"wayland": "egl", "xcb": "glx"}.get(QGuiApplication.platformName())
    if using is not None:
        os.environ["PYOPENGL_PLATFORM"] = using
