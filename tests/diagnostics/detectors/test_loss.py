"""Losses: what was logged is held against its own terms, and SSIM against the pictures."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.verdict import Finding, NotEvaluable
from runs.run import Run
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.loss import (
    in_levels,
    mostly_ssim,
    plain,
    ssim_logged_with,
    summed,
    terms,
    with_loss,
    with_regularisers,
)
from tests.support.training import LAST, healthy_run

LOSS = ("loss-or-images-out-of-range", "ssim-misused", "loss-aggregated-wrongly", "loss-weight-drives-densification")


@pytest.mark.parametrize("weight", [0.1, 0.2, 0.4])
def test_a_loss_of_its_terms_is_clear(weight: float) -> None:
    """Half and twice the usual weight are choices, and the log follows the settings."""
    run = with_loss(summed(weight), lambda_dssim=weight)
    assert [name for name in LOSS if name != "ssim-misused" and verdict(name, run) is not None] == []


@pytest.mark.parametrize(("used", "told"), [(0.0, "SSIM is left out"), (1.0, "L1 is left out"), (0.5, "0.50")])
def test_another_weight_than_the_settings_say_is_read_from_the_log(used: float, told: str) -> None:
    """A bug in the code leaves the settings sound."""
    finding = found("loss-aggregated-wrongly", with_loss(summed(used)))
    assert told in finding.says
    assert finding.evidence[0].value == pytest.approx(used, abs=1e-3)


def test_a_weight_that_was_set_is_no_mistake_of_adding() -> None:
    """λ = 1 as set drives the growth, but the loss is what the settings say."""
    run = with_loss(summed(1.0), lambda_dssim=1.0)
    assert verdict("loss-aggregated-wrongly", run) is None
    assert "1.00" in found("loss-weight-drives-densification", run).says


def test_added_similarity_is_told_as_a_formula() -> None:
    """The user sees at once which sign is wrong."""
    finding = found("loss-aggregated-wrongly", with_loss(0.8 * terms().l1 + 0.2 * terms().ssim))
    assert "0.8·L1 − 0.2·(1 − SSIM) + 0.2" in finding.says


def test_further_terms_are_not_guessed() -> None:
    """MCMC adds regularisers, other trainers normals and depths: what the log does not tell is not held against the sum."""
    assert isinstance(verdict("loss-aggregated-wrongly", with_regularisers()), NotEvaluable)


def without_ssim(run: Run) -> Run:
    """What INRIA's trainer logs."""
    return healthy_run(series={**run.series, "loss/ssim": None, "view/ssim": None})


def test_without_ssim_only_a_loss_of_l1_alone_is_told() -> None:
    """A loss that equals L1 says enough; of any other the second term is not known."""
    assert found("loss-aggregated-wrongly", without_ssim(with_loss(terms().l1))).evidence[0].value == 0
    assert isinstance(verdict("loss-aggregated-wrongly", without_ssim(plain())), NotEvaluable)


@pytest.mark.parametrize("times", [255.0, 64 * 64 * 3])
def test_a_loss_out_of_range_is_told_once(times: float) -> None:
    """Scaled as a whole, or only L1: the range is the fault, not how the terms are added."""
    whole = with_loss(times * summed(0.2))
    assert "times the sum of its terms" in found("loss-or-images-out-of-range", whole).says
    assert verdict("loss-aggregated-wrongly", whole) is None
    assert verdict("loss-aggregated-wrongly", in_levels()) is None
    assert isinstance(verdict("ssim-misused", in_levels()), NotEvaluable)


@pytest.mark.parametrize("span", [(1, 200), (1500, 2000)])
def test_levels_show_in_any_range(span: tuple[int, int]) -> None:
    """Late in training L1 is small, and in levels still above 1."""
    found("loss-or-images-out-of-range", in_levels(), span)


@pytest.mark.parametrize(("dynamic_range", "told"), [(255.0, "sees no difference"), (1 / 255, "pictures in 0..255")])
def test_ssim_is_held_against_the_pictures(dynamic_range: float, told: str) -> None:
    """The logged figure comes out again only with the constants of the wrong range."""
    assert told in found("ssim-misused", ssim_logged_with(dynamic_range)).says


