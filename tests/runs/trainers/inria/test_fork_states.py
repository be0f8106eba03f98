"""Training states of INRIA's forks, written by torch: each item is found under its name, wherever the fork puts it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs.checkpoints import TrainingState
from runs.open_run import open_run
from runs.trainers.inria.state import read_state
from tests.support.files import random_gaussians, write_inria_run
from tests.support.torch_inria import adam, capture, column, parameters, save, statistics
from tests.support.written import assert_same_gaussians

torch = pytest.importorskip("torch")

COUNT = 7
GAUSSIANS = random_gaussians(COUNT, degree=2)
OLD_KEYS = "sh_degree=3, source_path='/x', model_path='m', images='images', resolution=-1, white_background=False, eval=False"


def written(folder: Path, iteration: int = 700, **parts: Any) -> TrainingState:
    return read_state(save(folder / f"chkpnt{iteration}.pth", capture(GAUSSIANS, **parts), iteration))


def first_values(state: TrainingState) -> dict[str, float]:
    return {name: float(values[0]) for name, values in state.statistics.items()}


def flat(value: float) -> Any:
    return torch.full((COUNT,), float(value))


@pytest.mark.parametrize(("fork", "between", "found"), [
    ("inria 12-tuple", statistics(COUNT), {"max_radii2D": 1, "xyz_gradient_accum": 2, "denom": 3}),
    ("fastgs 13-tuple", [flat(1), column(COUNT, 2), column(COUNT, 3), column(COUNT, 4)],
     {"max_radii2D": 1, "xyz_gradient_accum": 2, "xyz_gradient_accum_abs": 3, "denom": 4}),
    ("absgs 14-tuple", [flat(1), *(column(COUNT, i) for i in (2, 3, 4, 5))],
     {"max_radii2D": 1, "max_weight": 2, "xyz_gradient_accum": 3, "xyz_gradient_accum_abs": 4, "denom": 5}),
    ("efa-gs 15-tuple", [flat(1), *(column(COUNT, i) for i in (2, 3, 4, 5, 6))],
     {"max_radii2D": 1, "xyz_gradient_accum": 2, "lff_xyz_grad_accum": 3, "prev_lff_xyz_grad": 4, "denom": 5, "lff_denom": 6}),
])
def test_statistics_have_their_names(fork: str, between: list[Any], found: dict[str, float], tmp_path: Path) -> None:
    """By position AbsGS's blending weight would be read as the gradient that densification follows."""
    state = written(tmp_path, stored=between)
    assert (state.kind, first_values(state)) == (fork, found)
    assert (state.missing, state.dropped, state.active_sh_degree, state.spatial_lr_scale) == ((), (), 2, 4.5)
    assert_same_gaussians(state.gaussians, GAUSSIANS)


def test_moments_are_those_that_torch_computed(tmp_path: Path) -> None:
    """Adam's memory must come back under the name of its group, bit for bit, with numpy's rate and torch's step."""
    optimizer = adam(parameters(GAUSSIANS), steps=5)
    state = written(tmp_path, optimizers=[optimizer])
    for index, group in enumerate(optimizer.param_groups):
        found, expected = state.adam[group["name"]], optimizer.state[group["params"][0]]
        assert (found.step, found.learning_rate) == (5, (index + 1) / 1000)
        np.testing.assert_array_equal(found.exp_avg, expected["exp_avg"].numpy(), err_msg=group["name"])
        np.testing.assert_array_equal(found.exp_avg_sq, expected["exp_avg_sq"].numpy(), err_msg=group["name"])


def test_lightgaussian_prunes_with_adamw(tmp_path: Path) -> None:
    """Another class of optimizer, the same memory (trap T40)."""
    state = written(tmp_path, optimizers=[adam(parameters(GAUSSIANS), kind="AdamW")])
    assert state.missing == ()
    assert {group.step for group in state.adam.values()} == {3}


def test_a_group_that_never_stepped_is_missing_its_moments(tmp_path: Path) -> None:
    """torch makes no entry for it; the others keep theirs although the numbers shift."""
    named = parameters(GAUSSIANS)
    rest = named["f_rest"]
    optimizer = adam(named)
    del optimizer.state[rest]
    assert written(tmp_path, optimizers=[optimizer]).missing == ("Adam moments of f_rest",)


