"""Taming-3DGS stores opacities, not logits, in its late saves: read as logits, every splat would look half opaque."""

from pathlib import Path

import numpy as np
import pytest

from runs.arrays import F32
from runs.gaussians import Gaussians
from runs.open_run import open_run, reopen
from runs.run import Run
from tests.support.files import random_gaussians, write_inria_run, write_splats
from tests.support.runs import changed

COUNT = 400
OLD_KEYS = "sh_degree=3, source_path='/x', model_path='m', images='images', resolution=-1, white_background=False, eval=False"
LATE = (7_000, 15_000, 20_000, 30_000)


def opacities() -> F32:
    """Of every size, both ends included."""
    shown = np.random.default_rng(0).uniform(0, 1, COUNT).astype(np.float32)
    shown[:2] = 0, 1
    return shown


def tamed(folder: Path, linear: tuple[int, ...], *, saves: tuple[int, ...] = LATE, count: int = COUNT, extra: str = "") -> Run:
    """A run whose saves `linear` hold opacities."""
    write_inria_run(folder, iterations=(), cfg_args=f"Namespace({OLD_KEYS}{extra})")
    for iteration in saves:
        gaussians = random_gaussians(count, degree=1, seed=iteration)
        if iteration in linear:
            gaussians = changed(gaussians, logit_opacities=opacities()[:count])
        write_splats(folder / "point_cloud" / f"iteration_{iteration}" / "point_cloud.ply", gaussians)
    return open_run(folder)


def as_stored(iteration: int) -> Gaussians:
    return random_gaussians(COUNT, degree=1, seed=iteration)


def test_late_saves_are_converted_and_early_ones_kept(tmp_path: Path) -> None:
    """The save of iteration 15,000 itself is written before the change (Taming-3DGS `train.py`)."""
    run = tamed(tmp_path, (20_000, 30_000))
    for iteration in (20_000, 30_000):
        found = run.checkpoint(iteration)
        assert found is not None
        np.testing.assert_allclose(found.gaussians.opacities, opacities(), rtol=1e-6, atol=6e-8)
        np.testing.assert_array_equal(found.gaussians.log_scales, as_stored(iteration).log_scales)
    for iteration in (7_000, 15_000):
        early = run.checkpoint(iteration)
        assert early is not None
        np.testing.assert_array_equal(early.gaussians.logit_opacities, as_stored(iteration).logit_opacities)


def test_the_run_is_named_and_one_note_tells(tmp_path: Path) -> None:
    """No setting names this trainer: the values do, and the user may know better."""
    run = tamed(tmp_path, (20_000, 30_000))
    assert (run.trainer.name, run.trainer.confidence) == ("taming", 0.7)
    (note,) = [note for note in run.notes if "opacities of 0..1" in note.says]
    assert "iteration_20000" in note.file
    assert note.says.endswith("check them if another trainer wrote this run")


@pytest.mark.parametrize(("linear", "saves", "count", "extra"), [
    ((20_000,), LATE, COUNT, ""),  # a later save holds logits again: this one is odd, not of another kind
    ((7_000,), (7_000,), COUNT, ""),  # before the change
    ((30_000,), LATE, 60, ""),  # too few rows to prove anything
    ((30_000,), LATE, COUNT, ", train_test_exp=False"),  # Taming branched off before this setting
    ((30_000,), LATE, COUNT, ", cap_max=5"),  # 3dgs-mcmc keeps logits
])
def test_what_proves_nothing_changes_nothing(
    linear: tuple[int, ...], saves: tuple[int, ...], count: int, extra: str, tmp_path: Path,
) -> None:
    """To take logits for opacities would be as wrong as the reverse."""
    run = tamed(tmp_path, linear, saves=saves, count=count, extra=extra)
    assert run.trainer.name != "taming"
    for iteration in linear:
        found = run.checkpoint(iteration)
        assert found is not None
        np.testing.assert_array_equal(found.gaussians.logit_opacities, opacities()[:count])


def test_an_unchanged_save_keeps_what_was_read_of_it(tmp_path: Path) -> None:
    """Watching a run that is being written must not read a million rows again for each new save."""
    run = tamed(tmp_path, (20_000,), saves=(7_000, 20_000))
    again = reopen(run)
    assert again.checkpoints[1] is run.checkpoints[1]
    write_splats(tmp_path / "point_cloud" / "iteration_30000" / "point_cloud.ply", random_gaussians(COUNT, degree=1))
    assert reopen(run).checkpoints[1] is not run.checkpoints[1]  # logits came after: these were no opacities
