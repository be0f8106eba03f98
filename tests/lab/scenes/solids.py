"""The solids of an analytic scene: unit shapes under an affine map, each with a material, packed for the ray tracer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from runs.arrays import F64, Array

Rgb = tuple[float, float, float]
Xyz = tuple[float, float, float]
Shape = Literal["ball", "box", "rod"]
Pattern = Literal["plain", "checker", "stripes", "blotches", "bricks", "sky"]

SHAPES: tuple[Shape, ...] = ("ball", "box", "rod")
PATTERNS: tuple[Pattern, ...] = ("plain", "checker", "stripes", "blotches", "bricks", "sky")

SOLID = np.dtype([
    ("shape", "i8"),  # index into SHAPES
    ("inside", "i8"),  # 1: seen from within, as a room or a dome
    ("pattern", "i8"),  # index into PATTERNS
    ("lit", "i8"),  # 0: shows its colour whatever the light, as a sky
    ("linear", "f8", (3, 3)),  # local from world
    ("offset", "f8", (3,)),
    ("half", "f8", (3,)),  # half sizes along the local axes, world units
    ("centre", "f8", (3,)),
    ("reach2", "f8"),  # squared radius of the ball around it
    ("period", "f8"),  # world units
    ("a", "f8", (3,)), ("b", "f8", (3,)),  # the pattern's two colours
    ("gloss", "f8"), ("shininess", "f8"),
    ("grain", "f8"),  # relative contrast of the fine noise on top of the pattern
], align=True)


@dataclass(frozen=True)
class Material:
    """Two colours in a pattern under fine noise, with a Blinn-Phong highlight."""

    pattern: Pattern
    a: Rgb
    b: Rgb
    period: float = 0.4  # world units
    gloss: float = 0.0
    shininess: float = 40.0
    grain: float = 0.5
    lit: bool = True


@dataclass(frozen=True)
class Solid:
    """A unit ball, box [-1, 1]^3 or rod (z in [-1, 1], radius 1), stretched by `half`, turned and moved to `centre`."""

    shape: Shape
    centre: Xyz
    half: Xyz
    material: Material
    turn_deg: Xyz = (0.0, 0.0, 0.0)  # about x, then y, then z
    inside: bool = False


def pack(solids: Sequence[Solid]) -> Array:
    """SOLID [S], as the kernels read it."""
    table = np.zeros(len(solids), SOLID)
    for row, solid in zip(table, solids, strict=True):
        _pack_place(row, solid)
        _pack_material(row, solid.material)
    return table


def _pack_place(row: np.void, solid: Solid) -> None:
    half, centre = np.array(solid.half, np.float64), np.array(solid.centre, np.float64)
    linear = rotation(solid.turn_deg).T / half[:, None]
    row["shape"], row["inside"] = SHAPES.index(solid.shape), solid.inside
    row["linear"], row["offset"], row["half"], row["centre"] = linear, -linear @ centre, half, centre
    reach = {"ball": half.max(), "box": np.linalg.norm(half), "rod": np.hypot(half[:2].max(), half[2])}
    row["reach2"] = reach[solid.shape] ** 2


def _pack_material(row: np.void, material: Material) -> None:
    row["pattern"], row["lit"] = PATTERNS.index(material.pattern), material.lit
    row["a"], row["b"], row["period"] = material.a, material.b, material.period
    row["gloss"], row["shininess"], row["grain"] = material.gloss, material.shininess, material.grain


def rotation(turn_deg: Xyz) -> F64:
    """float64 [3, 3], world from local: about x, then y, then z."""
    turn = np.eye(3)
    for axis, angle in enumerate(np.radians(turn_deg)):
        step, (i, j) = np.eye(3), ((1, 2), (2, 0), (0, 1))[axis]
        step[i, i] = step[j, j] = np.cos(angle)
        step[j, i], step[i, j] = np.sin(angle), -np.sin(angle)
        turn = step @ turn
    return turn
