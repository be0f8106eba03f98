"""What pairs of trainings say together: whether the finding went, what it did to quality, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from diagnostics.probes.trial_pairs import Pair, Trained, found
from diagnostics.verdict import EvidenceRow, Finding

ENOUGH = 3  # pairs, below which a spread means nothing and no fix is called validated
CONFIDENCE = 0.95  # that the mean difference is not zero, before it is called better


@dataclass(frozen=True)
class Difference:
    """Trial less control, over seeds."""

    each: tuple[float, ...]

    @property
    def mean(self) -> float:
        return float(np.mean(self.each))

    @property
    def deviation(self) -> float:
        """Standard deviation over seeds; NaN for a single one."""
        return float(np.std(self.each, ddof=1)) if len(self.each) > 1 else float("nan")

    @property
    def margin(self) -> float:
        """Half of the interval in which the true mean lies with `CONFIDENCE`, by Student's t; infinite for a single seed."""
        n = len(self.each)
        return float(student.ppf((1 + CONFIDENCE) / 2, n - 1) * self.deviation / np.sqrt(n)) if n > 1 else float("inf")

    def is_better(self, least: float) -> bool:
        """Every seed agrees, and the mean is beyond its margin and `least`."""
        return min(self.each) > 0 and self.mean > max(self.margin, least)

    def is_worse(self, least: float) -> bool:
        """The same the other way round; what is no number is worse."""
        return not self.mean >= -max(self.margin, least) and not max(self.each) >= 0

    def may_be_worse(self, least: float) -> bool:
        """Below by more than the spread of the seeds and `least`: harm is feared sooner than help is believed."""
        return not self.mean >= -max(self.deviation if len(self.each) > 1 else 0.0, least)


@dataclass(frozen=True, eq=False)
class Summary:
    """All pairs of one trial."""

    pairs: tuple[Pair, ...]
    set_only: bool  # the finding speaks of what was set, not of what came of it: that it is gone says nothing
    held_out: bool  # what quality was measured on

    def __post_init__(self) -> None:
        if not self.pairs:
            raise ValueError("a summary needs at least one pair")

    @property
    def psnr(self) -> Difference:
        return Difference(tuple(pair.trial.psnr - pair.control.psnr for pair in self.pairs))

    @property
    def ssim(self) -> Difference:
        return Difference(tuple(pair.trial.ssim - pair.control.ssim for pair in self.pairs))

    @property
    def controls_with(self) -> int:
        return sum(found(pair.control) is not None for pair in self.pairs)

    @property
    def trials_with(self) -> int:
        return sum(found(pair.trial) is not None for pair in self.pairs)

    def is_smaller(self, smaller: float) -> bool:
        """In every pair the finding is gone, or at most `smaller` of what it was."""
        return all(_remains(pair) <= smaller for pair in self.pairs)

    def helped(self, smaller: float, least_db: float) -> bool | None:
        """True: the finding is gone or clearly smaller in every pair, and quality cannot be suspected to be worse. False: quality
        is worse. None: neither, or too few pairs. Of a finding that speaks of what was set alone, quality must be better."""
        if len(self.pairs) < ENOUGH or self.controls_with < len(self.pairs):
            return None
        if self.psnr.is_worse(least_db):
            return False
        if not self.is_smaller(smaller) or self.psnr.may_be_worse(least_db):
            return None
        return True if not self.set_only or self.psnr.is_better(least_db) else None


def _remains(pair: Pair) -> float:
    """How much of the control's finding the trial shows: 0 for gone, 1 for all of it or where it cannot be told."""
    before, after = found(pair.control), found(pair.trial)
    if before is None:
        return 1.0
    if after is None:
        return 0.0 if pair.trial.verdict is None else 1.0
    was, now = excess(before), excess(after)
    return 1.0 if was is None or now is None or was <= 0 else now / was


def excess(finding: Finding) -> float | None:
    """How far it goes: the share of Gaussians that it names, else by how much its first limited number passes the limit."""
    if finding.gaussians is not None:
        return finding.gaussians.fraction
    row = main_row(finding)
    return None if row is None else abs(value_of(row) - float(row.limit or 0.0))


def main_row(finding: Finding) -> EvidenceRow | None:
    """Its first number that is held against a limit."""
    limited = (row for row in finding.evidence if _is_number(row.value) and _is_number(row.limit))
    return next((row for row in limited if row.value != row.limit), None)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and bool(np.isfinite(value))


def value_of(row: EvidenceRow) -> float:
    """NaN where it is no number."""
    return float(row.value) if isinstance(row.value, int | float) else float("nan")


def mean_of(trained: Sequence[Trained], name: str) -> float:
    return float(np.mean([getattr(each, name) for each in trained]))
