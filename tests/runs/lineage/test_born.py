"""When Gaussians were born: the advice of a finding rests on it, so what is not sure must not be told."""

from dataclasses import replace

import numpy as np
import pytest

from runs.errors import UnreadableFile
from runs.gaussians import Gaussians
from runs.lineage.born import NOT_KNOWN, born
from runs.run import Run
from tests.support.densified import densified, learned
from tests.support.runs import changed, cloud, made_run

START = cloud(400, seed=5)
CLONES, SPLITS = np.arange(0, 400, 10), np.arange(3, 400, 20)
FIRST = learned(densified(START, clones=CLONES, splits=SPLITS))
LATER_CLONES, LATER_SPLITS = np.arange(5, FIRST.count, 12), np.arange(7, FIRST.count, 25)
SECOND = learned(densified(FIRST, clones=LATER_CLONES, splits=LATER_SPLITS, seed=3), 3)


def run_of(**changes: Gaussians) -> Run:
    return made_run(checkpoints={100: START, 200: FIRST, 300: SECOND} | {int(name[1:]): value for name, value in changes.items()})


def aged(when: np.ndarray, clones: np.ndarray, splits: np.ndarray, now: int) -> np.ndarray:
    """The truth: what stayed keeps its birth, clones and halves come last and are new."""
    return np.concatenate([np.delete(when, splits), np.full(len(clones) + 2 * len(splits), now)])


def test_each_row_has_the_interval_in_which_it_itself_was_born() -> None:
    """Not that of its ancestors: a clone of a start point is no start point."""
    run = run_of()
    found = born(run, run.checkpoints, {100, 300}, lambda: None)
    assert set(found) == {100, 300}
    assert found[100].when.tolist() == [0] * 400
    last = found[300]
    assert last.saves == (100, 200, 300)
    truth = aged(aged(np.zeros(400, int), CLONES, SPLITS, 1), LATER_CLONES, LATER_SPLITS, 2)
    known = last.when != NOT_KNOWN
    assert (last.when[known] == truth[known]).mean() > 0.99
    assert known.mean() > 0.94
    assert (last.confidence[~known] == 0).all()
    assert ((last.confidence > 0.9) & (last.confidence <= 1))[known].all()


def test_where_order_is_lost_everything_begins_anew() -> None:
    """Rows that only look alike are no evidence of when anything was born."""
    shuffled = np.random.default_rng(0).permutation(FIRST.count)
    other = changed(FIRST, **{name: FIRST.load(name)[shuffled] for name in
                              ("means", "log_scales", "quats_wxyz", "logit_opacities", "sh0", "sh_rest")})
    run = run_of(_200=other)
    found = born(run, run.checkpoints, {200, 300}, lambda: None)
    assert found[200].saves == (200,)
    assert found[300].saves == (300,)


def test_a_save_that_cannot_be_read_is_left_out() -> None:
    """One damaged file must not cost the others."""
    run = run_of()

    def broken() -> Gaussians:
        raise UnreadableFile("it is cut off", run.checkpoints[1].path)
    saves = [run.checkpoints[0], replace(run.checkpoints[1], read=broken), run.checkpoints[2]]
    assert born(run, saves, {300}, lambda: None)[300].saves == (100, 300)
    assert any("cut off" in note.says for note in run.notes)


def test_it_can_be_stopped() -> None:
    """A user who presses Cancel does not wait for ten saves."""
    run = run_of()
    with pytest.raises(InterruptedError):
        born(run, run.checkpoints, {300}, _stop)


def _stop() -> None:
    raise InterruptedError
