"""Links: each is told by the surest source that holds for both saves, and what nobody knows is not told."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from runs.gaussians import Gaussians
from runs.lineage import links
from runs.lineage.link import BORN, CLONED, COPIED, DESCENDED, SAME, SPLIT, UNKNOWN, Link, link_between
from runs.recorder import CLONE, FOLDER, HALF, RELOCATED, STAYED
from runs.run import UNKNOWN_TRAINER
from tests.support.claimed import MCMC, linked_states
from tests.support.densified import densified, learned
from tests.support.runs import changed, cloud, made_run

CLONES, SPLITS = np.arange(0, 400, 10), np.arange(3, 400, 20)
BEFORE = cloud(400, seed=5)
AFTER = learned(densified(BEFORE, clones=CLONES, splits=SPLITS))


def record(run: Path, iteration: int, rows: list[int], kinds: list[int]) -> None:
    """As `runs.recorder` writes it."""
    (run / FOLDER).mkdir(parents=True, exist_ok=True)
    np.savez_compressed(run / FOLDER / f"lineage_{iteration:07d}.npz", rows=np.array(rows), kinds=np.array(kinds, np.uint8))


def recorded_link(run: Path, before: Gaussians, after: Gaussians) -> Link:
    made = made_run(checkpoints={100: before, 200: after}, path=run)
    return link_between(made, *made.checkpoints, lambda: None)


def test_the_order_of_rows_tells_survivors_and_the_parents_of_one_densification() -> None:
    """INRIA's and gsplat's trainers keep it, so these are facts, and the link says how sure they are."""
    link = linked_states(BEFORE, AFTER)
    stayed = np.setdiff1d(np.arange(400), SPLITS)
    assert link.source == "the order of rows"
    np.testing.assert_array_equal(link.parents[: len(stayed)], stayed)
    assert set(link.kinds[: len(stayed)]) == {SAME}
    born = slice(len(stayed), len(stayed) + len(CLONES))
    assert (link.parents[born] == CLONES).mean() > 0.95
    assert (link.kinds[born] == CLONED).mean() > 0.95
    assert (link.kinds[born.stop:] == SPLIT).mean() > 0.95
    assert (link.confidence[link.kinds != SAME] < 1).all()
    assert ((link.confidence == 0) == (link.kinds == UNKNOWN)).all()


def test_over_several_densifications_no_parent_is_invented() -> None:
    """Every second guess is wrong there: "not available" is the truth."""
    later = AFTER
    for seed in (1, 2):
        rows = np.arange(later.count)
        later = learned(densified(later, clones=rows[seed::9], splits=rows[seed + 3::14], seed=seed), seed)
    link = linked_states(BEFORE, later)
    assert (link.kinds == SAME).sum() > 200
    assert not np.isin(link.kinds, (CLONED, SPLIT)).any()
    assert not link.complete


def test_where_nothing_was_born_or_went_every_row_is_itself_for_sure() -> None:
    """After densification a row number is an identity."""
    link = linked_states(BEFORE, learned(BEFORE))
    np.testing.assert_array_equal(link.parents, np.arange(400))
    assert (link.confidence == 1).all()


@pytest.mark.parametrize("gone", [0, 200, 330])
def test_equal_counts_alone_are_no_identity(gone: int) -> None:
    """As many may have been born as went: then every row behind the one that went is another Gaussian."""
    grown = densified(BEFORE, clones=np.array([17]), splits=np.array([], np.int64), offset=1.0)
    later = learned(grown.take(np.arange(401) != gone))
    link = linked_states(BEFORE, later)
    np.testing.assert_array_equal(link.parents[:399], np.arange(400)[np.arange(400) != gone])
    assert link.kinds[399] in (CLONED, BORN, UNKNOWN)
    assert link.goes_on_nowhere(gone)


def test_rows_that_changed_beyond_recognition_are_not_called_newborn() -> None:
    """The number of a row only falls, so a newborn is known by its number; the others may be old ones."""
    thrown = learned(BEFORE).sh0.copy()
    thrown[300:] *= -3
    grown = densified(changed(learned(BEFORE), sh0=thrown), clones=np.arange(0, 200, 4), splits=np.array([], np.int64))
    link = linked_states(BEFORE, grown)
    assert (link.kinds[:300] == SAME).all()
    assert set(link.kinds[300:400]) == {UNKNOWN}
    assert not np.isin(link.kinds[400:], (SAME, UNKNOWN)).any()
    assert not link.goes_on_nowhere(350)


def test_mcmc_rows_stay_in_place_or_are_copies() -> None:
    """A jump is no motion: the row is somebody else now; and what noise threw far is neither told as the one nor as the other."""
    dead, sources = np.arange(0, 60, 3), np.arange(200, 220)
    before = changed(BEFORE, logit_opacities=np.where(np.isin(np.arange(400), dead), -8, BEFORE.logit_opacities))
    rows = np.arange(400)
    rows[dead] = sources
    after = before.take(rows)
    thrown = after.means.copy()
    thrown[100] += 50
    link = linked_states(before, changed(after, means=thrown), MCMC)
    assert (link.kinds[dead] == COPIED).all()
    np.testing.assert_array_equal(link.parents[dead], sources)
    others = np.setdiff1d(np.arange(400), [*dead, 100])
    np.testing.assert_array_equal(link.parents[others], others)
    assert (link.kinds[100], link.parents[100]) == (UNKNOWN, -1)


@pytest.mark.parametrize("why", ["trainer", "format", "shuffled"])
def test_rows_in_no_known_order_are_matched_by_likeness(why: str) -> None:
    """Row 17 of a sorted file is another Gaussian: joined by its number it would tell somebody else's life."""
    order = np.random.default_rng(0).permutation(400)
    run = made_run(checkpoints={100: BEFORE, 200: learned(BEFORE).take(order)})
    first, last = run.checkpoints
    if why == "trainer":
        run = replace(run, trainer=UNKNOWN_TRAINER)
    elif why == "format":
        last = replace(last, keeps_rows=False)
    link = link_between(run, first, last, lambda: None)
    told = link.kinds == SAME
    assert link.source == "likeness"
    assert told.mean() > 0.8
    np.testing.assert_array_equal(link.parents[told], order[told])
    assert link.confidence[told].min() >= 0.5
    assert not link.confidence[~told].any()


