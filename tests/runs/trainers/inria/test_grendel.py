"""Grendel-GS trains on several processes: all their parts make one set of Gaussians, and what is lost is told once per save."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from runs.errors import UnreadableFile
from runs.gaussians import Gaussians
from runs.open_run import open_run
from runs.run import Run
from tests.runs.trainers.inria.test_scaffold import anchors
from tests.support.densified import joined
from tests.support.files import random_gaussians, write_inria_run, write_ply, write_splats
from tests.support.torch_inria import adam, capture, parameters, save
from tests.support.written import assert_same_gaussians

KEYS = "sh_degree=1, source_path='/x', model_path='m', images='images', white_background=False, eval=False, llffhold=8"
BATCH, RANKS = 4, 3


def part(rank: int, iteration: int = 6997) -> Gaussians:
    """Processes hold different numbers of Gaussians."""
    return random_gaussians(10 + rank, degree=1, seed=iteration + rank)


def shard(folder: Path, rank: int, iteration: int = 6997, *, ranks: int = RANKS) -> Path:
    return folder / "point_cloud" / f"iteration_{iteration}" / f"point_cloud_rk{rank}_ws{ranks}.ply"


def written(folder: Path, *, iterations: tuple[int, ...] = (6997,), ranks: int = RANKS) -> Path:
    write_inria_run(folder, iterations=(), cfg_args=f"Namespace({KEYS})")
    (folder / "args.json").write_text(json.dumps({"bsz": BATCH, "iterations": 30_000, "eval": False, "sh_degree": 1}))
    for iteration in iterations:
        for rank in range(ranks):
            write_splats(shard(folder, rank, iteration, ranks=ranks), part(rank, iteration))
    return folder


def write_states(folder: Path, *, steps: int = 6996 // BATCH, iteration: int = 6997) -> list[Path]:
    """As its `train_internal.py` saves them: before the step, with the iteration that a resume begins with."""
    paths = []
    for rank in range(RANKS):
        items = capture(part(rank), optimizers=[adam(parameters(part(rank)), steps=3)])
        for state in items[10]["state"].values():
            state["step"].fill_(steps)
        path = folder / "checkpoints" / str(iteration) / f"chkpnt_ws={RANKS}_rk={rank}.pth"
        paths.append(save(path, items, iteration + BATCH))
    return paths


def notes(run: Run) -> list[str]:
    return [note.says for note in run.notes if "missing" in note.says]


def test_shards_are_joined_in_order_of_rank(tmp_path: Path) -> None:
    """Rows of all processes, exactly, and the trainer's own number for the iteration."""
    run = open_run(written(tmp_path))
    (checkpoint,) = run.checkpoints
    assert (run.trainer.name, run.iterations, checkpoint.shards) == ("grendel", (6997,), (3, 3))
    assert not checkpoint.keeps_rows
    assert_same_gaussians(checkpoint.gaussians, joined(*(part(rank) for rank in range(RANKS))))
    assert run.settings.value("bsz") == BATCH
    assert notes(run) == []


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_a_lost_rank_leaves_the_rest(lost: int, tmp_path: Path) -> None:
    """What is left is a part of the scene, and says so."""
    shard(written(tmp_path), lost).unlink()
    run = open_run(tmp_path)
    assert run.checkpoints[0].shards == (2, 3)
    assert_same_gaussians(run.checkpoints[0].gaussians, joined(*(part(rank) for rank in range(RANKS) if rank != lost)))
    (says,) = notes(run)
    assert says.startswith("is missing: 3 processes trained this run")


def test_ten_lost_ranks_are_one_note_per_save(tmp_path: Path) -> None:
    """Whoever copied only the first shard of each save must not scroll past ten notes per save."""
    written(tmp_path, iterations=(6997, 29997), ranks=11)
    for iteration in (6997, 29997):
        for rank in range(1, 11):
            shard(tmp_path, rank, iteration, ranks=11).unlink()
    run = open_run(tmp_path)
    assert [checkpoint.shards for checkpoint in run.checkpoints] == [(1, 11), (1, 11)]
    assert [says.partition(":")[0] for says in notes(run)] == ["is missing, as are those of 9 other ranks (2, 3, 4, 5, 6, …)"] * 2


def test_one_gathered_file_is_read_alone(tmp_path: Path) -> None:
    """Without --distributed_save the first process writes what all hold; its logs still name the trainer."""
    write_inria_run(tmp_path, iterations=(7000,), cfg_args=f"Namespace({KEYS})")
    (tmp_path / "python_ws=4_rk=0.log").write_text("")
    run = open_run(tmp_path)
    assert (run.trainer.name, run.iterations, run.checkpoints[0].shards) == ("grendel", (7000,), None)


