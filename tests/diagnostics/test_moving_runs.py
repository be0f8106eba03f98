"""A moving scene is judged by what its canonical set can show: photos of other moments are no evidence against it."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from diagnostics.diagnose import diagnose
from diagnostics.diagnosis import Diagnosis
from diagnostics.facts.moving import MOVES
from runs.arrays import Array
from runs.open_run import open_run
from tests.diagnostics.test_stock_runs import synthetic
from tests.support.data import shared_data
from tests.support.event_writer import event, simple_value, version_event
from tests.support.retold import change_rows, saves
from tests.support.stock import Told, stock_run

torch = pytest.importorskip("torch", reason="the networks of the test are written with torch")
from tests.support.moving import FOUR_D_ARGS, Deformer, HexDeformer, trained_like  # noqa: E402

DEFORMABLE = {"load2gpu_on_the_fly": False, "is_blender": True, "is_6dof": False, "train_test_exp": None, "depths": None}
COARSE, FINE = 3_000, 14_000


def deformable(told: Told, to: Path) -> Path:
    """INRIA's stock run with a network beside each save."""
    run = stock_run(told, to, **DEFORMABLE)
    network = trained_like(Deformer(blender=True, depth=4, width=16), 1)
    for iteration in told.saves:
        target = run / f"deform/iteration_{iteration}"
        target.mkdir(parents=True)
        torch.save(network.state_dict(), target / "deform.pth")
    return run


def four_d(told: Told, to: Path) -> Path:
    """The same training told in two stages."""
    to.mkdir(parents=True)
    heads = {"no_dx": False, "no_ds": False, "no_dr": False, "no_do": True, "no_dshs": True}
    (to / "cfg_args").write_text(FOUR_D_ARGS.format(width=16, depth=1, coarse=COARSE, **heads), "utf-8")
    state = {f"deformation_net.{name}": tensor for name, tensor in trained_like(HexDeformer(depth=1), 1).state_dict().items()}
    first, last = sorted(told.saves.values())
    for name, own in ((f"coarse_iteration_{COARSE}", first), (f"iteration_{FINE}", last)):
        target = to / "point_cloud" / name
        target.mkdir(parents=True)
        shutil.copyfile(told.run / f"point_cloud/iteration_{own}/point_cloud.ply", target / "point_cloud.ply")
        torch.save(state, target / "deformation.pth")
    (to / "events.out.tfevents.1").write_bytes(staged_events(told))
    return to


def staged_events(told: Told) -> bytes:
    """Every ten iterations, from the log of the training that took as long as both stages."""
    entries = [json.loads(line) for line in (told.run / "metrics.jsonl").read_text("utf-8").splitlines()]
    parts = [version_event()]
    for stage, done, length in (("coarse", 0, COARSE), ("fine", COARSE, FINE)):
        for step in range(10, length + 1, 10):
            entry = entries[min(len(entries) * (done + step) // (COARSE + FINE), len(entries) - 1)]
            values = {"train_loss_patches/l1_loss": entry["l1"], "train_loss_patchestotal_loss": entry["loss"], "iter_time": 12.0}
            if step % 500 == 0:
                values["total_points"] = entry["n"]
            parts.append(event(step, float(done + step), [simple_value(f"{stage}/{tag}", v) for tag, v in values.items()]))
    return b"".join(parts)


def judged(run: Path) -> Diagnosis:
    """With its photos at hand: the harder case, because they invite the comparison."""
    return diagnose(open_run(run, shared_data("scenes", "synth1")))


@pytest.mark.parametrize("tell", [deformable, four_d])
def test_a_sound_moving_run_raises_no_alarm(tell, tmp_path: Path) -> None:
    """The canonical set of a moving scene fits its photos as badly as a broken training would."""
    run = tell(synthetic(), tmp_path / "run")
    diagnosis = judged(run)
    assert [f"{f.pattern.code} {f.finding.says}" for f in diagnosis.findings] == []
    assert diagnosis.run.checkpoints[-1].motion is not None
    assert any(MOVES in undecided.missing for undecided in diagnosis.not_evaluable)
    assert diagnosis.clear  # what concerns the Gaussians themselves is still judged


def unlike_any_photo(run: Path) -> None:
    """The canonical set as a deformation network may leave it: a little aside, and a twelfth of it far out in the air."""
    def change(table: Array) -> Array:
        far = np.random.default_rng(1).permutation(len(table))[: len(table) // 12]
        for axis in "xyz":
            table[axis][far] *= 2
        table["opacity"][far] = 3
        table["x"] += 0.06
        return table

    for ply in saves(run):
        change_rows(ply, change)


def test_a_canonical_set_unlike_its_photos_is_no_fault(tmp_path: Path) -> None:
    """The same files alarm as a run that stands still, so the silence is the rule's and not the scene's."""
    standing, moving = stock_run(synthetic(), tmp_path / "standing"), deformable(synthetic(), tmp_path / "moving")
    for run in (standing, moving):
        unlike_any_photo(run)
    assert {f.pattern.code for f in judged(standing).findings} == {"AF-01", "IF-04"}
    assert [f"{f.pattern.code} {f.finding.says}" for f in judged(moving).findings] == []
