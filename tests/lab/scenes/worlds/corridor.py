"""`corridor`: a walk along a hall, all cameras looking ahead from a weaving path."""

from collections.abc import Iterator

import numpy as np

from tests.lab.scenes.layouts import Capture, walk
from tests.lab.scenes.solids import Material, Solid
from tests.lab.scenes.world import Plan

HALF_WIDTH, HEIGHT, END = 2.3, 3.0, 8.8


def plan(rng: np.random.Generator) -> Plan:
    """Crates and pictures elsewhere for each seed."""
    lamps = tuple((0.0, y, HEIGHT - 0.25, 0.24, 1.0) for y in (1.0, 4.0, 7.5))
    return Plan(
        solids=(*_hall(), *_pillars(), *_pictures(rng), *(_crate(rng, k) for k in range(6))),
        lights=lamps,
        capture=Capture(walk(1.5, 3.2, (0.8, 2.2), 4.5), 66, eye_jitter=0.08, target_jitter=0.15),
        ambient=0.5,
        points=2000,
    )


def _hall() -> tuple[Solid, ...]:
    tiles = Material("checker", (0.24, 0.22, 0.24), (0.78, 0.74, 0.66), period=0.6, gloss=0.5, shininess=60)
    brick = Material("bricks", (0.72, 0.70, 0.66), (0.55, 0.34, 0.26), period=0.55)
    panel = Material("stripes", (0.28, 0.42, 0.40), (0.62, 0.70, 0.60), period=0.5, grain=0.6)
    ceiling = Material("blotches", (0.82, 0.80, 0.74), (0.56, 0.56, 0.56), period=0.8)
    door = Material("blotches", (0.55, 0.18, 0.12), (0.82, 0.42, 0.20), period=0.35, gloss=0.3)
    middle = END / 2 - 1.5
    return (
        Solid("box", (0.0, middle, -0.1), (HALF_WIDTH, END / 2 + 2, 0.1), tiles),
        Solid("box", (0.0, middle, HEIGHT + 0.1), (HALF_WIDTH, END / 2 + 2, 0.1), ceiling),
        Solid("box", (-HALF_WIDTH, middle, HEIGHT / 2), (0.1, END / 2 + 2, HEIGHT / 2 + 0.2), brick),
        Solid("box", (HALF_WIDTH, middle, HEIGHT / 2), (0.1, END / 2 + 2, HEIGHT / 2 + 0.2), panel),
        Solid("box", (0.0, END, HEIGHT / 2), (HALF_WIDTH, 0.1, HEIGHT / 2 + 0.2), ceiling),
        Solid("box", (0.1, END - 0.12, 1.05), (0.6, 0.06, 1.05), door),
    )


def _pillars() -> Iterator[Solid]:
    marble = Material("blotches", (0.80, 0.78, 0.82), (0.40, 0.38, 0.46), period=0.3, gloss=0.8, shininess=50)
    brass = Material("stripes", (0.75, 0.58, 0.20), (0.45, 0.32, 0.10), period=0.08, gloss=0.9)
    for y in (3.6, 6.4):
        for side in (-1.75, 1.75):
            yield Solid("rod", (side, y, HEIGHT / 2), (0.16, 0.16, HEIGHT / 2), marble)
            yield Solid("rod", (side, y, 0.18), (0.22, 0.22, 0.18), brass)


def _pictures(rng: np.random.Generator) -> Iterator[Solid]:
    for k, y in enumerate((2.4, 4.9, 7.7)):
        tint = rng.uniform(0.2, 0.95, 3)
        paint = Material("blotches", (float(tint[0]), float(tint[1]), float(tint[2])), (0.12, 0.16, 0.3), period=0.2, grain=0.3)
        side = HALF_WIDTH - 0.1 if k % 2 else 0.1 - HALF_WIDTH
        yield Solid("box", (side, y + float(rng.uniform(-0.3, 0.3)), 1.55), (0.04, 0.5, 0.38), paint)


def _crate(rng: np.random.Generator, number: int) -> Solid:
    wood = Material("stripes", (0.50, 0.34, 0.18), (0.76, 0.58, 0.34), period=0.16)
    blue = Material("checker", (0.14, 0.26, 0.58), (0.78, 0.80, 0.86), period=0.18, gloss=0.6)
    side, size = (-1.0 if number % 2 else 1.0) * rng.uniform(0.5, 1.3), rng.uniform(0.16, 0.30)
    place = (float(side), float(4.0 + 0.9 * number + rng.uniform(-0.2, 0.2)), float(size))
    half = (float(size), float(size), float(size))
    if number % 3 == 0:
        return Solid("ball", place, half, blue)
    return Solid("box", place, half, wood, (0.0, 0.0, float(rng.uniform(0, 45))))
