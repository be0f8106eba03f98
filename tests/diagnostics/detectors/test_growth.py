"""Growth: public cases and look-alikes, so that resets, planned freezes and deliberate pruning raise no alarm."""

import numpy as np
import pytest

from diagnostics.diagnose import diagnose
from diagnostics.verdict import NotEvaluable
from runs.run import Run
from tests.diagnostics.detectors.support import found, verdict
from tests.diagnostics.fixtures.growth import never_stops, slow_after_reset, stuck_after_reset
from tests.support.runs import changed, made_run
from tests.support.training import DENSIFICATIONS, LAST, healthy_run, moved, quality, start

REFERENCE = {
    "densify_from_iter": 500, "densify_until_iter": 15_000, "densification_interval": 100, "opacity_reset_interval": 3000,
}


def long_finished_run() -> Run:
    """A public log (gaussian-splatting #156): 5,775,269 Gaussians at 30,000 and at 50,000, all as it should be."""
    return made_run(settings=REFERENCE, series={
        "num_gaussians": {7000: 3_600_000.0, 30_000: 5_775_269.0, 50_000: 5_775_269.0},
        "train/psnr": {7000: 23.82, 30_000: 27.11, 50_000: 27.4}, "loss/total": {7000: 0.0937, 30_000: 0.0586, 50_000: 0.0541},
    })


def diverging_run() -> Run:
    """A public case (Deformable-3D-Gaussians #29): PSNR 30 at 11,000, 5 from 12,000 on; resets every 3,000."""
    psnr = {i: 18 + i / 1000 if i < 12_000 else 5.0 for i in range(1000, 20_001, 1000)}
    return made_run(settings=REFERENCE, series={"train/psnr": psnr, "test/psnr": psnr},
                    checkpoints={11_000: moved(), 20_000: moved()})


def test_a_count_frozen_by_design_is_no_fault() -> None:
    """Any red finding on this public log would be a false alarm."""
    assert diagnose(long_finished_run()).findings == ()


def test_a_divergence_at_a_reset_is_not_blamed_on_the_reset() -> None:
    """Opacities learn again after the reset at 12,000: the drop that stays has another cause."""
    assert verdict("opacity-reset-regression", diverging_run()) is None


def test_the_finding_counts_the_stuck_and_names_the_reset() -> None:
    """Its numbers are the measured ones: all 900, 1,000 iterations after the second reset."""
    finding = found("opacity-reset-regression", stuck_after_reset())
    assert finding.gaussians is not None
    assert (finding.gaussians.count, finding.gaussians.fraction, finding.gaussians.iteration) == (900, 1.0, LAST)
    assert finding.facts == {"reset": 1000}
    assert finding.iterations == (500, LAST)
    assert finding.evidence[2].value == pytest.approx(quality(500) - 13.0)
    assert "1,000 iterations after the reset at 1,000" in finding.says


def test_the_fault_begins_at_the_reset_that_was_not_made_good() -> None:
    """The first reset recovered: the user must be led to the second."""
    psnr = {i: quality(i) if i <= 1000 else 13.0 for i in range(100, LAST + 1, 100)}
    stuck = {c.iteration: c.gaussians for c in stuck_after_reset().checkpoints}
    finding = found("opacity-reset-regression", healthy_run(checkpoints=stuck, series={"train/psnr": psnr}))
    assert finding.iterations == (1000, LAST)
    unlogged = dict.fromkeys(("train/psnr", "test/psnr", "view/psnr", "loss/l1"))
    blind = found("opacity-reset-regression", healthy_run(checkpoints=stuck, series=unlogged))
    assert (blind.iterations, blind.confidence, blind.evidence[2].value) == ((1000, LAST), 0.7, None)


def test_without_a_save_after_the_recovery_a_reset_cannot_be_judged() -> None:
    """Right after a reset every healthy opacity is 0.01 as well."""
    answer = verdict("opacity-reset-regression", healthy_run(checkpoints={200: start(), 1100: moved()}))
    assert isinstance(answer, NotEvaluable)
    assert "more than 167 iterations after a reset" in answer.missing[0]


