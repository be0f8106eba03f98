"""A checkpoint's items are told by type and shape: indexing by position alone mixes up the forks of INRIA's trainer."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs.errors import UnreadableFile
from runs.gaussians import COLUMNS, Gaussians
from runs.trainers.inria.state import read_state
from runs.writers.inria_state import parameter_arrays
from tests.support.data import shared_data
from tests.support.files import random_gaussians
from tests.support.torch_zip import TorchZip, adam, inria_capture, numpy_scalar, write_inria_state

COUNT = 6
GAUSSIANS = random_gaussians(COUNT, degree=2)


def write(path: Path, archive: TorchZip, items: list[Any]) -> Path:
    return archive.write(path, (tuple(items), 700))


def column(value: float) -> np.ndarray:
    return np.full((COUNT, 1), value, np.float32)


def assert_parameters(found: Gaussians, expected: Gaussians = GAUSSIANS) -> None:
    assert (found.count, found.sh_degree) == (expected.count, expected.sh_degree)
    for name in (*COLUMNS, "sh_rest"):
        np.testing.assert_array_equal(found.load(name), expected.load(name), err_msg=name)


def test_the_usual_twelve_items(tmp_path: Path) -> None:
    """Everything that a resume needs, under its name."""
    state = read_state(write_inria_state(tmp_path / "chkpnt700.pth", GAUSSIANS, 700))
    assert (state.iteration, state.kind, state.active_sh_degree, state.spatial_lr_scale) == (700, "inria 12-tuple", 2, 4.5)
    assert_parameters(state.gaussians)
    assert list(state.adam) == ["xyz", "f_dc", "f_rest", "opacity", "scaling", "rotation"]
    assert state.missing == ()
    rest = state.adam["f_rest"]
    assert rest.exp_avg is not None
    assert rest.exp_avg.shape == (COUNT, 8, 3)
    assert (rest.step, rest.learning_rate, rest.eps) == (7, 1e-3, 1e-15)
    np.testing.assert_array_equal(state.statistics["denom"], np.arange(COUNT))
    np.testing.assert_array_equal(state.statistics["xyz_gradient_accum"], np.arange(COUNT) / 8)


def test_absgs_has_two_more_statistics_in_the_middle(tmp_path: Path) -> None:
    """By position, max_weight would be read as the gradient."""
    archive = TorchZip()
    items = inria_capture(GAUSSIANS, archive)
    items[7:10] = [np.full(COUNT, 1, np.float32), column(2), column(3), column(4), column(5)]
    state = read_state(write(tmp_path / "a.pth", archive, items))
    assert state.kind == "absgs 14-tuple"
    assert {name: values[0] for name, values in state.statistics.items()} == {
        "max_radii2D": 1, "max_weight": 2, "xyz_gradient_accum": 3, "xyz_gradient_accum_abs": 4, "denom": 5}


def test_efa_gs_has_six_statistics(tmp_path: Path) -> None:
    """Fifteen items, three of them between the usual ones."""
    archive = TorchZip()
    items = inria_capture(GAUSSIANS, archive)
    items[7:10] = [np.zeros(COUNT, np.float32), *(column(i) for i in range(1, 6))]
    state = read_state(write(tmp_path / "e.pth", archive, items))
    assert state.kind == "efa-gs 15-tuple"
    assert state.statistics["denom"][0] == 4


def test_taming_splits_its_optimizer(tmp_path: Path) -> None:
    """Its second optimizer holds f_rest alone; reading the first only would call f_rest untrained."""
    archive = TorchZip()
    items = inria_capture(GAUSSIANS, archive)
    groups = parameter_arrays(GAUSSIANS)
    rest = {"f_rest": groups.pop("f_rest")}
    items[10:11] = [adam(groups), adam(rest, lr=0.5)]
    state = read_state(write(tmp_path / "t.pth", archive, items))
    assert state.kind == "taming 13-tuple"
    assert state.missing == ()
    assert state.adam["f_rest"].learning_rate == 0.5


def test_4dgaussians_puts_its_network_before_the_colours(tmp_path: Path) -> None:
    """A state dict and a table of booleans come second and third; they are no parameters."""
    archive = TorchZip()
    items = inria_capture(GAUSSIANS, archive)
    items[2:2] = [{"deformation_net.weight": np.zeros((COUNT, 3), np.float32)}, np.ones(COUNT, np.bool_)]
    state = read_state(write(tmp_path / "4d.pth", archive, items))
    assert state.kind == "4dgaussians 14-tuple"
    assert_parameters(state.gaussians)
    assert state.missing == ()


def test_statistics_of_another_count_are_dropped_and_named(tmp_path: Path) -> None:
    """3dgs-mcmc leaves statistics of the initial count; drawn on today's Gaussians they would be nonsense."""
    archive = TorchZip()
    old = np.zeros(4, np.float32)
    items = inria_capture(GAUSSIANS, archive, statistics=(old, old[:, None], column(1)))
    state = read_state(write(tmp_path / "m.pth", archive, items))
    assert list(state.statistics) == ["denom"]
    assert state.missing == ("max_radii2D (stored for another number of Gaussians)",
                             "xyz_gradient_accum (stored for another number of Gaussians)")


def test_what_a_resume_would_lose_is_listed(tmp_path: Path) -> None:
    """A state without moments resumes with a jolt; the audit needs to know which are gone."""
    archive = TorchZip()
    items = inria_capture(GAUSSIANS, archive)
    optimizer = adam(parameter_arrays(GAUSSIANS))
    del optimizer["state"][2]
    optimizer["state"][3]["exp_avg"] = np.zeros(3, np.float32)
    del optimizer["param_groups"][5]
    items[10] = optimizer
    state = read_state(write(tmp_path / "n.pth", archive, items[:11]))
    assert state.missing == ("Adam moments of f_rest", "Adam group rotation", "Adam moments of opacity", "spatial_lr_scale")
    assert state.adam["f_rest"].step is None