def test_mcmc_never_fills_its_statistics(tmp_path: Path) -> None:
    """They stay zeros of the first point count: of no use, and no loss to a resume either (trap T39)."""
    state = written(tmp_path, stored=[torch.zeros(4), torch.zeros(4, 1), torch.zeros(4, 1)])
    assert (dict(state.statistics), state.missing) == ({}, ())
    assert [says.partition(" ")[0] for says in state.dropped] == ["max_radii2D", "xyz_gradient_accum", "denom"]
    assert all("never fills it" in says for says in state.dropped)


def test_statistics_that_were_filled_and_do_not_fit_are_lost(tmp_path: Path) -> None:
    """Only zeros are nobody's loss."""
    state = written(tmp_path, stored=[torch.ones(4), torch.zeros(4, 1), torch.zeros(4, 1)])
    assert len(state.missing) == 3
    assert state.dropped == ()


def test_pixel_gs_counts_pixels(tmp_path: Path) -> None:
    """More "views" than iterations cannot be views; at most as many may be."""
    kind = {count: written(tmp_path, stored=[flat(1), column(COUNT, 2), column(COUNT, count)]).kind for count in (700, 701)}
    assert kind == {700: "inria 12-tuple", 701: "pixel-gs 12-tuple"}


def test_2dgs_trains_two_scales(tmp_path: Path) -> None:
    """Discs: the third scale is ours, and Adam remembers the two."""
    scales = torch.nn.Parameter(torch.from_numpy(GAUSSIANS.log_scales[:, :2].copy()))
    state = written(tmp_path, changed={"scaling": scales}, optimizers=[adam({**parameters(GAUSSIANS), "scaling": scales})])
    np.testing.assert_array_equal(state.gaussians.log_scales[:, :2], GAUSSIANS.log_scales[:, :2])
    assert state.adam["scaling"].exp_avg is not None
    assert state.adam["scaling"].exp_avg.shape == (COUNT, 2)
    assert state.missing == ()


def taming(folder: Path, opacity: Any) -> TrainingState:
    """Two optimizers: that of the harmonics is a separate one (it may step every sixteenth iteration)."""
    named = parameters(GAUSSIANS)
    rest = {"f_rest": named["f_rest"]}
    others = adam({name: value for name, value in named.items() if name != "f_rest"}, steps=32)
    return written(folder, 20_000, changed={"opacity": opacity}, optimizers=[others, adam(rest, steps=2)])


def test_taming_with_logits_is_complete(tmp_path: Path) -> None:
    """Thirteen items; before its opacities are fixed nothing else differs."""
    state = taming(tmp_path, parameters(GAUSSIANS)["opacity"])
    assert (state.kind, state.missing, state.dropped) == ("taming 13-tuple", (), ())
    assert (state.adam["f_rest"].step, state.adam["xyz"].step) == (2, 32)
    assert_same_gaussians(state.gaussians, GAUSSIANS)


def test_taming_with_fixed_opacities(tmp_path: Path) -> None:
    """From iteration 15,000 on the tensor holds opacities, and Adam's memory of them is of the past (trap T13)."""
    shown = torch.sigmoid(parameters(GAUSSIANS)["opacity"].detach())
    state = taming(tmp_path, shown)
    np.testing.assert_allclose(state.gaussians.opacities, shown.numpy()[:, 0], rtol=1e-6)
    assert "opacity" not in state.adam
    assert state.missing == ()
    assert ["opacity" in says for says in state.dropped] == [True]


def test_a_folder_without_settings_is_named_after_its_state_too(tmp_path: Path) -> None:
    """A copied checkpoint is often all that is left of a run."""
    flat_items = [flat(1), *(column(COUNT, i) for i in (2, 3, 4, 5))]
    save(tmp_path / "chkpnt30000.pth", capture(GAUSSIANS, stored=flat_items), 30_000)
    assert open_run(tmp_path).trainer.name == "absgs"


@pytest.mark.parametrize(("fork", "between"), [
    ("absgs", [flat(1), *(column(COUNT, i) for i in (2, 3, 4, 5))]),
    ("pixel-gs", [flat(1), column(COUNT, 2), column(COUNT, 9e6)]),
    ("efa-gs", [flat(1), *(column(COUNT, i) for i in (2, 3, 4, 5, 6))]),
])
def test_the_run_is_named_after_its_state(fork: str, between: list[Any], tmp_path: Path) -> None:
    """These share cfg_args with INRIA's trainer: the checkpoint is the only witness."""
    folder = write_inria_run(tmp_path, cfg_args=f"Namespace({OLD_KEYS})")
    save(folder / "chkpnt200.pth", capture(GAUSSIANS, stored=between), 200)
    trainer = open_run(folder).trainer
    assert trainer.name == fork
    assert "chkpnt200.pth" in trainer.why