def test_stuck_opacities_that_do_no_harm_are_minor() -> None:
    """Quality recovered, so it is a matter of size, not of failure."""
    run = stuck_after_reset()
    psnr = {i: quality(i) for i in range(100, LAST + 1, 100)}
    harmless = healthy_run(checkpoints={c.iteration: c.gaussians for c in run.checkpoints}, series={"train/psnr": psnr})
    assert found("opacity-reset-regression", harmless).severity == "minor"
    assert found("opacity-reset-regression", run).severity is None


@pytest.mark.parametrize(("part", "severity"), [(0.35, "minor"), (0.6, None)])
def test_without_a_log_only_a_stuck_majority_is_serious(part: float, severity: str | None) -> None:
    """A masked object leaves the points of its surroundings at the reset's opacity for ever, and its quality may be the best."""
    left = moved().logit_opacities.copy()
    left[: round(part * len(left))] = np.log(0.01 / 0.99)
    unlogged = dict.fromkeys(("train/psnr", "test/psnr", "view/psnr", "loss/l1"))
    run = healthy_run(checkpoints={200: start(), LAST: changed(moved(), logit_opacities=left)}, series=unlogged)
    assert found("opacity-reset-regression", run).severity == severity


def test_opacities_that_leave_the_reset_too_slowly_are_found_by_the_harm() -> None:
    """An opacity rate far too small leaves no value exactly at 0.01, and the picture as dark as one that froze."""
    finding = found("opacity-reset-regression", slow_after_reset())
    assert (finding.evidence[0].value, finding.evidence[0].limit, finding.severity) == (1.0, 0.5, None)
    assert "an opacity of at most 0.02" in finding.says


@pytest.mark.parametrize("psnr", [None, {i: quality(i) for i in range(100, LAST + 1, 100)}], ids=["unlogged", "recovered"])
def test_many_faint_gaussians_without_harm_are_no_fault(psnr: dict[int, float] | None) -> None:
    """MCMC keeps many at low opacity by design."""
    faint = {c.iteration: c.gaussians for c in slow_after_reset().checkpoints}
    series = {"train/psnr": psnr, **dict.fromkeys(("test/psnr", "view/psnr", "loss/l1"))}
    assert verdict("opacity-reset-regression", healthy_run(checkpoints=faint, series=series)) is None


def test_a_range_without_densifications_cannot_tell_whether_they_work() -> None:
    """After the planned end the count is flat by design; that says nothing about before."""
    answer = verdict("densification-never-triggers", healthy_run(), (1300, LAST))
    assert answer == NotEvaluable(("a range that covers at least 3 densifications",))


def test_births_count_even_where_pruning_outweighs_them() -> None:
    """A count that never rises may hide healthy growth that pruning takes away."""
    flat = dict.fromkeys(range(1, LAST + 1), 400.0)
    assert verdict("densification-never-triggers", healthy_run(series={"num_gaussians": flat})) is None
    silent = dict.fromkeys(("densify/cloned", "densify/split", "densify/pruned"), dict.fromkeys(DENSIFICATIONS, 0.0))
    assert found("densification-never-triggers", healthy_run(series={"num_gaussians": flat, **silent})).facts["count"] == "400"


def test_a_random_start_that_is_cleaned_up_and_grows_again_is_no_fault() -> None:
    """100,000 random points, 10,000 after the first clean-up, 80,000 at the end: never above the start, and healthy."""
    counts = {1: 1e5, 300: 1e4, 1300: 8e4, LAST: 8e4}
    silent = dict.fromkeys(("densify/cloned", "densify/split", "densify/pruned"))
    assert verdict("densification-never-triggers", healthy_run(series={"num_gaussians": counts, **silent})) is None


