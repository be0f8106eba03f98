"""Progress: nothing learned is not a plateau, and a flat end is neither."""

import numpy as np
import pytest

from diagnostics.diagnose import diagnose
from diagnostics.verdict import NotEvaluable
from runs.series import Series
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.alerts import VIEWS
from tests.diagnostics.fixtures.progress import blank, flat_in_the_end, flat_while_growing
from tests.support.training import LAST, healthy_run, quality

NOTHING, PLATEAU = "nothing-learned", "premature-plateau"
EVALUATED = range(100, LAST + 1, 100)


def same_each_visit(share: float) -> dict[str, Series]:
    """Each view's loss is the same at every visit, up to the given share of the training; then it falls."""
    steps = np.arange(1, LAST + 1)
    levels = 0.3 + 0.01 * (steps % len(VIEWS))
    loss = np.where(steps <= share * LAST, levels, levels * np.exp(-(steps - share * LAST) / LAST))
    return {"loss/l1": Series("loss/l1", steps, loss, "", "metrics.jsonl"),
            "train/view": Series("train/view", steps, (steps % len(VIEWS)).astype(float), "", "metrics.jsonl", VIEWS)}


def test_a_broken_gradient_path_is_named_and_nothing_else() -> None:
    """Grendel-GS #38: 5.3944 dB at both evaluations; neither a plateau nor a matter of published figures."""
    codes = {reported.pattern.code for reported in diagnose(blank()).findings}
    assert "N-18" in codes
    assert not codes & {"CF-01", "CF-06", "M-04", "CF-05"}


@pytest.mark.parametrize(("gain", "level", "says"), [(0.05, 5.4, True), (0.3, 5.4, False), (0.05, 15.0, False)])
def test_both_flat_and_blank(gain: float, level: float, says: bool) -> None:
    """A flat 15 dB is some picture, and a rise of 0.3 dB is some learning."""
    series = {"test/psnr": {500: level, 2000: level + gain}, "train/psnr": None, "loss/l1": None, "view/psnr": None}
    assert (verdict(NOTHING, healthy_run(series=series)) is not None) == says


@pytest.mark.parametrize(("share", "says"), [(1.0, True), (0.5, False)])
def test_losses_that_repeat_from_visit_to_visit(share: float, says: bool) -> None:
    """Six equal digits say that no step moved anything; a training that breaks half way did learn."""
    run = healthy_run(series={**same_each_visit(share), "train/psnr": None, "test/psnr": None})
    assert (verdict(NOTHING, run) is not None) == says


def test_two_digits_repeat_in_any_log() -> None:
    """A log that rounds shows the same loss for different views as well."""
    steps = np.arange(1, LAST + 1)
    series = same_each_visit(1.0) | {"loss/l1": Series("loss/l1", steps, np.full(LAST, 0.05), "", "train.log")}
    answer = verdict(NOTHING, healthy_run(series={**series, "train/psnr": None, "test/psnr": None}))
    assert isinstance(answer, NotEvaluable)


def test_a_plateau_is_told_with_its_line_and_its_doubt() -> None:
    """The user sees how flat, and how sure."""
    finding = found(PLATEAU, flat_while_growing())
    assert finding.evidence[0].value == pytest.approx(0.0, abs=0.01)
    assert finding.evidence[2].value == 6
    assert finding.evidence[3].value == pytest.approx(0.36, abs=0.1)


def test_a_low_level_is_no_plateau() -> None:
    """Many scenes end at 21-25 dB: only the slope counts."""
    low = {i: quality(i) - 8.0 for i in EVALUATED}
    loss = {i: 10 ** (-(quality(i) - 8.0) / 20) for i in range(1, LAST + 1)}
    assert verdict(PLATEAU, healthy_run(series={"train/psnr": low, "loss/l1": loss, "view/psnr": None})) is None


def test_flat_after_densification_is_by_design() -> None:
    """gaussian-splatting #156 ends at the same PSNR and the same count; so do all sound trainings of the lab."""
    assert verdict(PLATEAU, flat_in_the_end()) is None


def test_without_new_gaussians_it_is_another_pattern() -> None:
    """A cap that no setting tells, or densification that bears nobody."""
    psnr = {i: min(quality(i), 22.0) for i in (1, *EVALUATED)}
    flat = {i: 10 ** (-min(quality(i), 22.0) / 20) for i in range(1, LAST + 1)}
    counts = dict.fromkeys(range(1, LAST + 1), 400.0)
    run = healthy_run(series={"train/psnr": psnr, "view/psnr": None, "loss/l1": flat, "num_gaussians": counts})
    assert verdict(PLATEAU, run) is None


def test_a_noisy_course_is_not_judged() -> None:
    """Two standard errors beyond the limit: in doubt there is no finding."""
    rng = np.random.default_rng(3)
    loss = {i: 10 ** (-(22.0 + rng.normal(0, 12.0)) / 20) for i in range(400, LAST + 1)}
    early = dict.fromkeys(range(1, 400), 0.4)
    run = healthy_run(series={"train/psnr": None, "view/psnr": None, "loss/l1": early | loss})
    assert not hasattr(verdict(PLATEAU, run), "says")
