"""`statue`: one figure cut out of its background, photographed from a full sphere; photos are RGBA."""

import numpy as np

from tests.lab.scenes.layouts import Capture, spiral
from tests.lab.scenes.solids import Material, Solid
from tests.lab.scenes.world import Plan

MARBLE = Material("blotches", (0.94, 0.90, 0.82), (0.46, 0.42, 0.46), period=0.22, gloss=0.5, shininess=35)
ROBE = Material("stripes", (0.55, 0.16, 0.18), (0.88, 0.72, 0.45), period=0.13, gloss=0.3)
BRONZE = Material("checker", (0.42, 0.28, 0.12), (0.20, 0.42, 0.36), period=0.1, gloss=0.9, shininess=50)


def plan(rng: np.random.Generator) -> Plan:
    """The figure holds its arms and head another way for each seed."""
    lean = float(rng.uniform(-8, 8))
    return Plan(
        solids=(*_plinth(), *_body(lean), *_arms(rng), *_head(lean)),
        lights=((2.5, -2.0, 3.5, 0.65, 1.0), (-3.0, 2.5, 1.0, 0.35, 0.0), (0.5, 0.5, -4.0, 0.40, 0.0)),
        capture=Capture(spiral(3.0, 6.3, (0.0, 0.0, 0.05)), 40, aspect=(3, 4), eye_jitter=0.08, target_jitter=0.03),
        ambient=0.48,
        matted=True,
    )


def _plinth() -> tuple[Solid, ...]:
    granite = Material("bricks", (0.26, 0.26, 0.32), (0.78, 0.66, 0.60), period=0.24, gloss=0.3)
    return (
        Solid("box", (0.0, 0.0, -0.80), (0.42, 0.42, 0.12), granite),
        Solid("box", (0.0, 0.0, -0.60), (0.34, 0.34, 0.10), MARBLE, (0.0, 0.0, 8.0)),
    )


def _body(lean: float) -> tuple[Solid, ...]:
    return (
        Solid("ball", (0.0, 0.0, -0.18), (0.30, 0.26, 0.38), ROBE, (0.0, lean, 0.0)),
        Solid("ball", (0.0, 0.0, 0.26), (0.25, 0.18, 0.30), MARBLE, (0.0, lean, 0.0)),
        Solid("rod", (0.0, 0.0, 0.05), (0.265, 0.215, 0.04), BRONZE, (0.0, lean, 0.0)),
    )


def _arms(rng: np.random.Generator) -> tuple[Solid, ...]:
    raised, swing = float(rng.uniform(35, 60)), float(rng.uniform(-15, 15))
    return (
        Solid("rod", (0.30, 0.0, 0.50), (0.06, 0.06, 0.24), MARBLE, (swing, raised, 0.0)),
        Solid("rod", (-0.27, 0.05, 0.20), (0.06, 0.06, 0.25), MARBLE, (0.0, -14.0, 0.0)),
        Solid("rod", (0.48, -0.02, 0.45), (0.018, 0.018, 0.55), BRONZE, (4.0, 0.0, 0.0)),
        Solid("ball", (-0.35, 0.07, -0.08), (0.11, 0.11, 0.11), BRONZE),
    )


def _head(lean: float) -> tuple[Solid, ...]:
    side = float(np.radians(lean)) * 0.6
    return (
        Solid("ball", (side, -0.02, 0.68), (0.14, 0.15, 0.18), MARBLE),
        Solid("rod", (side, -0.02, 0.80), (0.17, 0.17, 0.035), BRONZE),
    )
