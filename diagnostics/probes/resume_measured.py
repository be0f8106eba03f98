"""What continuations tell when they are laid side by side: how long first updates are, and what a view loses on the way."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr

from diagnostics.probes.bench import Bench
from diagnostics.probes.resume_views import Shown
from diagnostics.probes.resume_ways import Way
from runs.arrays import F64, Array
from runs.checkpoints import AdamGroup, TrainingState

FIRST = 10  # iterations in which a kick shows
COMPARED = ("xyz", "scaling", "opacity", "f_dc")  # groups that every training has


@dataclass(frozen=True)
class Kick:
    """PSNR of one way less that of another, of the same views at the same iterations."""

    mean_db: float  # over the first iterations after the first step
    error_db: float  # standard error of that mean
    views_db: float  # standard deviation of the PSNR from view to view, which hides it from a curve
    late_db: float  # mean over the last third

    @property
    def told(self) -> str:
        return (f"{self.mean_db:+.2f} ± {self.error_db:.2f} dB over the first {FIRST} iterations, where views differ by "
                f"{self.views_db:.1f} dB")


@dataclass(frozen=True)
class Followed:
    """How far logged losses lie from those of two continuations."""

    iterations: int  # compared
    stored: float  # median |logged L1 - continuation's| / logged, with the moments that the state holds
    anew: float  # the same without


def kick(way: Way, yardstick: Way) -> Kick:
    """The first iteration is drawn before any step, so it is left out."""
    differences = way.psnr - yardstick.psnr
    first = differences[1:FIRST + 1]
    return Kick(float(first.mean()), float(first.std(ddof=1) / np.sqrt(len(first))), float(yardstick.psnr.std()),
                float(differences[-(-2 * len(differences) // 3):].mean()))


def longest(way: Way, groups: tuple[str, ...] = ()) -> tuple[str, float]:
    """The group (INRIA's name) whose first update is the most times as long as its own later ones; ("", NaN) without any."""
    times = {group: way.times(group) for group in groups or tuple(way.updates) if group in way.updates}
    known = {group: value for group, value in times.items() if np.isfinite(value)}
    return max(known.items(), key=lambda item: item[1], default=("", float("nan")))


def agreement(state: TrainingState, gathered: TrainingState) -> Mapping[str, float]:
    """By group: Spearman's rank correlation, over the Gaussians, of the second moments that are stored with those gathered now.

    Moments of other rows, or of another training, have none. A group with fewer than 100 rows in both has no number.
    """
    found = {}
    for name in COMPARED:
        ours, theirs = _rows(state.adam.get(name)), _rows(gathered.adam.get(name))
        if ours is None or theirs is None or len(ours) != len(theirs):
            continue
        both = (ours > 0) & (theirs > 0)
        if both.sum() >= 100:
            found[name] = float(spearmanr(ours[both], theirs[both])[0])
    return found


def followed(bench: Bench, shown: Shown, stored: Way, anew: Way, start: int) -> Followed | None:
    """Which of the two the run's own log went after `start`.

    Up to the next densification or reset, which continuations leave out. None where pictures are smaller than the trainer's,
    or where the log tells no views or no losses.
    """
    losses, plan = bench.fact_or_none("loss_l1"), bench.fact_or_none("schedule")
    if losses is None or plan is None or shown.shrunk < 1:
        return None
    ends = min((event for event in (*plan.densifications, *plan.resets) if event > start), default=start + len(stored.l1) + 1)
    pairs = [(losses.at(start + 1 + i), stored.l1[i], anew.l1[i]) for i in range(len(stored.l1))
             if start + 1 + i in shown.order and start + 1 + i <= ends]
    told = np.array([pair for pair in pairs[1:] if pair[0]], np.float64)  # the first is drawn before any step
    if len(told) < FIRST:
        return None
    off = np.abs(told[:, 1:] / told[:, :1] - 1)
    return Followed(len(told), float(np.median(off[:, 0])), float(np.median(off[:, 1])))


def _rows(group: AdamGroup | None) -> F64 | None:
    squares: Array | None = None if group is None else group.exp_avg_sq
    return None if squares is None else np.asarray(squares.reshape(len(squares), -1).sum(axis=1), np.float64)
