"""Shapes of checkpoint files: read from their description, told apart from what forks do by design."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.facts.crash_shapes import Named
from runs.arrays import F32
from runs.formats.torch_file import describe_torch_file
from runs.writers.torch_zip import write_torch_file
from tests.support.files import random_gaussians
from tests.support.torch_zip import write_inria_state

N = 12
PARAMETERS = {"means": (N, 3), "scales": (N, 3), "quats": (N, 4), "opacities": (N,), "sh0": (N, 1, 3), "shN": (N, 15, 3)}


def splats(**shapes: tuple[int, ...]) -> dict[str, F32]:
    return {name: np.zeros(shape, np.float32) for name, shape in {**PARAMETERS, **shapes}.items()}


def adam(name: str, shape: tuple[int, ...]) -> dict[str, Any]:
    moments = {moment: np.zeros(shape, np.float32) for moment in ("exp_avg", "exp_avg_sq")}
    return {"state": {0: moments}, "param_groups": [{"name": name, "params": [0]}]}


def told(path: Path, saved: Any) -> list[str]:
    write_torch_file(path / "ckpt_9.pt", saved)
    named = Named.of(describe_torch_file(path / "ckpt_9.pt"))
    return [misfit.what for misfit in named.misfits(10, "ckpt_9.pt")]


def test_a_state_of_inria_fits_itself(tmp_path: Path) -> None:
    """Its tuple names no parameter, and holds statistics of the same number of rows."""
    path = write_inria_state(tmp_path / "chkpnt7.pth", random_gaussians(N, degree=3), 7)
    named = Named.of(describe_torch_file(path))
    assert len(named.parameters) == 6
    assert len(named.moments) == 12
    assert list(named.misfits(7, path.name)) == []


@pytest.mark.parametrize(("shapes", "says"), [
    ({}, []),
    ({"opacities": (N - 1,)}, ["opacities has 11 rows"]),
    ({"shN": (N, 14, 3)}, ["shN has 14 coefficients, which is no SH degree"]),
    ({"shN": (N, 0, 3)}, []),
])
def test_rows_and_coefficients_of_named_tensors(tmp_path: Path, shapes: dict[str, tuple[int, ...]], says: list[str]) -> None:
    """One row per Gaussian, and K of a degree; no harmonics at all is degree 0."""
    assert told(tmp_path, {"step": 9, "splats": splats(**shapes)}) == says


def test_moments_have_the_shape_of_their_parameter(tmp_path: Path) -> None:
    """Rows were pruned and the optimiser was not told."""
    saved = {"splats": splats(), "optimizers": {"means": adam("means", (N + 5, 3)), "scales": adam("scales", (N, 3))}}
    moments = ("exp_avg", "exp_avg_sq")
    assert told(tmp_path, saved) == [f"Adam's {moment} of means is 17 × 3, the parameter 12 × 3" for moment in moments]


def test_a_file_without_means_is_not_judged(tmp_path: Path) -> None:
    """A network's checkpoint has any shapes."""
    assert told(tmp_path, {"opacities": np.zeros(3, np.float32), "scales": np.zeros((4, 3), np.float32)}) == []
