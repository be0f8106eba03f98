"""A difference over three seeds is judged by its noise: a lucky seed must not validate a fix."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.probes.trial_outcome import Difference, Summary
from diagnostics.probes.trial_pairs import Pair, Trained
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace, NotEvaluable, Verdict

PICTURE = np.zeros((1, 1, 3), np.float32)


def _found(value: float, limit: float = 0.1) -> Finding:
    return Finding("it is so", (EvidenceRow("share", value, limit, "share"),), iterations=(1, 2))


def _pair(seed: int, gain: float, before: Verdict, after: Verdict) -> Pair:
    control = Trained(20.0, 0.8, 1000, 1.0, before, PICTURE)
    return Pair(seed, control, replace(control, psnr=20.0 + gain, verdict=after))


def _summary(gains: tuple[float, ...], before: Verdict, after: Verdict, *, set_only: bool = False) -> Summary:
    return Summary(tuple(_pair(seed, gain, before, after) for seed, gain in enumerate(gains)), set_only, True)


def test_the_margin_is_students() -> None:
    """By hand: three values of deviation 1 have a mean known to 4.303 / √3."""
    three = Difference((1.0, 2.0, 3.0))
    assert (three.mean, three.deviation) == (2.0, 1.0)
    assert three.margin == pytest.approx(4.302653 / np.sqrt(3), rel=1e-5)
    assert not three.is_better(0.1)
    assert Difference((1.9, 2.0, 2.1)).is_better(0.1)
    assert Difference((2.0,)).margin == float("inf")


@pytest.mark.parametrize(("gains", "better", "worse", "feared"), [
    ((0.6, 0.5, 0.7), True, False, False), ((-0.6, -0.5, -0.7), False, True, True), ((0.01, 0.02, 0.01), False, False, False),
    ((-0.9, 0.1, -0.3), False, False, False), ((-0.9, -0.1, -0.6), False, False, True), ((float("nan"),) * 3, False, True, True),
])
def test_help_and_harm_need_every_seed(gains: tuple[float, ...], better: bool, worse: bool, feared: bool) -> None:
    """Harm is feared sooner than help is believed; what is no number is harm."""
    found = Difference(gains)
    assert (found.is_better(0.1), found.is_worse(0.1), found.may_be_worse(0.1)) == (better, worse, feared)


GOOD, LEVEL, BAD = (0.6, 0.5, 0.7), (0.02, -0.03, 0.01), (-0.6, -0.5, -0.7)


@pytest.mark.parametrize(("gains", "after", "set_only", "helped"), [
    (LEVEL, None, False, True), (GOOD, None, False, True), (BAD, None, False, False),
    (LEVEL, None, True, None), (GOOD, None, True, True),  # what was set is gone by itself: the picture must tell
    (GOOD, _found(0.3), False, None),  # the finding stays
    (LEVEL, _found(0.14), False, True), (LEVEL, _found(0.22), False, None),  # of 0.2 beyond the limit: 0.04, 0.12
    (LEVEL, NotEvaluable(("a count",)), False, None),  # that it cannot be judged is no cure
    ((-0.9, -0.1, -0.6), None, False, None),
])
def test_a_fix_is_validated_only_so(gains: tuple[float, ...], after: Verdict, set_only: bool, helped: bool | None) -> None:
    """The finding must go in every seed, and the picture must not be suspected to suffer."""
    assert _summary(gains, _found(0.3), after, set_only=set_only).helped(0.5, 0.1) is helped


def test_one_control_without_the_finding_validates_nothing() -> None:
    """Where the trouble comes and goes by itself its absence is no cure."""
    pairs = (*_summary(GOOD, _found(0.3), None).pairs[:2], _pair(2, 0.6, None, None))
    assert Summary(pairs, False, True).helped(0.5, 0.1) is None


def test_named_gaussians_are_counted() -> None:
    """Half of them or fewer must be left, whatever the first number says."""
    def of(count: int) -> Finding:
        return replace(_found(0.3), gaussians=GaussianPlace(np.arange(count), 100, 1000))

    assert _summary(LEVEL, of(200), of(90)).helped(0.5, 0.1) is True
    assert _summary(LEVEL, of(200), of(120)).helped(0.5, 0.1) is None