def test_a_record_of_the_training_wins(tmp_path: Path) -> None:
    """It is exact where order can only guess, however many densifications lie between."""
    record(tmp_path, 100, [0, 1, 2, 3, 1, 2, 2], [STAYED] * 4 + [CLONE, HALF, HALF])
    record(tmp_path, 150, [0, 6, 1, 5, 4, 4], [STAYED, STAYED, RELOCATED, STAYED, HALF, CLONE])
    link = recorded_link(tmp_path, cloud(4), cloud(6, seed=9))
    assert link.source == "a record of the training"
    assert link.parents.tolist() == [0, 2, 1, 2, 1, 1]
    assert link.kinds.tolist() == [SAME, SPLIT, COPIED, SPLIT, DESCENDED, DESCENDED]
    assert (link.confidence == 1).all()


@pytest.mark.parametrize(("rows", "kinds"), [([0, 1], [0, 0]), ([0, 9, 1], [0, 0, 0]), ([0, 1, 2], [0, 0, 77])])
def test_a_record_that_does_not_fit_is_left_aside(tmp_path: Path, rows: list[int], kinds: list[int]) -> None:
    """It may be of another training in the same folder, or damaged: then the order of rows tells."""
    record(tmp_path, 150, rows, kinds)
    before = cloud(3)
    assert recorded_link(tmp_path, before, learned(before)).source in ("the order of rows", "likeness")


def test_links_are_computed_once_and_let_go_with_their_saves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each click asks again; memory must not grow with the runs that were looked at, nor beyond a bound."""
    monkeypatch.setattr(links, "MOST_ROWS", 900)
    run = made_run(checkpoints={i: learned(BEFORE, i) for i in (100, 200, 300, 400)})
    held = len(links._kept)
    one, two, three, four = run.checkpoints
    first = links.linked(run, one, two, lambda: None)
    second = links.linked(run, two, three, lambda: None)
    assert links.linked(run, one, two, lambda: None) is first
    links.linked(run, three, four, lambda: None)
    assert links.linked(run, one, two, lambda: None) is first
    assert links.linked(run, two, three, lambda: None) is not second  # the longest unused went
    del run, one, two, three, four
    assert len(links._kept) <= held
