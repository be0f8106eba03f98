"""Positions far from the origin, in map coordinates: as float32 they would lose their digits, so the place is subtracted."""

from dataclasses import replace

import numpy as np

from runs.formats.ply.body import Rows, read_properties

MEANS = ("x", "y", "z")
NO_ORIGIN = (0.0, 0.0, 0.0)
FAR = 1e5  # world units; float32 steps by 0.008 there
GRID = 10_000.0  # so that the saves of one run agree on the place; within it float32 steps by 0.001 or less
SAMPLED_ROWS = 512
FAR_AWAY = (
    "stores positions in map coordinates: ({}) was subtracted from x, y, z so that they keep their digits; subtract the same "
    "from whatever they are compared with"
)


def far_origin(rows: Rows) -> tuple[float, ...]:
    """What to subtract from x, y, z: (0, 0, 0) unless they are stored as doubles around a place beyond `FAR`.

    A look at the first rows, and only where there are doubles. Raises UnreadableFile.
    """
    codes = {p.name: p.code for p in rows.element.properties}
    if "f8" not in {codes[name] for name in MEANS} or not rows.element.count:
        return NO_ORIGIN
    sample = replace(rows, element=replace(rows.element, count=min(SAMPLED_ROWS, rows.element.count)))
    xyz = read_properties(sample, MEANS, np.float64)
    known = xyz[np.isfinite(xyz).all(axis=1)]
    if not len(known):
        return NO_ORIGIN
    middle = np.median(known, axis=0)
    if np.abs(middle).max() <= FAR:
        return NO_ORIGIN
    return tuple(float(at) for at in np.round(middle / GRID) * GRID)