@pytest.mark.parametrize("group", [
    7, {"params": [0]}, {"name": 3, "params": [0]}, {"name": "xyz"}, {"name": "xyz", "params": []}, {"name": "xyz", "params": 0},
    {"name": "xyz", "params": ["0"]}, {"name": "xyz", "params": [99]}, {"name": "xyz", "params": [0], "lr": "fast"},
])
def test_a_group_that_names_no_moments_only_lacks_them(group: Any, tmp_path: Path) -> None:
    """An optimizer of another make must cost its own entry, never the Gaussians beside it."""
    archive = TorchZip()
    items = inria_capture(GAUSSIANS, archive)
    optimizer = adam(parameter_arrays(GAUSSIANS))
    optimizer["param_groups"][0] = group
    items[10] = optimizer
    state = read_state(write(tmp_path / "g.pth", archive, items))
    assert_parameters(state.gaussians)
    named = isinstance(group, dict) and group.get("name") == "xyz"
    usable = named and group.get("params") == [0]
    assert state.missing == (() if usable else ("Adam moments of xyz",) if named else ("Adam group xyz",))
    assert list(state.adam) == [name for name in parameter_arrays(GAUSSIANS) if named or name != "xyz"]


def test_moments_are_found_by_index_whatever_optimizer_kept_them(tmp_path: Path) -> None:
    """States are keyed by number, groups by name, and their orders differ; sparse Adam's step stays 0 (trap T40)."""
    archive = TorchZip()
    items = inria_capture(GAUSSIANS, archive)
    usual = adam(parameter_arrays(GAUSSIANS), step=0.0)
    order = [3, 0, 5, 1, 4, 2]
    moved = {order[index]: {**state, "max_exp_avg_sq": state["exp_avg_sq"]} for index, state in usual["state"].items()}
    groups = [{**group, "params": [order[group["params"][0]]], "weight_decay": 0.01} for group in usual["param_groups"]]
    items[10] = {"state": dict(sorted(moved.items())), "param_groups": groups[::-1]}
    state = read_state(write(tmp_path / "s.pth", archive, items))
    assert state.missing == ()
    assert {group.step for group in state.adam.values()} == {0}
    for index, name in enumerate(parameter_arrays(GAUSSIANS)):
        np.testing.assert_array_equal(state.adam[name].exp_avg, usual["state"][index]["exp_avg"], err_msg=name)


def test_two_scales_become_flat_discs(tmp_path: Path) -> None:
    """2DGS trains two scales; the moments keep the trainer's shape."""
    archive = TorchZip()
    items = inria_capture(GAUSSIANS, archive)
    items[4] = np.ascontiguousarray(GAUSSIANS.log_scales[:, :2])
    state = read_state(write(tmp_path / "2d.pth", archive, items))
    np.testing.assert_array_equal(state.gaussians.log_scales[:, 2], np.full(COUNT, np.float32(np.log(1e-6))))


@pytest.mark.parametrize("stored", [1, 2, 7, 14, 35])
def test_coefficients_of_no_whole_degree_are_refused(stored: int, tmp_path: Path) -> None:
    """Rounded to the nearest degree, a renderer would read colours from behind the end of each row."""
    archive = TorchZip()
    items = inria_capture(GAUSSIANS, archive)
    items[3] = np.zeros((COUNT, stored, 3), np.float32)
    with pytest.raises(UnreadableFile, match="of the expected shape for f_rest"):
        read_state(write(tmp_path / "c.pth", archive, items))


@pytest.mark.parametrize("degree", range(5))
def test_every_whole_degree_is_read(degree: int, tmp_path: Path) -> None:
    """The number of coefficients tells the degree that the model can show, whatever degree is active."""
    gaussians = random_gaussians(COUNT, degree=degree)
    found = read_state(write_inria_state(tmp_path / "d.pth", gaussians, 7)).gaussians
    assert found.sh_degree == degree
    np.testing.assert_array_equal(found.sh_rest, gaussians.sh_rest)


@pytest.mark.parametrize(("value", "says"), [
    ({"splats": {}, "step": 3}, "gsplat"), ({"pipeline": {}, "step": 1}, "nerfstudio"),
    ([1, 2], "list"), ({"a": 1}, "dict with a"),
    (((1, numpy_scalar(2.0)), 7), "no parameters of the expected shape for xyz"),
])
def test_foreign_checkpoints_are_named(value: Any, says: str, tmp_path: Path) -> None:
    """Another trainer's file deserves its name, not "invalid checkpoint"."""
    with pytest.raises(UnreadableFile, match=says):
        read_state(TorchZip().write(tmp_path / "x.pth", value))


@pytest.mark.parametrize("run", ["sample", "synth-a", "synth-d", "fox-a"])
def test_real_states_are_complete(run: str) -> None:
    """Written by torch in real trainings: every part is found, and the moments are those of the parameters."""
    path = next(shared_data("runs", run).glob("chkpnt*.pth"))
    state = read_state(path)
    assert f"chkpnt{state.iteration}.pth" == path.name
    assert state.missing == ()
    assert state.gaussians.finite.all()
    assert state.adam["xyz"].exp_avg is not None
    assert state.adam["xyz"].exp_avg.shape == state.gaussians.means.shape
    assert state.spatial_lr_scale is not None
    assert state.spatial_lr_scale > 0