def test_two_falling_counts_cannot_tell_births_from_removals() -> None:
    """The reference saves at 7,000 and 30,000; late in densification removals may outweigh births."""
    run = made_run(settings=REFERENCE, series={"num_gaussians": {7000: 60_000.0, 30_000: 55_000.0}})
    answer = verdict("densification-never-triggers", run)
    assert isinstance(answer, NotEvaluable)
    assert "densify/cloned" in answer.missing[0]
    flat = made_run(settings=REFERENCE, series={"num_gaussians": {7000: 60_000.0, 30_000: 60_000.0}})
    assert "in 80 densifications" in found("densification-never-triggers", flat).says


def test_no_growth_is_only_a_hint_where_the_schedule_is_a_default() -> None:
    """INRIA stores no densification settings: a run may have switched densification off, and be as it should be."""
    flat = {7000: 60_000.0, 30_000: 60_000.0}
    stored = next(iter(diagnose(made_run(settings=REFERENCE, series={"num_gaussians": flat})).findings))
    assumed = next(iter(diagnose(made_run(defaults=REFERENCE, series={"num_gaussians": flat})).findings))
    assert (stored.severity, assumed.severity) == ("major", "info")
    assert [any("switched off on purpose" in fix.do for fix in reported.fixes) for reported in (stored, assumed)] == [False, True]


def test_growth_past_a_default_that_was_not_stored_is_only_a_hint() -> None:
    """The run may have been given another end on the command line, which this trainer does not write down."""
    series = {"num_gaussians": {i: 400.0 + 50 * (i // 100) for i in range(1, LAST + 1)}}
    hint = found("grows-after-densification-ended", made_run(series=series, defaults=REFERENCE | {"densify_until_iter": 1200}))
    assert (hint.severity, hint.confidence) == ("info", 0.4)
    assert "default" in hint.says
    assert found("grows-after-densification-ended", never_stops()).severity is None


def test_without_a_schedule_growth_is_not_judged() -> None:
    """No trainer's defaults are assumed for a run that does not say."""
    for name in ("densification-never-triggers", "grows-after-densification-ended", "opacity-reset-regression"):
        assert isinstance(verdict(name, made_run(series={"num_gaussians": {1: 5.0, 9000: 5.0}}, checkpoints={9000: moved()})),
                          NotEvaluable)


def test_mcmc_at_its_cap_grows_no_more_by_design() -> None:
    """A random start may fill the cap from the first iteration; relocation does the rest."""
    flat = dict.fromkeys(range(1, LAST + 1), 400.0)
    silent = dict.fromkeys(("densify/cloned", "densify/split", "densify/pruned", "opacity_reset"))
    full = {"strategy": "mcmc", "cap_max": 400}
    assert verdict("densification-never-triggers", healthy_run(series={"num_gaussians": flat, **silent}, settings=full)) is None
    room = {"strategy": "mcmc", "cap_max": 4000}
    assert found("densification-never-triggers", healthy_run(series={"num_gaussians": flat, **silent}, settings=room))


def test_a_reset_without_harm_names_no_drop() -> None:
    """A negative drop would be an improvement, told as a loss."""
    run = stuck_after_reset()
    psnr = {i: quality(i) + i / 100 for i in range(100, LAST + 1, 100)}
    better = healthy_run(checkpoints={c.iteration: c.gaussians for c in run.checkpoints}, series={"train/psnr": psnr})
    assert "dB" not in found("opacity-reset-regression", better).says


def test_those_that_no_gradient_reaches_are_not_the_resets_fault() -> None:
    """A mask or a lack of cameras leaves them as they are in everything; where only opacities stay, the reset is at fault."""
    learning = stuck_after_reset().checkpoints[-1].gaussians
    earlier = changed(learning, sh0=learning.sh0 + 0.01, means=learning.means + 1e-3)
    psnr = {i: quality(i) if i <= 1000 else 13.0 for i in range(100, LAST + 1, 100)}
    frozen = healthy_run(series={"train/psnr": psnr}, checkpoints={200: start(), 1500: earlier, LAST: learning})
    unreached = healthy_run(series={"train/psnr": psnr}, checkpoints={200: start(), 1500: learning, LAST: learning})
    assert found("opacity-reset-regression", frozen).severity is None
    assert verdict("opacity-reset-regression", unreached) is None
