"""Whether stored numbers lie in the space that everybody takes them for, or as they are meant: statistics of bare columns."""

import numpy as np

from diagnostics.measures.shares import quantile
from runs.arrays import Array

LARGEST_BYTE = 255.0
FAINT_COLOUR = 0.25  # of a channel: sets of colours have darker ones, DC coefficients within 0..1 stand for 0.5 to 0.78 only
BRIGHT_COLOUR = 0.6
WIDE = 0.5  # of the middle nine tenths: logits from 0 to 0.5 are opacities of 0.5 to 0.62, and a fresh set has one for all


def in_unit_range(stored: Array) -> bool:
    """Whether all finite values lie within 0..1 and are spread there, as opacities and colours are, and logits are not."""
    return _within_one(stored) and quantile(stored, 0.95) - quantile(stored, 0.05) > WIDE


def are_positive(stored: Array) -> bool:
    """Whether no finite value is below zero, as with lengths; logarithms of lengths are, unless all are longer than one unit."""
    known = stored[np.isfinite(stored)]
    return bool(known.size and known.min() >= 0 and known.max() > known.min())


def are_colours(stored: Array) -> bool:
    """Whether DC coefficients [N, 3] are plain colours of 0..1: dark ones and bright ones, and none below zero."""
    return _within_one(stored) and quantile(stored, 0.05) < FAINT_COLOUR and quantile(stored, 0.95) > BRIGHT_COLOUR


def are_bytes(stored: Array) -> bool:
    """Whether DC coefficients [N, 3] are colours of 0..255: none below zero, and far beyond what harmonics hold."""
    known = stored[np.isfinite(stored)]
    return bool(known.size and known.min() >= 0 and known.max() <= LARGEST_BYTE and np.median(known) > 1
                and quantile(known, 0.95) > LARGEST_BYTE / 10)


def largest_component(quats: Array) -> Array:
    """float64 [4], share of rows whose largest component, in size, is this one."""
    known = quats[np.isfinite(quats).all(axis=1) & (quats != 0).any(axis=1)]
    counts = np.bincount(np.abs(known).argmax(axis=1), minlength=4) if len(known) else np.zeros(4)
    return np.asarray(counts / max(1, len(known)), np.float64)


def _within_one(stored: Array) -> bool:
    known = stored[np.isfinite(stored)]
    return bool(known.size and known.min() >= 0 and known.max() <= 1)


def unit_share(group: Array, tolerance: float = 0.01) -> float:
    """0..1, rows of [N, 4] whose length is one and which are not all the same; 0 for an empty group."""
    known = group[np.isfinite(group).all(axis=1)]
    if not len(known) or float(np.ptp(known, axis=0).max()) < tolerance:
        return 0.0
    return float(np.mean(np.abs(np.linalg.norm(known, axis=1) - 1) < tolerance)) * len(known) / len(group)
