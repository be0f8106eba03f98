"""The resume probe: what a state lacks shows in the first updates, and a state that lacks nothing is left alone."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.catalogue import load_catalogue
from diagnostics.diagnose import diagnose
from diagnostics.evidence import Cancelled
from diagnostics.probes.answer import Judged, Result
from diagnostics.probes.ask import ask, bench_at
from diagnostics.probes.bench import Limits, Listener, Wish
from diagnostics.probes.registry import PROBES, pages
from diagnostics.probes.resume_measured import agreement, kick
from diagnostics.probes.resume_state import bare, left_by
from diagnostics.probes.resume_views import shown, visits
from diagnostics.probes.resume_ways import Way
from runs.checkpoints import AdamGroup, TrainingState
from tests.diagnostics.probes.states import forgotten, with_columns, with_moments, with_state
from tests.lab.opened import opened

HEALTHY, OTHER = "usual-court-0_court-0_mini", "mcmc-studio_studio-2_mini"
RESTARTED = "resumed-without-moments-at-0.5_court-0_mini"
P_03, CK_1 = "resume-does-not-continue", "optimiser-state-missing"
SHORT = Wish(steps=30)


def judged(result: Result, pattern: str) -> Judged:
    return next(each for each in result.answer.judged if each.pattern == pattern)


def value(result: Result, what: str) -> float:
    found = next(row.value for row in result.answer.rows if row.what.startswith(what))
    assert isinstance(found, float)
    return found


@pytest.mark.parametrize("slug", [HEALTHY, OTHER])
def test_a_whole_state_is_left_alone(slug: str) -> None:
    """The worst fault would be an alarm here; its updates go on at the length that they had."""
    result = ask("resume", opened(slug))
    assert result.outcome == "clear"
    assert {each.pattern for each in result.answer.judged} == set(pages()["resume"].settles)
    assert value(result, "as stored: first update of the scales") < 2
    assert value(result, "without Adam's moments: first update of the scales") > 2.5


def test_a_state_without_moments_does_not_continue() -> None:
    """Found, with a cure whose effect was measured; and the finding is fit to be shown."""
    run = with_state(opened(HEALTHY), lambda state: with_moments(state, forgotten))
    result = ask("resume", run, wish=SHORT)
    found = judged(result, P_03).finding
    assert found is not None
    assert result.outcome == "finding"
    assert value(result, "as stored: first update of the scales") > 2.5
    assert value(result, "with gathered moments: first update of the scales") < 2
    assert "learning rate at 0" in found.fixes[0].do
    shown_findings = {reported.pattern.name for reported in diagnose(run, probed=[result]).findings}
    assert {P_03, CK_1} <= shown_findings


def test_moments_of_another_number_of_rows_cannot_be_used() -> None:
    def cut(group: AdamGroup) -> AdamGroup:
        assert group.exp_avg is not None
        assert group.exp_avg_sq is not None
        return replace(group, exp_avg=group.exp_avg[:-3], exp_avg_sq=group.exp_avg_sq[:-3])

    result = ask("resume", with_state(opened(HEALTHY), lambda state: with_moments(state, cut)), wish=SHORT)
    assert judged(result, P_03).finding is not None


def test_moments_of_other_rows_are_told_from_those_of_these() -> None:
    """No file shows it: the shapes fit, and every Gaussian is moved by another one's history."""
    order = np.random.default_rng(0).permutation(opened(HEALTHY).state_files[-1].state.gaussians.count)

    def shuffled(group: AdamGroup) -> AdamGroup:
        assert group.exp_avg is not None
        assert group.exp_avg_sq is not None
        return replace(group, exp_avg=np.array(group.exp_avg)[order], exp_avg_sq=np.array(group.exp_avg_sq)[order])

    result = ask("resume", with_state(opened(HEALTHY), lambda state: with_moments(state, shuffled)), wish=SHORT)
    found = judged(result, P_03).finding
    assert found is not None
    assert "rank correlation" in found.says
    assert judged(result, CK_1).finding is None


def test_an_earlier_resume_is_replayed_where_it_happened() -> None:
    """Its own log tells which of the two continuations it went on."""
    result = ask("resume", opened(RESTARTED), wish=SHORT)
    found = judged(result, CK_1).finding
    assert found is not None
    assert result.answer.iteration == 400
    assert value(result, "logged L1 against the continuation without moments") < 1e-3
    assert value(result, "logged L1 against the continuation with the state's moments") > 0.1
    assert found.fixes == ()  # beside a reset gathered moments cure nothing


