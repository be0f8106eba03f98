"""Canonical series: one name, one unit and one order for what every trainer and every file calls differently."""

from collections.abc import Mapping, Sequence

import numpy as np

from runs.arrays import F64, I64
from runs.series import Series

# Unit by canonical name, or by the part of the name before or after its slash.
UNITS: Mapping[str, str] = {
    **dict.fromkeys(("num_gaussians", "num_anchors", "visible", "tile_pairs"), "count"),
    **dict.fromkeys(("densify/cloned", "densify/split", "densify/pruned", "densify/relocated", "densify/added"), "count"),
    "psnr": "dB", "iter_time": "ms", "iter_rate": "it/s", "vram": "MB", "vram_reserved": "MB", "lr/xyz": "world units",
}

# What a file logs under a name that we do not know keeps that name, under this prefix.
RAW = "raw/"


def unit_of(name: str) -> str:
    """The unit of a canonical series; "" for losses, scores and anything unknown."""
    if name.startswith(RAW):
        return ""
    return UNITS.get(name) or UNITS.get(name.rpartition("/")[2], "")


def make_series(
    name: str, iterations: Sequence[int] | I64, values: Sequence[float] | F64, source: str, labels: tuple[str, ...] = (),
) -> Series:
    """A series in order of iteration. Of several values at one iteration the last given stays: a restart repeats some."""
    steps = np.asarray(iterations, np.int64)
    order = np.argsort(steps, kind="stable")
    last = np.flatnonzero(np.append(np.diff(steps[order]) != 0, True)) if len(order) else order
    kept = order[last]
    return Series(name, steps[kept], np.asarray(values, np.float64)[kept], unit_of(name), source, labels)


def appended(series: Series, more: Series) -> Series:
    """Both, where the values of `more` were logged later."""
    iterations = np.concatenate([series.iterations, more.iterations])
    return make_series(series.name, iterations, np.concatenate([series.values, more.values]), series.source)


def merge(*preferred_first: Mapping[str, Series]) -> dict[str, Series]:
    """One series per name from several files. Where two files hold a value at one iteration, the earlier argument's stays.

    Values from different files join into one series whose source names each file that gave a value. Categorical
    series are not joined: the first is taken.
    """
    merged: dict[str, Series] = {}
    for series in (series for group in preferred_first for series in group.values()):
        known = merged.get(series.name)
        merged[series.name] = series if known is None else _joined(known, series)
    return merged


def _joined(first: Series, second: Series) -> Series:
    new = ~np.isin(second.iterations, first.iterations)
    if first.labels or second.labels or not new.any():
        return first
    iterations = np.concatenate([first.iterations, second.iterations[new]])
    values = np.concatenate([first.values, second.values[new]])
    return make_series(first.name, iterations, values, f"{first.source}, {second.source}")
