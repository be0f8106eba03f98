"""The GL programs: shader texts of the package, put together for each data layout."""

import logging
from importlib.resources import files
from typing import Any, Literal

import numpy as np
from vispy import gloo

Layout = Literal["gtex", "tex"]

# Compatibility profile: gloo has no vertex array objects. 3.30 is the least with geometry shaders and texelFetch.
_VERSION = "#version 330\n"
# gloo takes the built-in for an attribute that nobody set, and says so at every start.
logging.getLogger("vispy").addFilter(lambda record: "gl_VertexID" not in record.getMessage())
_CORNERS = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float32)


def splat_program(layout: Layout) -> Any:
    """The program that blends splats into the float frame buffer."""
    program = gloo.Program()
    if layout == "gtex":
        program.set_shaders(_common("splat_points.vert"), _plain("splat.frag"), _plain("splat_points.geom"))
    else:
        program.set_shaders(_common("splat_quads.vert"), _plain("splat.frag"))
        program["a_corner"] = gloo.VertexBuffer(_CORNERS)
    return program


def resolve_program() -> Any:
    """The program that turns the sums of the float frame buffer into a picture."""
    program = gloo.Program()
    program.set_shaders(_plain("resolve.vert"), _plain("resolve.frag"))
    program["a_corner"] = gloo.VertexBuffer(_CORNERS)
    return program


def _plain(name: str) -> str:
    return _VERSION + _text(name)


def _common(name: str) -> str:
    return _VERSION + _text("splat_common") + _text(name)


def _text(name: str) -> str:
    return (files("resources") / "shaders" / f"{name}.glsl").read_text(encoding="utf-8")
