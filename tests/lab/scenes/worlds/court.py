"""`court`: a walled courtyard photographed from within, so that every pixel shows something."""

import numpy as np

from tests.lab.scenes.layouts import Capture, arc
from tests.lab.scenes.solids import Material, Solid
from tests.lab.scenes.world import Plan

WALL = 9.0  # half the side of the yard, world units


def plan(rng: np.random.Generator) -> Plan:
    """The pots stand elsewhere for each seed."""
    return Plan(
        solids=(*_yard(), *_fountain(), *_furniture(), *(_pot(rng, k) for k in range(6))),
        lights=((5.0, -6.5, 10.5, 0.70, 1.0), (-6.0, 6.0, 14.0, 0.18, 0.0)),
        capture=Capture(arc(7.2, 1.8, 5.2, (0.0, 0.6, 1.3), 195.0, 150.0), 68, eye_jitter=0.25, target_jitter=0.2),
        ambient=0.4,
        points=2000,
    )


def _yard() -> tuple[Solid, ...]:
    paving = Material("checker", (0.50, 0.46, 0.42), (0.72, 0.69, 0.62), period=1.4, grain=0.45)
    brick = Material("bricks", (0.78, 0.74, 0.68), (0.64, 0.29, 0.20), period=1.0)
    plaster = Material("blotches", (0.86, 0.78, 0.58), (0.70, 0.60, 0.42), period=1.3, grain=0.4)
    sky = Material("sky", (0.32, 0.50, 0.80), (0.93, 0.95, 0.98), lit=False, grain=0.0)
    return (
        Solid("box", (0.0, 0.0, -0.1), (WALL, WALL, 0.1), paving),
        Solid("box", (0.0, WALL, 3.2), (WALL, 0.2, 3.2), brick),
        Solid("box", (-WALL, 0.0, 2.2), (0.2, WALL, 2.2), plaster),
        Solid("box", (WALL, 0.0, 2.9), (0.2, WALL, 2.9), plaster, (0.0, 0.0, 4.0)),
        Solid("box", (0.0, -WALL, 2.6), (WALL, 0.2, 2.6), brick),
        Solid("ball", (0.0, 0.0, 0.0), (13.5, 13.5, 13.5), sky, inside=True),
    )


def _fountain() -> tuple[Solid, ...]:
    stone = Material("blotches", (0.60, 0.60, 0.62), (0.85, 0.84, 0.80), period=0.35, gloss=0.1)
    water = Material("blotches", (0.10, 0.35, 0.42), (0.35, 0.65, 0.72), period=0.4, gloss=0.9, shininess=50)
    bronze = Material("stripes", (0.35, 0.24, 0.12), (0.65, 0.48, 0.22), period=0.2, gloss=0.8, shininess=25)
    return (
        Solid("rod", (0.0, 0.8, 0.35), (1.9, 1.9, 0.35), stone),
        Solid("rod", (0.0, 0.8, 0.36), (1.6, 1.6, 0.37), water),
        Solid("rod", (0.0, 0.8, 1.0), (0.28, 0.28, 1.0), stone),
        Solid("rod", (0.0, 0.8, 1.9), (0.9, 0.9, 0.10), stone),
        Solid("ball", (0.0, 0.8, 2.5), (0.55, 0.55, 0.55), bronze),
    )


def _furniture() -> tuple[Solid, ...]:
    wood = Material("stripes", (0.42, 0.26, 0.14), (0.68, 0.46, 0.26), period=0.18)
    door = Material("stripes", (0.10, 0.28, 0.30), (0.20, 0.48, 0.46), period=0.4, gloss=0.2)
    window = Material("checker", (0.12, 0.14, 0.18), (0.85, 0.85, 0.80), period=0.45, gloss=0.6)
    return (
        Solid("box", (-4.6, 5.6, 0.55), (1.7, 0.5, 0.12), wood, (0.0, 0.0, 14.0)),
        Solid("box", (-4.6, 6.2, 1.2), (1.7, 0.08, 0.5), wood, (0.0, 0.0, 14.0)),
        Solid("box", (3.6, WALL - 0.2, 1.7), (1.0, 0.15, 1.7), door),
        Solid("box", (-2.4, WALL - 0.2, 3.2), (1.0, 0.12, 0.9), window),
        Solid("box", (-WALL + 0.2, 2.5, 2.6), (0.12, 1.1, 0.9), window),
    )


def _pot(rng: np.random.Generator, number: int) -> Solid:
    """Round pots along the back and side walls."""
    leaf = Material("blotches", (0.08, 0.30, 0.08), (0.45, 0.65, 0.20), period=0.25, grain=0.8)
    clay = Material("stripes", (0.70, 0.36, 0.22), (0.50, 0.24, 0.15), period=0.22, gloss=0.25)
    x, y, size = -7.0 + 2.8 * number + rng.uniform(-0.5, 0.5), rng.uniform(3.5, 7.5), rng.uniform(0.5, 0.9)
    place = (float(x), float(y), float(size))
    if number % 2:
        return Solid("ball", place, (float(size), float(size), float(size)), leaf)
    return Solid("rod", place, (float(0.7 * size), float(0.7 * size), float(size)), clay)
