"""What the trainer records must be a run like any other: the product reads it back, and a resume continues from the file."""

from pathlib import Path

import numpy as np
import pytest

from diagnostics.optimiser.optimiser import Optimiser
from diagnostics.optimiser.train import train
from render.raster.parameters import GROUPS
from runs.open_run import open_run
from runs.writers.inria import InriaWriter
from tests.diagnostics.optimiser.made_up import quick, tiny_scene


def written(folder: Path) -> Optimiser:
    return train(tiny_scene(), quick(), recorder=InriaWriter(folder, "/data/made-up"))[0]


def test_our_reader_opens_it_and_finds_what_happened(tmp_path: Path) -> None:
    optimiser = written(tmp_path)
    run = open_run(tmp_path)
    assert run.trainer.name == "inria"
    assert run.iterations == (60, 120)
    last = run.checkpoint(120)
    assert last is not None
    np.testing.assert_array_equal(last.gaussians.means, optimiser.parameters.means)
    assert len(run.series["loss/l1"]) == 120
    assert run.series["opacity_reset"].iterations.tolist() == [50]
    assert run.series["densify/cloned"].iterations.tolist() == [40, 60, 80]
    assert run.series["test/psnr"].iterations.tolist() == [1, 120]
    assert run.settings.value("densify_grad_threshold") == pytest.approx(2e-3)
    assert not run.notes


def test_a_training_resumed_from_the_file_ends_where_the_uninterrupted_one_did(tmp_path: Path) -> None:
    whole = written(tmp_path)
    state = open_run(tmp_path).state_files[0].state
    assert (state.iteration, state.missing) == (60, ())
    resumed = Optimiser(tiny_scene(), quick(), resume_from=state)
    resumed.run()
    for name in GROUPS:
        np.testing.assert_array_equal(getattr(resumed.parameters, name), getattr(whole.parameters, name))
