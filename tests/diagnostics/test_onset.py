"""When it began: the sentence sends the reader to the start or to densification, so it must be counted and never guessed."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.birth_words import interval
from diagnostics.diagnosis import Began, Reported
from diagnostics.evidence import Cancelled
from diagnostics.onset import MOST_ROWS, affordable, with_onsets
from diagnostics.schedule import Schedule
from diagnostics.verdict import GaussianPlace, NotEvaluable
from runs.arrays import I64
from runs.run import UNKNOWN_TRAINER, Run
from tests.diagnostics.report.support import reported
from tests.support.densified import densified, learned
from tests.support.runs import cloud, made_run

START = cloud(400, seed=5)
CLONES, SPLITS = np.arange(0, 400, 10), np.arange(3, 400, 20)
GROWN = learned(densified(START, clones=CLONES, splits=SPLITS))
NEWBORN = np.arange(380, GROWN.count)
SETTINGS = {"densify_from_iter": 500, "densify_until_iter": 15_000, "densification_interval": 100, "opacity_reset_interval": 3000,
            "iterations": 30_000}
SCHEDULE = Schedule(500, 15_000, 100, 3000, tuple(range(600, 15_000, 100)), (3000, 6000, 9000, 12_000), (), True, "cfg_args")


def run_of(**changes: object) -> Run:
    return made_run(**({"checkpoints": {550: START, 650: GROWN}, "settings": SETTINGS} | changes))  # type: ignore[arg-type]


def pointing_at(rows: I64, iteration: int = 650, of: int = GROWN.count) -> Reported:
    return reported(gaussians=GaussianPlace(rows, iteration, of))


def began(run: Run, found: Reported) -> Began | NotEvaluable | None:
    return with_onsets(run, [found], (0, 30_000), lambda: None)[0].began


def test_newborns_are_told_from_start_points_with_their_densification() -> None:
    """Half of the answer to "why" is "when": these came with the first densification, and those were there before."""
    told = began(run_of(), pointing_at(np.concatenate([NEWBORN[:30], np.arange(10)])))
    assert isinstance(told, Began)
    assert [(one.count, one.first, one.last) for one in told.births] == [(10, 0, 550), (30, 550, 650)]
    assert told.says.replace("\N{NO-BREAK SPACE}", " ") == (
        "75 % of the 40 Gaussians were born between iterations 550 and 650, in the first densification; "
        "25 % were there from the start")
    assert told.telling
    assert "as densification began" in told.means
    assert 0.9 < told.confidence <= 1
    assert told.source == "the order of rows"


def test_gaussians_as_old_as_all_others_are_said_to_be_no_different() -> None:
    """"80 % are start points" is no clue where 80 % of all Gaussians are."""
    told = began(run_of(), pointing_at(np.arange(0, GROWN.count, 3)))
    assert isinstance(told, Began)
    assert not told.telling
    assert "sets these apart from no others" in told.means


def test_a_first_save_before_densification_holds_start_points() -> None:
    """No earlier save is needed to know that."""
    told = began(run_of(checkpoints={550: START}), pointing_at(np.arange(5), 550, 400))
    assert isinstance(told, Began)
    assert told.says == "100\N{NO-BREAK SPACE}% of the 5 Gaussians were there from the start"


@pytest.mark.parametrize(("changes", "place", "missing"), [
    ({"checkpoints": {7000: START}}, (np.arange(5), 7000, 400), "an earlier save"),
    ({"trainer": UNKNOWN_TRAINER}, (NEWBORN, 650, GROWN.count), "known to keep the order of rows"),
    ({}, (np.arange(5), 650, 7), "the save whose rows these are"),  # rows of something else, such as a training state
    ({"checkpoints": {550: START, 650: cloud(440, seed=9)}}, (np.arange(5), 650, 440), "whose rows can be followed"),
])
def test_what_is_not_sure_is_not_told(changes: dict[str, object], place: tuple[I64, int, int], missing: str) -> None:
    """A guess that reads like a count would be an invented number."""
    told = began(run_of(**changes), pointing_at(*place))
    assert isinstance(told, NotEvaluable)
    assert missing in told.missing[0]


def test_a_finding_without_gaussians_has_no_births() -> None:
    """There is nobody to trace, and that is no lack of evidence."""
    assert began(run_of(), reported(gaussians=None)) is None


def test_it_can_be_cancelled() -> None:
    """Tracing is the last step of a diagnosis and may be stopped like every other."""
    def stop() -> None:
        raise Cancelled
    with pytest.raises(Cancelled):
        with_onsets(run_of(), [pointing_at(NEWBORN)], (0, 30_000), stop)


def test_saves_between_are_left_out_before_time_runs_out() -> None:
    """Ten saves of a million rows must not cost a minute; the first and the wanted one tell most."""
    large = [replace(save, count=MOST_ROWS // 4) for save in made_run(
        checkpoints=dict.fromkeys(range(1000, 11000, 1000), START)).checkpoints]
    kept = affordable(large, {10_000})
    assert next(save.iteration for save in kept) == 1000
    assert [save.iteration for save in kept][-1] == 10_000
    assert sum(save.count for save in kept) <= MOST_ROWS
    small = [replace(save, count=100) for save in large]
    assert affordable(small, {10_000}) == small


@pytest.mark.parametrize(("saves", "index", "phase", "said"), [
    ((500, 900), 0, "start", "there from the start"),
    ((7000, 30_000), 0, "before the first save", "from the start or born in the first 64\N{NO-BREAK SPACE}densifications"),
    ((500, 900), 1, "first densifications", "in the first 3\N{NO-BREAK SPACE}densifications"),
    ((2900, 3200), 1, "densification", "in 3\N{NO-BREAK SPACE}densifications, around the opacity reset at 3,000"),
    ((7000, 15_000), 1, "densification", "around the opacity resets at 9,000 and 12,000"),
    ((15_000, 30_000), 1, "after its end", "although densification ends at 15,000"),
    ((100, 300), 1, "unplanned", "where no densification is planned"),
])
def test_the_words_for_a_time(saves: tuple[int, ...], index: int, phase: str, said: str) -> None:
    """The last reset of the usual recipe is at 12,000 and the last pruning at 14,900: nothing later may be put on them."""
    one = interval(saves, index, SCHEDULE, moves=False)
    assert one.phase == phase
    assert said in one.says


def test_relocation_is_no_birth_by_densification() -> None:
    """MCMC moves its dead; to call that a clone or a split would be wrong."""
    assert interval((500, 900), 1, SCHEDULE, moves=True).says == "relocated or added between iterations 500 and 900"


def test_late_findings_are_not_put_on_resets_or_pruning() -> None:
    """After 15,000 the usual recipe neither resets nor prunes, whatever tables of artifacts say."""
    pattern = replace(reported().pattern, layer="statistics")
    found = replace(reported(pattern, gaussians=None), iterations=(25_000, 30_000))
    run = made_run(settings=SETTINGS, series={"loss/total": dict.fromkeys((1, 30000), 0.1)})
    told = with_onsets(run, [found], (0, 30_000), lambda: None)[0].timing
    assert told == ("It shows from iteration 25,000 on: 13,000 iterations after the last opacity reset at 12,000 and 10,100 "
                    "iterations after the last densification at 14,900.")


def test_what_was_so_before_training_has_no_time() -> None:
    """Poses were wrong from the start, whenever it first shows."""
    pattern = replace(reported().pattern, layer="data")
    found = replace(reported(pattern, gaussians=None), iterations=(25_000, 30_000))
    assert with_onsets(run_of(), [found], (0, 30_000), lambda: None)[0].timing == ""
