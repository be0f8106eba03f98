"""Ancestry: the life of one Gaussian; a step too far would tell the life of another."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from runs.errors import UnreadableFile
from runs.gaussians import Gaussians
from runs.lineage import ancestry
from runs.lineage.ancestry import History, Moment, Remark, history_of
from runs.run import UNKNOWN_TRAINER, Run
from tests.support.claimed import MCMC
from tests.support.densified import densified, learned, with_opacities
from tests.support.runs import changed, cloud, made_run

CLONES, SPLITS = np.arange(0, 400, 10), np.arange(3, 400, 20)
FIRST = cloud(400, seed=5)
GROWN = learned(densified(FIRST, clones=CLONES, splits=SPLITS), 1)
PRUNED = with_opacities(GROWN, np.array([0]), 1e-4).take(np.arange(GROWN.count) != 0)
SAVES = {100: FIRST, 200: learned(FIRST), 300: GROWN, 400: learned(PRUNED, 2), 500: learned(PRUNED, 3)}
STAYED = 400 - len(SPLITS)


def told(run: Run, iteration: int, row: int, beat: Callable[[], None] = lambda: None) -> History:
    return history_of(run, iteration, row, beat)


def moments(history: History) -> list[tuple[int, int, str]]:
    return [(m.iteration, m.row, m.relation) for m in history if isinstance(m, Moment)]


def remarks(history: History) -> list[str]:
    return [m.says for m in history if isinstance(m, Remark)]


def test_a_clone_leads_back_to_its_parent_and_on_to_the_last_save() -> None:
    """Where and from whom an artifact was born is the question; the row changes on the way."""
    history = told(made_run(checkpoints=SAVES), 400, STAYED + 4 - 1)
    assert moments(history) == [
        (100, 40, "parent"), (200, 40, "parent: cloned"), (300, STAYED + 4, "itself"), (400, STAYED + 3, "inspected"),
        (500, STAYED + 3, "itself"),
    ]
    assert remarks(history) == []


def test_a_parent_tells_its_children_and_its_end() -> None:
    """A split replaces its parent by two halves; a clone leaves it where it is."""
    split = told(made_run(checkpoints=SAVES), 100, 23)
    first, second = STAYED + len(CLONES) + 1, STAYED + len(CLONES) + len(SPLITS) + 1
    assert moments(split) == [
        (100, 23, "inspected"), (200, 23, "itself"), (300, first, "child: split"), (300, second, "child: split")]
    assert remarks(split) == ["Split between 200 and 300"]
    cloned = told(made_run(checkpoints=SAVES), 200, 40)
    assert moments(cloned)[:4] == [
        (100, 40, "itself"), (200, 40, "inspected"), (300, 38, "itself"), (300, STAYED + 4, "child: cloned")]


def test_the_end_is_told_where_every_other_row_is_known() -> None:
    """"Pruned" may only be said where nobody can be a half of it."""
    history = told(made_run(checkpoints=SAVES), 300, 0)
    assert remarks(history) == ["Pruned between 300 and 400"]


def test_a_newborn_without_a_known_parent_says_so() -> None:
    """Over several densifications the parent is a guess, and a guess is not told."""
    later = GROWN
    for seed in (1, 2):
        rows = np.arange(later.count)
        later = learned(densified(later, clones=rows[seed::9], splits=rows[seed + 3::14], seed=seed), seed)
    history = told(made_run(checkpoints={100: FIRST, 600: later}), 600, later.count - 1)
    assert moments(history) == [(600, later.count - 1, "inspected")]
    assert remarks(history) == ["Born between 100 and 600: parent not available"]


def test_moments_hold_what_the_gaussian_was_there() -> None:
    """Opacity and size as shown there, and the way from where the inspected one is."""
    apart = changed(FIRST, means=FIRST.means + np.float32([0.003, 0.004, 0]))
    there, here = told(made_run(checkpoints={100: apart, 200: FIRST}), 200, 9)
    assert isinstance(there, Moment)
    assert isinstance(here, Moment)
    assert there.moved == pytest.approx(0.005, rel=1e-3)
    assert (there.opacity, there.max_scale) == pytest.approx((float(FIRST.opacities[9]), float(FIRST.scales[9].max())))
    assert (here.moved, here.confidence, there.confidence) == (0, 1, 1)


def test_confidence_falls_along_the_way() -> None:
    """Each step may be wrong, so the first save is less sure than the one before."""
    history = told(made_run(checkpoints=SAVES, trainer=UNKNOWN_TRAINER), 500, 7)
    sure = [m.confidence for m in history if isinstance(m, Moment)]
    assert len(sure) >= 2
    assert sure == sorted(sure)
    assert sure[-1] == 1 > sure[0] >= 0.5
    assert {m.source for m in history if isinstance(m, Moment)} == {"likeness", ""}


def test_a_save_that_cannot_be_read_is_stepped_over() -> None:
    """One damaged file may not end the history of all others."""
    run = made_run(checkpoints=SAVES)

    def broken() -> Gaussians:
        raise UnreadableFile("this file ends too early; copy it again", run.checkpoints[1].path)

    checkpoints = tuple(replace(c, read=broken) if c.iteration == 200 else c for c in run.checkpoints)
    history = told(replace(run, checkpoints=checkpoints), 300, 38)
    assert remarks(history) == ["Iteration 200 is left out: this file ends too early; copy it again"]
    assert [m[:2] for m in moments(history)[:2]] == [(100, 40), (300, 38)]


def test_a_relocated_row_was_copied_from_another() -> None:
    """Before that the row of this number was somebody else, who died."""
    before = with_opacities(FIRST, np.array([7]), 1e-4)
    rows = np.arange(400)
    rows[7] = 250
    run = made_run(checkpoints={100: before, 200: before.take(rows)}, trainer=MCMC)
    assert moments(told(run, 200, 7)) == [(100, 250, "copied from"), (200, 7, "inspected")]
    gone = told(run, 100, 7)
    assert (moments(gone), remarks(gone)) == (
        [(100, 7, "inspected")], ["Gone between 100 and 200: dead, its row became a copy of another"])


def test_history_is_bounded_and_can_be_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of hundreds of large saves must not fill the memory, and a newer click must not wait."""
    monkeypatch.setattr(ancestry, "MOST_ROWS", 1000)
    history = told(made_run(checkpoints=SAVES), 300, 38)
    assert [m[0] for m in moments(history)][:2] == [200, 300]
    assert remarks(history)[0] == "Not followed beyond 200: the saves hold too many Gaussians"
    beats = iter(range(3))

    def beat() -> None:
        if next(beats, None) is None:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        told(made_run(checkpoints=SAVES), 500, 1, beat)


def test_a_single_save_says_why_there_is_no_history() -> None:
    """An empty list would look like a fault."""
    assert remarks(told(made_run(checkpoints={100: FIRST}), 100, 3)) == ["This is the only save with Gaussians"]


def test_saves_of_anchors_are_passed_over() -> None:
    """Their rows are no Gaussians."""
    run = made_run(checkpoints=SAVES)
    checkpoints = tuple(replace(c, holds="anchors") if c.iteration == 400 else c for c in run.checkpoints)
    assert 400 not in [m[0] for m in moments(told(replace(run, checkpoints=checkpoints), 500, 10))]
