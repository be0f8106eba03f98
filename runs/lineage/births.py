"""Whose child a newborn Gaussian is: clones and halves of a split inherit colour, shape and rotation, exactly so at birth."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from runs.arrays import F32, F64, I64, Array, Mask
from runs.gaussians import Gaussians
from runs.lineage.birth_order import parents_in_order
from runs.lineage.trace import Lineage

ASKED = 10_000  # newborns whose parent is looked for, evenly spread
CANDIDATES = 32  # earlier Gaussians around a newborn: on a surface, all within some three sizes
# One unit of unlikeness: SH units of base colour, logarithm of the ratio of two axes, difference of unit quaternions, and
# distance in sizes of the candidate (halves of a split lie 1.5 sizes away in the middle).
COLOUR, SHAPE, ROTATION, DISTANCE = 0.5, 0.5, 0.5, 2.0


@dataclass(frozen=True, eq=False)
class Births:
    """Newborns and the earlier Gaussian each is most like."""

    child: I64  # int64 [n], rows of the later state
    parent: I64  # int64 [n], rows of the earlier state
    survives: Mask  # bool [n], the parent still exists: then the child is its clone, else half of a split
    siblings: I64  # int64 [n], how many of the asked newborns have this parent, itself included
    all_asked: bool  # else the siblings of most were not asked
    sure: Mask  # bool [n], told by the order of newborns, or by an exact copy; the other parents are only the most alike


def births_of(
    lineage: Lineage, earlier: Gaussians, later: Gaussians, *, most: int | None = None, only_sure: bool = False,
) -> Births:
    """Parents of some `most` (else ASKED) of the newborns; those without a finite row are left out. Seconds for a million rows.

    Right for 98 % or more where one densification lies between, of which the order of newborns tells; for 40-70 % after several.
    """
    usable = _finite(earlier)
    candidates, newborn = np.flatnonzero(usable), lineage.newborn[_finite(later)[lineage.newborn]]
    if not len(candidates) or not len(newborn):
        return nobody()
    stayed, gone = (rows[usable[rows]] for rows in (lineage.before, lineage.gone))
    most = ASKED if most is None else most
    asked, parent = parents_in_order(earlier, stayed, gone, later, newborn, most) or _unordered(newborn, most)
    complete = len(asked) == len(newborn)
    exact = _same(earlier, candidates, later, asked)  # nothing was learned in between: surer than any order
    parent = np.where(exact >= 0, exact, parent)
    sure = parent >= 0
    if only_sure:
        asked, parent, sure = asked[sure], parent[sure], sure[sure]
    else:
        parent[~sure] = _most_like(earlier, candidates, later, asked[~sure])
    siblings = np.bincount(parent, minlength=1)[parent]
    return Births(asked, parent, lineage.survive(parent), siblings, complete, sure)


def nobody() -> Births:
    """No newborn was asked for."""
    none = np.zeros(0, np.int64)
    return Births(none, none, np.zeros(0, bool), none, True, np.zeros(0, bool))


def _unordered(newborn: I64, most: int) -> tuple[I64, I64]:
    """The newborns to ask for, and nobody's parent known."""
    asked = newborn if len(newborn) <= most else newborn[np.linspace(0, len(newborn) - 1, most).astype(np.int64)]
    return asked, np.full(len(asked), -1, np.int64)


def _same(earlier: Gaussians, candidates: I64, later: Gaussians, asked: I64) -> I64:
    """int64 [n]: the only candidate with exactly the same colour and rotation, wherever it lies; -1 where there is none."""
    if not len(asked):
        return asked
    old, new = _inherited(earlier)[candidates], _inherited(later)[asked]
    keys, wanted = _key(old), _key(new)
    order = np.argsort(keys, kind="stable")
    first, after = (np.searchsorted(keys, wanted, side, sorter=order) for side in ("left", "right"))
    holder = order[np.minimum(first, len(order) - 1)]
    known = (after - first == 1) & (old[holder] == new).all(axis=1)
    return np.where(known, candidates[holder], -1)


def _inherited(gaussians: Gaussians) -> F32:
    """float32 [N, 7]: what a newborn has exactly as its parent, be it a clone or half of a split."""
    return np.concatenate([gaussians.sh0, gaussians.quats_wxyz], axis=1)


def _key(values: F32) -> Array:
    """uint64 [n] from the bits of each row: equal rows have equal keys, others hardly ever."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    odd = np.random.default_rng(0).integers(1, 2**63, bits.shape[1], np.uint64) * np.uint64(2) + np.uint64(1)
    return np.asarray((bits * odd).sum(axis=1, dtype=np.uint64))


def _most_like(earlier: Gaussians, candidates: I64, later: Gaussians, asked: I64) -> I64:
    """int64 [n]: of the candidates around each."""
    if not len(asked):
        return asked
    tree = cKDTree(earlier.means[candidates], balanced_tree=False, compact_nodes=False)
    near = candidates[tree.query(later.means[asked], k=np.arange(1, min(CANDIDATES, len(candidates)) + 1))[1]]
    best = np.argmin(_unlikeness(earlier, near, later, asked), axis=1)
    return np.asarray(near[np.arange(len(asked)), best])


def _unlikeness(earlier: Gaussians, near: I64, later: Gaussians, asked: I64) -> F64:
    """float64 [n, CANDIDATES]: sum of squares of what a child shares with its parent."""
    apart = np.linalg.norm(earlier.means[near] - later.means[asked][:, None], axis=2)
    old, new = _unit_quats(earlier), _unit_quats(later)
    turned = 1 - np.abs((old[near] * new[asked][:, None]).sum(axis=2))  # q and -q are one rotation
    return np.asarray(
        _squared(earlier.sh0[near] - later.sh0[asked][:, None]) / COLOUR**2
        + _squared(_shape(earlier)[near] - _shape(later)[asked][:, None]) / SHAPE**2
        + 2 * turned / ROTATION**2
        + (apart / earlier.scales.max(axis=1)[near] / DISTANCE) ** 2, np.float64)


def _squared(difference: Array) -> Array:
    return np.asarray((difference**2).sum(axis=-1))


def _shape(gaussians: Gaussians) -> F32:
    """Logarithms of the axes without their mean: what a split leaves as it is."""
    return np.asarray(gaussians.log_scales - gaussians.log_scales.mean(axis=1, keepdims=True))


def _unit_quats(gaussians: Gaussians) -> F32:
    return np.asarray(gaussians.quats_wxyz / np.maximum(gaussians.quat_norms, 1e-12)[:, None])


def _finite(gaussians: Gaussians) -> Mask:
    """bool [N]: rows that can be compared."""
    columns = (gaussians.means, gaussians.log_scales, gaussians.quats_wxyz, gaussians.sh0)
    return np.asarray(np.logical_and.reduce([np.isfinite(column).all(axis=1) for column in columns]))
