"""The four causes of values that are no numbers: each is found by its own number, and only by it."""

from dataclasses import replace

import numpy as np
import pytest

import diagnostics.detectors  # noqa: F401  (registers every fact)
from diagnostics.diagnose import whole_span
from diagnostics.evidence import Evidence
from diagnostics.facts.nan_causes import NanCauses, unsafe_rows
from runs.arrays import F32
from runs.run import Run
from tests.diagnostics.fixtures.nan import nan_points
from tests.support.runs import changed, cloud, look_from, made_run, ring_cameras, state_of
from tests.support.training import LAST, healthy_run, moved

RATE, INPUT, MATHS, UPDATES = range(4)


def causes(run: Run) -> NanCauses:
    answer = Evidence(run, whole_span(run)).get("nan_causes")
    assert isinstance(answer, NanCauses), answer
    return answer


def answers(run: Run) -> list[str]:
    return [cause.answer for cause in causes(run).causes]


def huge_rate() -> Run:
    return healthy_run(settings={"scaling_lr": 0.5}, states={})


def outlier_camera() -> Run:
    """One camera 500 units away multiplies the extent, and with it the rate of the means, by about 150."""
    return healthy_run(cameras=(*ring_cameras(), look_from((500.0, 0.0, 0.0))), states={})


def zero_quat() -> Run:
    quats = moved().quats_wxyz.copy()
    quats[3] = 0
    return healthy_run(checkpoints={LAST: changed(moved(), quats_wxyz=quats)})


def broken_moments() -> Run:
    state = state_of(moved(), LAST)
    moments = np.zeros((900, 3), np.float32)
    moments[[5, 6]] = np.nan
    adam = {**state.adam, "xyz": replace(state.adam["xyz"], exp_avg=moments)}
    return healthy_run(states={LAST: replace(state, adam=adam)})


def exploded() -> Run:
    """One mean went a million world units in 500 iterations."""
    means = moved().means.copy()
    means[8] += 1e6
    return healthy_run(checkpoints={1500: moved(), LAST: changed(moved(), means=means)}, states={})


@pytest.mark.parametrize(("run", "which"), [
    (huge_rate, RATE), (outlier_camera, RATE), (nan_points, INPUT), (zero_quat, MATHS), (broken_moments, UPDATES),
    (exploded, UPDATES),
])
def test_each_cause_is_found_alone(run: object, which: int) -> None:
    """A protocol that cries at everything names nothing."""
    assert callable(run)
    assert [index for index, answer in enumerate(answers(run())) if answer == "found"] == [which]


def test_a_healthy_run_has_none_of_them() -> None:
    """All four are checkable there, and none is found."""
    assert answers(healthy_run()) == ["not found"] * 4
    assert causes(healthy_run()).first is None


def test_mcmc_carries_gaussians_far_by_design() -> None:
    """Relocation is no explosion."""
    far = {c.iteration: c.gaussians for c in exploded().checkpoints}
    run = healthy_run(checkpoints=far, states={}, settings={"strategy": "mcmc"})
    assert answers(run)[UPDATES] == "not checkable"


def test_the_last_clean_save_is_asked_for_unsafe_values() -> None:
    """What was on its way to breaking stands in the save before; in the broken one it is NaN already."""
    logits, scales = moved().logit_opacities.copy(), moved().log_scales.copy()
    logits[:4], scales[:4] = 17.0, np.nan
    run = healthy_run(checkpoints={1500: changed(moved(), logit_opacities=logits), LAST: changed(moved(), log_scales=scales)})
    maths = causes(run).causes[MATHS]
    assert (maths.answer, maths.value, maths.iteration) == ("found", 4, 1500)
    first = causes(run).first
    assert first is not None
    assert (first.tensor, first.rows, first.iteration) == ("log_scales", 4, LAST)


@pytest.mark.parametrize(("column", "value", "kind"), [
    ("log_scales", -90.0, "zero scales"), ("log_scales", 89.0, "infinite scales"), ("quats_wxyz", 0.0, "zero quaternions"),
    ("logit_opacities", 16.7, "opacities at 1"), ("logit_opacities", -88.0, "opacities at 0"),
])
def test_limits_of_single_precision(column: str, value: float, kind: str) -> None:
    """Each is the last value at which exp, log or a quotient is still a number; large but safe ones are not counted."""
    values: F32 = cloud(50).load(column).copy()
    values[:3] = value
    counts = unsafe_rows(changed(cloud(50), **{column: values}))
    assert {name for name, count in counts.items() if count} == {kind}
    assert counts[kind] == 3
    values[:3] = 0.9 * value if value else 1e-3
    assert not any(unsafe_rows(changed(cloud(50), **{column: values})).values())


def test_from_nothing_follows_nothing() -> None:
    """A run without files, logs and inputs answers none of the four."""
    answer = Evidence(made_run(), (0, 0)).get("nan_causes")
    assert not isinstance(answer, NanCauses)