def test_other_pictures_tell_nothing_about_ssim() -> None:
    """A background or pose that is wrong changes both terms; then SSIM alone is not to blame."""
    run = ssim_logged_with(1 / 255)
    logged = run.series["loss/l1"]
    halved = replace(logged, values=logged.values / 2)
    other = healthy_run(series={**run.series, "loss/l1": halved}, cameras=run.cameras, photos=run.photos,
                        checkpoints={c.iteration: c.gaussians for c in run.checkpoints})
    assert isinstance(verdict("ssim-misused", other), NotEvaluable)


@pytest.mark.parametrize(("weight", "sick"), [(0.2, False), (1.0, True)])
def test_without_ssim_in_the_log_pictures_tell_its_weight(weight: float, sick: bool) -> None:
    """The saved Gaussians drawn again give the term that INRIA's trainer does not log."""
    run = ssim_logged_with(1.0)
    l1, dissimilarity = run.series["loss/l1"], run.series["loss/ssim"]
    total = replace(l1, name="loss/total", values=(1 - weight) * l1.values + weight * dissimilarity.values)
    bare = healthy_run(series={**run.series, "loss/total": total, "loss/ssim": None}, cameras=run.cameras, photos=run.photos,
                       checkpoints={c.iteration: c.gaussians for c in run.checkpoints})
    assert (verdict("loss-aggregated-wrongly", bare) is not None) is sick


def test_mcmc_does_not_grow_by_gradients() -> None:
    """The weight of SSIM decides nothing there."""
    assert verdict("loss-weight-drives-densification", mostly_ssim()) is not None
    run = with_loss(summed(0.95), lambda_dssim=0.95, cap_max=1000)
    assert verdict("loss-weight-drives-densification", run) is None


def test_the_weight_that_was_used_wins_over_the_one_that_was_set() -> None:
    """The log shows what the gradients were."""
    assert "0.90" in found("loss-weight-drives-densification", with_loss(summed(0.9))).says
    assert verdict("loss-weight-drives-densification", with_loss(summed(0.2), lambda_dssim=0.9)) is None


def test_where_no_view_is_named_a_whole_pass_must_be_logged() -> None:
    """gsplat logs every hundredth iteration: single views differ by more than a wrong range does."""
    run = ssim_logged_with(1 / 255)
    bare = {**run.series, "train/view": None}
    models = {c.iteration: c.gaussians for c in run.checkpoints}
    whole = healthy_run(series=bare, cameras=run.cameras, photos=run.photos, checkpoints=models)
    assert "pictures in 0..255" in found("ssim-misused", whole).says
    sparse = {name: replace(series, iterations=series.iterations[::23], values=series.values[::23])
              for name, series in run.series.items() if name.startswith("loss/")}
    assert isinstance(verdict("ssim-misused", healthy_run(series={**bare, **sparse}, cameras=run.cameras, photos=run.photos,
                                                          checkpoints=models)), NotEvaluable)


def test_a_sparse_log_is_enough_for_its_own_terms() -> None:
    """Eight logged iterations of L1, SSIM and loss, as a short gsplat run leaves them."""
    few = {name: replace(series, iterations=series.iterations[::250], values=series.values[::250])
           for name, series in with_loss(summed(0.0)).series.items() if name.startswith(("loss/", "view/ssim"))}
    assert "SSIM is left out" in found("loss-aggregated-wrongly", healthy_run(series=few)).says


@pytest.mark.parametrize("share", [0.02, 0.05, 0.2])
def test_a_further_term_that_nobody_names_is_no_other_sum(share: float) -> None:
    """A fork's regulariser is neither logged nor stored; whatever its size, the sum of the others is not blamed for it."""
    wave = 1 + 0.5 * np.sin(np.arange(LAST) / 300)
    run = with_loss(summed(0.2) * (1 + share * wave))
    assert not isinstance(verdict("loss-aggregated-wrongly", run), Finding)
