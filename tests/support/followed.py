"""How much of the truth about rows was found: what a witness saw against what `runs.lineage` and its kin say."""

from dataclasses import dataclass

import numpy as np

from runs.arrays import I64
from runs.lineage.births import births_of
from runs.lineage.relocation import relocation
from runs.lineage.trace import trace
from tests.support.witness import Seen, Witness


@dataclass(frozen=True)
class Score:
    """Shares 0..1, NaN where there was nothing to find."""

    survivors: float  # of the rows that stayed, those that were followed rightly
    births: float  # of the newborns, those whose parent (or its ancestor in the earlier state) was found
    born: int
    false: int  # rows that were followed and did not stay


def densification_score(witness: Witness, earlier: Seen, later: Seen) -> Score:
    """Of the default strategy."""
    truth = rows_before(earlier, later)
    lineage = trace(earlier.gaussians, later.gaussians)
    claimed, parents = np.full((2, len(truth)), -1)
    if lineage is not None:
        claimed[lineage.after] = lineage.before
        births = births_of(lineage, earlier.gaussians, later.gaussians)
        parents[births.child] = births.parent
    stayed, newborn = truth >= 0, np.flatnonzero(truth < 0)
    right = parents[newborn] == ancestors(witness, earlier, later.ids[newborn])
    false = int(((claimed >= 0) & (claimed != truth)).sum())
    return Score(_share(claimed[stayed] == truth[stayed]), _share(right), len(newborn), false)


def relocation_score(witness: Witness, earlier: Seen, later: Seen) -> Score:
    """Of MCMC: `survivors` are relocated rows that were told from all others, `births` sources of copies and of added rows."""
    found = relocation(earlier.gaussians, later.gaussians)
    assert found is not None
    count = len(earlier.ids)
    moved = np.flatnonzero(earlier.ids != later.ids[:count])
    rows = np.concatenate([moved, np.arange(count, len(later.ids))])
    sources = np.full(len(later.ids), -1)
    sources[found.relocated], sources[found.added] = found.sources, found.added_sources
    right = sources[rows] == ancestors(witness, earlier, later.ids[rows])
    return Score(_share(np.isin(moved, found.relocated)), _share(right), len(rows), int((~np.isin(found.relocated, moved)).sum()))


def rows_before(earlier: Seen, later: Seen) -> I64:
    """int64 [N]: for each row of the later state its row in the earlier one, -1 for newborns."""
    rows = {identity: row for row, identity in enumerate(earlier.ids.tolist())}
    return np.array([rows.get(identity, -1) for identity in later.ids.tolist()], np.int64)


def ancestors(witness: Witness, earlier: Seen, ids: I64) -> I64:
    """int64 [n]: for each identity the row of the earlier state that is it or its ancestor, -1 for none."""
    rows = {identity: row for row, identity in enumerate(earlier.ids.tolist())}

    def row_of(identity: int) -> int:
        while identity not in rows and identity in witness.parents:
            identity = witness.parents[identity]
        return rows.get(identity, -1)

    return np.array([row_of(identity) for identity in ids.tolist()], np.int64)


def _share(right: np.ndarray) -> float:
    return float(right.mean()) if len(right) else float("nan")
