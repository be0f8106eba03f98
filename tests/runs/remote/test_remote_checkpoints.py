"""Torch checkpoints have gigabytes: a remote one opens by its description, and one column costs one storage."""

from pathlib import Path

import numpy as np
import pytest

from runs.gaussians import COLUMNS
from runs.open_run import open_run
from runs.remote.blocks import BLOCK_BYTES
from tests.support.files import random_gaussians
from tests.support.nerfstudio_writer import write_checkpoint
from tests.support.web_server import Web

COUNT = 20_000


def write_gsplat(folder: Path, steps: tuple[int, ...]) -> None:
    torch = pytest.importorskip("torch")
    (folder / "ckpts").mkdir(parents=True)
    for step in steps:
        gaussians = random_gaussians(COUNT, degree=3, seed=step)
        splats = {"means": gaussians.means, "scales": gaussians.log_scales, "quats": gaussians.quats_wxyz,
                  "opacities": gaussians.logit_opacities, "sh0": gaussians.sh0[:, None], "shN": gaussians.sh_rest}
        torch.save({"step": step, "splats": {name: torch.tensor(np.asarray(values)) for name, values in splats.items()}},
                   folder / "ckpts" / f"ckpt_{step}_rank0.pt")


@pytest.mark.usefixtures("poison")
def test_a_column_of_a_remote_checkpoint_costs_its_storage(served: Path, web: Web) -> None:
    """Looking at positions must not wait for the harmonics, and neither may hold what was not fetched."""
    write_gsplat(served / "run", (99, 199))
    run = open_run(f"{web.url}/run")
    file = "run/ckpts/ckpt_199_rank0.pt"
    assert run.trainer.name == "gsplat"
    assert [c.count for c in run.checkpoints] == [COUNT, COUNT]
    assert web.sent[file] < 10 * BLOCK_BYTES
    web.sent.clear()
    expected, found = random_gaussians(COUNT, degree=3, seed=199), run.checkpoints[1].gaussians
    np.testing.assert_array_equal(found.means, expected.means)
    assert web.sent == {file: pytest.approx(12 * COUNT, abs=2 * BLOCK_BYTES)}
    for name in (*COLUMNS, "sh_rest"):
        np.testing.assert_array_equal(found.load(name), expected.load(name))


@pytest.mark.usefixtures("poison")
def test_a_remote_state_comes_back_with_its_moments(served: Path, web: Web) -> None:
    """What is used as a whole is fetched as a whole."""
    pytest.importorskip("torch")
    gaussians = random_gaussians(COUNT, degree=1)
    written = write_checkpoint(served / "run", 199, gaussians)
    run = open_run(f"{web.url}/run")
    np.testing.assert_array_equal(run.checkpoints[0].gaussians.sh_rest, gaussians.sh_rest)
    assert run.trainer.name == "splatfacto"
    adam = run.state_files[0].state.adam
    np.testing.assert_array_equal(adam["xyz"].exp_avg, written.moments["means"][0])


@pytest.mark.usefixtures("poison")
def test_pose_deltas_of_a_remote_checkpoint_are_true(served: Path, web: Web) -> None:
    """Small tensors beside large ones: theirs are fetched, the others stay where they are."""
    pytest.importorskip("torch")
    poses = np.random.default_rng(0).normal(size=(5000, 6)).astype(np.float32)  # more than what is fetched without being asked
    write_checkpoint(served / "run", 199, random_gaussians(COUNT, degree=3), poses=poses, adam_steps=1)
    run = open_run(f"{web.url}/run")
    np.testing.assert_array_equal(np.stack(list(run.pose_deltas.values())), poses)
    whole = (served / "run" / "nerfstudio_models" / "step-000000199.ckpt").stat().st_size
    assert sum(sent for path, sent in web.sent.items() if path.endswith(".ckpt")) < whole / 4