def test_a_point_cloud_alone_is_measured_and_no_verdict() -> None:
    """A finished run without states is sound; what a resume from it would cost is told all the same."""
    run = replace(opened(HEALTHY), state_files=())
    result = ask("resume", run, wish=SHORT)
    assert result.outcome == "open"
    assert "parameters alone" in result.answer.says
    assert value(result, "from the point cloud alone: first update of the scales") > 2.5


def test_the_question_stays_open_where_nothing_can_be_continued() -> None:
    """Each with what stands in the way."""
    run = opened(HEALTHY)

    def broken(state: TrainingState) -> TrainingState:
        means = np.array(state.gaussians.means)
        means[:7] = np.nan
        return replace(state, gaussians=with_columns(state.gaussians, means=means))

    nothing = replace(run, state_files=(), checkpoints=())
    blind = replace(run, sources=replace(run.sources, photos=dict))
    for asked, why in ((nothing, "saved point cloud"), (blind, "photos"), (with_state(run, broken), "7 rows")):
        result = ask("resume", asked, wish=SHORT)
        assert result.outcome == "open"
        assert why in result.answer.missing[0]
    assert "more time" in ask("resume", run, limits=Limits(seconds=1e-9)).answer.missing[0]


def test_many_gaussians_get_fewer_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shorter answer within the time that was given, instead of none."""
    monkeypatch.setattr("diagnostics.probes.questions.resume.MANY", 1)
    monkeypatch.setattr("diagnostics.probes.questions.resume.TIME_SHARE", 0.0)
    result = ask("resume", opened(HEALTHY))
    assert (result.outcome, result.answer.done["iterations"]) == ("clear", 20)


def test_a_wish_chooses_the_state() -> None:
    assert left_by(bench_at(opened(RESTARTED), wish=Wish(iteration=790))).state.iteration == 800
    assert left_by(bench_at(opened(RESTARTED))).state.iteration == 400


def test_it_can_be_called_off() -> None:
    def stop(fraction: float, _text: str) -> None:
        if fraction > 0:
            raise Cancelled

    with pytest.raises(Cancelled):
        ask("resume", opened(HEALTHY), listener=Listener(progress=stop))


def test_a_kick_is_measured_view_by_view() -> None:
    """Views differ by far more than a kick, so only pairs tell it; the first picture is drawn before any step."""
    views = np.tile([20.0, 30.0], 15)
    ones = {"xyz": np.ones(30)}
    before = Way("a", ("v",) * 30, views, views, ones)
    after = Way("b", ("v",) * 30, views - 0.25 - np.eye(1, 30)[0], views, ones)
    found = kick(after, before)
    assert found.mean_db == pytest.approx(-0.25)
    assert found.error_db == pytest.approx(0, abs=1e-9)
    assert found.views_db == pytest.approx(5)
    assert found.late_db == pytest.approx(-0.25)


def test_agreement_sees_order_not_size() -> None:
    """Moments gathered in a few steps are smaller by a factor, for all rows alike."""
    state = opened(HEALTHY).state_files[-1].state
    scaled = with_moments(state, lambda group: replace(group, exp_avg_sq=np.array(group.exp_avg_sq) * 7))
    assert agreement(state, scaled)["scaling"] == pytest.approx(1)
    assert agreement(state, bare(state)) == {}


def test_views_come_in_the_order_of_the_log() -> None:
    """The same views at the same iterations, or a loss could not be held against the run's own."""
    run = opened(HEALTHY)
    bench = bench_at(run)
    told = visits(run, 401, 430)
    looked = shown(bench, 64, 24, (401, 430))
    assert len(told) == 30
    for iteration, name in told.items():
        assert looked.data.train[looked.view_index(iteration, len(looked.data.train), 0)].name == name
    assert looked.shrunk == 1
    assert looked.dilation_px2 == pytest.approx(0.3)
    assert shown(bench, 32, 4, (1, 1)).dilation_px2 == pytest.approx(0.3 / 4 + 0.75 / 12)


def test_the_cost_is_told_before() -> None:
    run = opened(HEALTHY)
    work = PROBES["resume"].workload(bench_at(run))
    assert (work.steps, work.gaussians, work.size_px) == (240, run.state_files[-1].state.gaussians.count, (64, 64))


def test_every_limit_has_its_reason_and_the_pattern_names_its_probe() -> None:
    assert set(pages()["resume"].limits) == set(PROBES["resume"].limits)
    assert load_catalogue()[P_03].probe == "resume"
