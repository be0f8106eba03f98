"""Relocation: the MCMC strategy puts dead Gaussians in other places, and adds some, without changing the order of rows.

A relocated row holds a copy of the row it was sampled from (gsplat `strategy/ops.py`, 3dgs-mcmc): same place, colour and
rotation, and the opacity and scales that two on one spot share. Kheradmand et al. 2024.
"""

from dataclasses import dataclass

import numpy as np

from runs.arrays import I64
from runs.gaussians import Gaussians
from runs.lineage.birth_order import Features, nearest_places, unlikeness, with_candidates
from runs.lineage.row_order import unlikeness_by_row

MOVED = 9.0  # squared unlikeness from its earlier self above which a row is somebody else: three sizes away, or another colour
REVIVED = 1.5  # times its earlier opacity: what noise throws about is nearly transparent, and stays so
EARLIER, OPACITY = 1.5, 1.0  # weight of the source as it was, and one unit of difference in logit opacity
KIN = 40.0  # squared unlikeness from the Gaussian it was sampled from, below which a row is a copy


@dataclass(frozen=True, eq=False)
class Relocation:
    """What became of the rows of an earlier state; rows keep their numbers."""

    relocated: I64  # int64 [r], rows that are now copies of another …
    sources: I64  # int64 [r], … row of the earlier state
    moved: I64  # int64, rows that are far from where they were and copies of none: thrown by noise, or learned
    added: I64  # int64 [a], rows of the later state that were not there before …
    added_sources: I64  # int64 [a], … and the row that each is a copy of, -1 where it is like none


def relocation(earlier: Gaussians, later: Gaussians) -> Relocation | None:
    """None where the number of rows fell: MCMC never removes any. Seconds for a million rows.

    Sources are looked for in the later state too: a copy and its source were one there, so they share opacity and scales.
    """
    if later.count < earlier.count or not earlier.count:
        return None
    unlike_itself = unlikeness_by_row(earlier, later)
    changed = np.flatnonzero(~(unlike_itself < MOVED) & (later.opacities[: earlier.count] > REVIVED * earlier.opacities))
    thrown = np.setdiff1d(np.flatnonzero(~(unlike_itself < MOVED)), changed, assume_unique=True)
    stayed = np.flatnonzero(unlike_itself < MOVED)
    added = np.arange(earlier.count, later.count)
    sources = _sources(earlier, later, stayed, np.concatenate([changed, added]))
    copies = sources[: len(changed)] >= 0
    moved = np.sort(np.concatenate([thrown, changed[~copies]]))
    return Relocation(changed[copies], sources[: len(changed)][copies], moved, added, sources[len(changed):])


def _sources(earlier: Gaussians, later: Gaussians, stayed: I64, asked: I64) -> I64:
    """int64 [n]: of the rows that `stayed` the one that each of `asked` is a copy of, -1 for none."""
    if not len(stayed) or not len(asked):
        return np.full(len(asked), -1, np.int64)
    now, before = Features.of(later, stayed), Features.of(earlier, stayed)
    copies = Features.of(later, asked)
    near = nearest_places(copies, now)
    unlike = unlikeness(with_candidates(copies), now.take(near), 0.0, 1.0)
    unlike += unlikeness(with_candidates(copies), before.take(near), 0.0, 1.0) * EARLIER
    opacities = later.logit_opacities[asked][:, None] - later.logit_opacities[stayed][near]
    best = np.argmin(unlike + (opacities / OPACITY) ** 2, axis=1)
    rows = np.arange(len(asked))
    return np.where(unlike[rows, best] < KIN, stayed[near[rows, best]], -1)
