"""`shelf`: many thin boxes and rods on boards, photographed from the front only; world units are decimetres."""

from collections.abc import Iterator

import numpy as np

from tests.lab.scenes.layouts import Capture, arc
from tests.lab.scenes.solids import Material, Pattern, Rgb, Solid
from tests.lab.scenes.world import Plan

HALF_WIDTH, DEPTH, BOARDS = 7.0, 1.5, (0.3, 3.7, 7.1, 10.5)
PATTERNS: tuple[Pattern, ...] = ("stripes", "blotches", "checker", "bricks")


def plan(rng: np.random.Generator) -> Plan:
    """Other books and bottles for each seed."""
    rows = [solid for board in BOARDS[:3] for solid in _row(rng, board + 0.15)]
    return Plan(
        solids=(*_room(), *_case(), *rows),
        lights=((-9.0, -22.0, 20.0, 0.60, 1.0), (14.0, -18.0, 9.0, 0.22, 0.0)),
        capture=Capture(arc(20.0, 1.5, 11.5, (0.0, 0.0, 5.2), 218.0, 104.0), 46, eye_jitter=0.5, target_jitter=0.4),
        ambient=0.38,
    )


def _room() -> tuple[Solid, ...]:
    wall = Material("blotches", (0.80, 0.80, 0.74), (0.56, 0.62, 0.60), period=2.1, grain=0.35)
    planks = Material("stripes", (0.44, 0.30, 0.18), (0.62, 0.44, 0.28), period=1.3, gloss=0.3, shininess=15)
    return (
        Solid("box", (0.0, 2.2, 14.0), (45.0, 0.3, 16.0), wall),
        Solid("box", (0.0, -18.0, -0.2), (45.0, 21.0, 0.2), planks),
    )


def _case() -> tuple[Solid, ...]:
    wood = Material("stripes", (0.30, 0.17, 0.09), (0.50, 0.31, 0.17), period=0.5, gloss=0.25, shininess=20)
    back = Material("blotches", (0.22, 0.20, 0.24), (0.42, 0.38, 0.36), period=0.7)
    return (
        Solid("box", (0.0, DEPTH, 5.4), (HALF_WIDTH, 0.1, 5.3), back),
        *(Solid("box", (side * HALF_WIDTH, 0.0, 5.4), (0.2, DEPTH, 5.4), wood) for side in (-1.0, 1.0)),
        *(Solid("box", (0.0, 0.0, board), (HALF_WIDTH, DEPTH, 0.15), wood) for board in BOARDS),
    )


def _row(rng: np.random.Generator, foot: float) -> Iterator[Solid]:
    """Books side by side, with a bottle or a ball now and then."""
    x = -HALF_WIDTH + 0.5
    while x < HALF_WIDTH - 1.2:
        kind = rng.random()
        half = float(rng.uniform(0.16, 0.42)) if kind < 0.7 else float(rng.uniform(0.3, 0.55))
        yield _thing(rng, kind, x + half, foot, half)
        x += 2 * half + float(rng.uniform(0.03, 0.25))


def _thing(rng: np.random.Generator, kind: float, x: float, foot: float, half: float) -> Solid:
    tall, y = float(rng.uniform(0.9, 1.5)), float(rng.uniform(-0.7, 0.1))
    if kind < 0.7:
        return Solid("box", (x, y, foot + tall), (half, 0.75, tall), _cover(rng, 0.1), (0.0, float(rng.normal(0, 1.5)), 0.0))
    if kind < 0.88:
        return Solid("rod", (x, y - 0.2, foot + 0.8 * tall), (half, half, 0.8 * tall), _cover(rng, 0.8))
    return Solid("ball", (x, y - 0.2, foot + half), (half, half, half), _cover(rng, 0.8))


def _cover(rng: np.random.Generator, gloss: float) -> Material:
    return Material(PATTERNS[rng.integers(4)], _tint(rng), _tint(rng), period=float(rng.uniform(0.3, 0.8)), gloss=gloss)


def _tint(rng: np.random.Generator) -> Rgb:
    red, green, blue = 0.65 * rng.uniform(0.05, 0.95, 3) + 0.35 * rng.uniform(0.05, 0.95)
    return float(red), float(green), float(blue)