def test_two_trainings_in_one_folder_are_not_mixed(tmp_path: Path) -> None:
    """A second training on fewer machines leaves the first one's shards beside its own."""
    written(tmp_path)
    for rank in range(2):
        write_splats(shard(tmp_path, rank, ranks=2), part(rank))
    for rank in range(RANKS):
        os.utime(shard(tmp_path, rank), (1, 1))
    run = open_run(tmp_path)
    assert run.checkpoints[0].shards == (2, 2)
    assert any("wrote this save again" in note.says for note in run.notes)


def test_shards_of_different_degrees_do_not_belong_together(tmp_path: Path) -> None:
    """Rows of two SH degrees make no set of Gaussians."""
    write_splats(shard(written(tmp_path), 1), random_gaussians(5, degree=2))
    run = open_run(tmp_path)
    assert run.checkpoints == ()
    assert any("different SH degrees" in note.says for note in run.notes)


def test_what_all_saves_share_is_told_once(tmp_path: Path) -> None:
    """Each save of anchors has the same reservation."""
    for iteration in (7, 15, 23):
        write_ply(shard(tmp_path, 0, ranks=1, iteration=iteration), anchors(4))
    run = open_run(tmp_path)
    assert run.iterations == (7, 15, 23)
    assert [note.says.endswith("(so do 2 other files)") for note in run.notes if "holds anchors" in note.says] == [True]


def test_shards_of_anchors_are_not_grendels_own(tmp_path: Path) -> None:
    """CityGS-X saves Scaffold-GS's anchors in Grendel's layout: all of them are shown, as anchors."""
    for rank in range(2):
        write_ply(shard(tmp_path, rank, ranks=2), anchors(4 + rank))
    run = open_run(tmp_path)
    (checkpoint,) = run.checkpoints
    assert (run.trainer.name, run.trainer.confidence) == ("scaffold-gs", 0.5)
    assert (checkpoint.holds, checkpoint.count, checkpoint.shards) == ("anchors", 9, (2, 2))
    np.testing.assert_array_equal(checkpoint.gaussians.means[:, 0], np.concatenate([anchors(4)["x"], anchors(5)["x"]]))


def test_states_of_all_ranks_make_one(tmp_path: Path) -> None:
    """Parameters, moments and statistics in the same order; one step per batch, whose size the files themselves tell."""
    write_states(written(tmp_path))
    (file,) = open_run(tmp_path).state_files
    state = file.state
    assert (file.iteration, state.iteration, state.iterations_per_step, state.missing) == (6997, 6997, BATCH, ())
    assert_same_gaussians(state.gaussians, joined(*(part(rank) for rank in range(RANKS))))
    assert state.adam["xyz"].step == 6996 // BATCH
    for name in ("xyz", "f_rest"):
        moments = state.adam[name].exp_avg
        assert moments is not None
        expected = [adam(parameters(part(rank))).state_dict()["state"] for rank in range(RANKS)]
        index = {"xyz": 0, "f_rest": 2}[name]
        np.testing.assert_array_equal(moments, np.concatenate([one[index]["exp_avg"].numpy() for one in expected]))
    assert state.statistics["denom"].shape == (state.gaussians.count,)


def test_a_state_without_one_rank_lacks_its_gaussians(tmp_path: Path) -> None:
    """A resume needs every file; the note and the state say which are gone."""
    write_states(written(tmp_path))[1].unlink()
    run = open_run(tmp_path)
    assert run.state_files[0].state.missing == ("the Gaussians of 1 of 3 processes",)
    assert len(notes(run)) == 1


def test_states_of_different_iterations_are_refused(tmp_path: Path) -> None:
    """Files copied together from two saves would pair moments with foreign Gaussians."""
    paths = write_states(written(tmp_path))
    save(paths[2], capture(part(2)), 9001)
    with pytest.raises(UnreadableFile, match="different iterations"):
        _ = open_run(tmp_path).state_files[0].state


def test_an_unfinished_rank_is_left_out(tmp_path: Path) -> None:
    """Processes write at the same time; the last one may still be at it."""
    path = write_states(written(tmp_path))[2]
    path.write_bytes(path.read_bytes()[:-200])
    run = open_run(tmp_path)
    assert any("is not whole" in note.says for note in run.notes)
    assert run.state_files[0].state.missing == ("the Gaussians of 1 of 3 processes",)
