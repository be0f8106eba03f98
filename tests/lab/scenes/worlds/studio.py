"""`studio`: glossy objects on a round floor, black all around, one ring of cameras."""

import numpy as np

from tests.lab.scenes.layouts import Capture, ring
from tests.lab.scenes.solids import Material, Solid
from tests.lab.scenes.world import Plan


def plan(rng: np.random.Generator) -> Plan:
    """The small objects lie elsewhere for each seed."""
    return Plan(
        solids=(*_floor(), *_objects(), *(_pebble(rng) for _ in range(7))),
        lights=((3.0, -2.5, 5.0, 0.62, 1.0), (-4.0, 3.0, 3.0, 0.25, 0.0)),
        capture=Capture(ring(3.8, 0.7, 3.1, (0.0, 0.0, 0.25)), fov_deg=46),
    )


def _floor() -> tuple[Solid, ...]:
    tiles = Material("checker", (0.16, 0.19, 0.30), (0.86, 0.80, 0.68), period=0.48, gloss=0.15, grain=0.35)
    return (Solid("rod", (0.0, 0.0, -0.03), (1.75, 1.75, 0.03), tiles),)


def _objects() -> tuple[Solid, ...]:
    red = Material("checker", (0.75, 0.12, 0.10), (0.30, 0.04, 0.05), period=0.24, gloss=0.9, shininess=60)
    blue = Material("blotches", (0.10, 0.22, 0.70), (0.75, 0.82, 0.95), period=0.22, gloss=0.7, shininess=80)
    gold = Material("stripes", (0.85, 0.62, 0.12), (0.25, 0.15, 0.08), period=0.17, gloss=0.2)
    clay = Material("bricks", (0.80, 0.76, 0.70), (0.70, 0.30, 0.18), period=0.28)
    green = Material("stripes", (0.12, 0.45, 0.20), (0.60, 0.85, 0.40), period=0.15, gloss=0.5, shininess=30)
    return (
        Solid("ball", (0.55, 0.35, 0.42), (0.42, 0.42, 0.42), red),
        Solid("ball", (-0.20, -0.70, 0.30), (0.30, 0.30, 0.30), blue),
        Solid("box", (-0.65, 0.45, 0.33), (0.30, 0.24, 0.33), gold, (0.0, 0.0, 28.0)),
        Solid("rod", (0.75, -0.55, 0.40), (0.17, 0.17, 0.40), clay),
        Solid("ball", (-0.95, -0.30, 0.20), (0.28, 0.18, 0.20), green, (0.0, 0.0, 50.0)),
        Solid("box", (0.05, 0.05, 0.62), (0.06, 0.06, 0.62), green, (0.0, 0.0, 15.0)),
    )


def _pebble(rng: np.random.Generator) -> Solid:
    angle, away, size = rng.uniform(0, 2 * np.pi), rng.uniform(0.5, 1.5), rng.uniform(0.06, 0.12)
    tint = rng.uniform(0.2, 0.95, 3)
    shade = Material("blotches", (float(tint[0]), float(tint[1]), float(tint[2])), (0.15, 0.15, 0.15), period=0.14, gloss=0.4)
    place = (float(away * np.cos(angle)), float(away * np.sin(angle)), float(size))
    return Solid("ball", place, (float(size), float(size), float(size)), shade)
