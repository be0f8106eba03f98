"""What links claim, against what a witness saw: the shares that `runs.lineage.link` states as confidence come from here."""

from dataclasses import dataclass

import numpy as np

from runs.gaussians import Gaussians
from runs.lineage.link import BORN, SAME, UNKNOWN, Link, link_between
from runs.run import UNKNOWN_TRAINER, Trainer
from tests.support.followed import ancestors, rows_before
from tests.support.runs import INRIA, made_run
from tests.support.witness import Seen, Witness

MCMC = Trainer("3dgs-mcmc", 0.9, "cfg_args")
TRAINERS = {"order": INRIA, "mcmc": MCMC, "likeness": UNKNOWN_TRAINER}


@dataclass(frozen=True)
class Claims:
    """Shares are 0..1, NaN without any claim."""

    itself: int
    itself_right: float
    parents: int
    parents_right: float
    told: float  # share of the newborns (of MCMC: relocated or added rows) whose parent is told
    sure: float  # mean confidence that is stated
    born_right: float  # of rows that are said to be newborn, of whomever
    gone_right: float  # of rows of the earlier state that are said to go on nowhere, where order is kept


def linked_states(earlier: Gaussians, later: Gaussians, trainer: Trainer = INRIA) -> Link:
    """Of two saves of a run of this trainer."""
    run = made_run(checkpoints={100: earlier, 200: later}, trainer=trainer)
    return link_between(run, *run.checkpoints, lambda: None)


def claims(witness: Witness, earlier: Seen, later: Seen, how: str = "order") -> Claims:
    """Of the link between two moments of a training."""
    rows = np.random.default_rng(0).permutation(len(later.ids)) if how == "likeness" else np.arange(len(later.ids))
    later = Seen(later.gaussians.take(rows), later.ids[rows])
    link = linked_states(earlier.gaussians, later.gaussians, TRAINERS[how])
    truth, known = rows_before(earlier, later), link.kinds != UNKNOWN
    same, born = link.kinds == SAME, known & (link.parents >= 0) & (link.kinds != SAME)
    continued = set(link.parents[same].tolist())
    gone = [row for row in range(len(earlier.ids)) if how == "order" and row not in continued and link.goes_on_nowhere(row)]
    right = (truth < 0)[born] & (link.parents[born] == ancestors(witness, earlier, later.ids[born]))
    newborn = max(int((truth < 0).sum()), 1) if how != "mcmc" else max(int((truth != np.arange(len(truth))).sum()), 1)
    return Claims(
        int(same.sum()), _share((link.parents == truth)[same]), int(born.sum()), _share(right), born.sum() / newborn,
        _share(link.confidence[known].astype(float)), _share((truth < 0)[link.kinds == BORN]),
        _share(~np.isin(gone, truth)) if gone else float("nan"))


def _share(right: np.ndarray) -> float:
    return float(right.mean()) if len(right) else float("nan")
