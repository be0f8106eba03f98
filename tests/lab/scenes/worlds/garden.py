"""`garden`: a table on a lawn under the sky, with hills far behind: two rings of cameras, no black anywhere."""

from collections.abc import Iterator

import numpy as np

from tests.lab.scenes.layouts import Capture, two_rings
from tests.lab.scenes.solids import Material, Solid
from tests.lab.scenes.world import Plan

STONE = Material("blotches", (0.62, 0.58, 0.52), (0.38, 0.36, 0.34), period=0.2)


def plan(rng: np.random.Generator) -> Plan:
    """Other trees, hills and stones for each seed."""
    return Plan(
        solids=(*_ground(), *_table(), *_trees(rng), *_hills(rng), *(_stone(rng) for _ in range(6))),
        lights=((3.5, -2.5, 6.0, 0.68, 1.0),),
        capture=Capture(two_rings((4.8, 4.0), (1.2, 2.5), (0.0, 0.0, 0.65)), 62, aspect=(4, 3), eye_jitter=0.15),
        ambient=0.42,
        points=2500,
    )


def _ground() -> tuple[Solid, ...]:
    grass = Material("blotches", (0.16, 0.34, 0.10), (0.48, 0.58, 0.22), period=1.0, grain=0.5)
    terrace = Material("checker", (0.50, 0.47, 0.44), (0.76, 0.62, 0.48), period=0.45)
    sky = Material("sky", (0.30, 0.50, 0.85), (0.95, 0.96, 1.0), lit=False, grain=0.0)
    return (
        Solid("rod", (0.0, 0.0, -0.5), (9.2, 9.2, 0.5), grass),
        Solid("rod", (0.0, 0.0, 0.01), (1.9, 1.9, 0.02), terrace, (0.0, 0.0, 20.0)),
        Solid("ball", (0.0, 0.0, 0.0), (9.0, 9.0, 7.5), sky, inside=True),
    )


def _table() -> tuple[Solid, ...]:
    wood = Material("stripes", (0.40, 0.24, 0.12), (0.72, 0.50, 0.28), period=0.14, gloss=0.35, shininess=25)
    vase = Material("blotches", (0.15, 0.25, 0.65), (0.92, 0.92, 0.95), period=0.13, gloss=0.9, shininess=70)
    flower = Material("blotches", (0.85, 0.20, 0.35), (0.98, 0.75, 0.25), period=0.09, grain=0.6)
    return (
        Solid("rod", (0.0, 0.0, 0.72), (0.85, 0.85, 0.05), wood),
        Solid("rod", (0.0, 0.0, 0.36), (0.10, 0.10, 0.34), wood),
        Solid("rod", (0.1, 0.05, 0.95), (0.14, 0.14, 0.18), vase),
        Solid("ball", (0.1, 0.05, 1.28), (0.24, 0.24, 0.20), flower),
        Solid("ball", (-0.42, -0.25, 0.87), (0.11, 0.11, 0.11), flower),
        Solid("box", (-1.25, 0.75, 0.32), (0.32, 0.32, 0.32), wood, (0.0, 0.0, 33.0)),
        Solid("box", (1.15, -0.85, 0.28), (0.28, 0.34, 0.28), STONE, (0.0, 0.0, -20.0)),
    )


def _trees(rng: np.random.Generator) -> Iterator[Solid]:
    bark = Material("stripes", (0.22, 0.14, 0.09), (0.42, 0.30, 0.20), period=0.2)
    leaves = Material("blotches", (0.06, 0.22, 0.06), (0.42, 0.60, 0.18), period=0.5, grain=0.9)
    for angle in np.linspace(0, 2 * np.pi, 7, endpoint=False) + rng.uniform(-0.3, 0.3, 7):
        away, tall = rng.uniform(6.3, 7.0), rng.uniform(0.7, 1.1)
        x, y = float(away * np.cos(angle)), float(away * np.sin(angle))
        yield Solid("rod", (x, y, float(tall)), (0.22, 0.22, float(tall)), bark)
        yield Solid("ball", (x, y, float(2.5 * tall)), (1.0, 1.0, float(rng.uniform(0.8, 1.2))), leaves)


def _hills(rng: np.random.Generator) -> Iterator[Solid]:
    heath = Material("blotches", (0.25, 0.35, 0.30), (0.55, 0.55, 0.45), period=1.2, grain=0.5)
    for angle in np.linspace(0, 2 * np.pi, 6, endpoint=False) + rng.uniform(-0.2, 0.2, 6):
        place = (float(7.8 * np.cos(angle)), float(7.8 * np.sin(angle)), -0.2)
        half = (float(rng.uniform(2.4, 3.4)), 1.0, float(rng.uniform(1.2, 2.0)))
        yield Solid("ball", place, half, heath, (0.0, 0.0, float(np.degrees(angle)) + 90))


def _stone(rng: np.random.Generator) -> Solid:
    angle, away, size = rng.uniform(0, 2 * np.pi), rng.uniform(2.0, 2.8), rng.uniform(0.1, 0.22)
    place = (float(away * np.cos(angle)), float(away * np.sin(angle)), float(0.6 * size))
    return Solid("ball", place, (float(size), float(1.3 * size), float(0.8 * size)), STONE)
