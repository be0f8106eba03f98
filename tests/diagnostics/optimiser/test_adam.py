"""Adam's update must be the trainers', or learning rates and moments in a checkpoint mean something else."""

from types import SimpleNamespace

import numpy as np
import pytest

from diagnostics.optimiser.adam import Adam
from render.raster.parameters import GROUPS, Parameters

RATES = dict(zip(GROUPS, (1e-3, 5e-3, 1e-3, 5e-2, 2.5e-3, 1.25e-4), strict=True))


def some(count: int = 5, dtype: type = np.float64, seed: int = 0) -> Parameters:
    rng = np.random.default_rng(seed)
    shapes = {"means": (3,), "log_scales": (3,), "quats_wxyz": (4,), "logit_opacities": (), "sh0": (3,), "sh_rest": (8, 3)}
    return Parameters(**{name: rng.standard_normal((count, *shape)).astype(dtype) for name, shape in shapes.items()})


def test_equals_torch_over_twenty_steps() -> None:
    torch = pytest.importorskip("torch", reason="torch.optim.Adam is what the trainers use")
    ours = Adam(some(), eps=1e-15)
    theirs = {name: torch.nn.Parameter(torch.tensor(getattr(some(), name))) for name in GROUPS}
    optimizer = torch.optim.Adam([{"params": [theirs[name]], "lr": RATES[name]} for name in GROUPS], lr=0, eps=1e-15)
    for step in range(20):
        gradients = some(seed=step + 1)
        for name in GROUPS:
            theirs[name].grad = torch.tensor(getattr(gradients, name))
        optimizer.step()
        ours.step(gradients, RATES)
    for name in GROUPS:
        np.testing.assert_allclose(getattr(ours.parameters, name), theirs[name].detach().numpy(), rtol=0, atol=1e-14)
        stored = optimizer.state[theirs[name]]
        np.testing.assert_allclose(ours.moments[name].mean, stored["exp_avg"].numpy(), rtol=0, atol=1e-14)
        np.testing.assert_allclose(ours.moments[name].square, stored["exp_avg_sq"].numpy(), rtol=0, atol=1e-14)
        assert ours.moments[name].step == int(stored["step"])


def test_float32_matches_torch_to_rounding() -> None:
    torch = pytest.importorskip("torch", reason="torch.optim.Adam is what the trainers use")
    ours = Adam(some(dtype=np.float32), eps=1e-15)
    theirs = torch.nn.Parameter(torch.tensor(some(dtype=np.float32).means))
    optimizer = torch.optim.Adam([theirs], lr=RATES["means"], eps=1e-15)
    for step in range(20):
        gradients = some(dtype=np.float32, seed=step + 1)
        theirs.grad = torch.tensor(gradients.means)
        optimizer.step()
        ours.step(gradients, RATES)
    np.testing.assert_allclose(ours.parameters.means, theirs.detach().numpy(), rtol=0, atol=5e-7)


def test_a_gaussian_without_gradient_stays_where_it_is() -> None:
    """Eps is 1e-15: 0/(0 + eps) must be no update, not NaN."""
    adam = Adam(some(dtype=np.float32), eps=1e-15)
    still = SimpleNamespace(**{name: np.zeros_like(getattr(adam.parameters, name)) for name in GROUPS})
    adam.step(still, RATES)
    np.testing.assert_array_equal(adam.parameters.means, some(dtype=np.float32).means)


def test_only_the_named_groups_step() -> None:
    """An opacity reset costs the opacities their step, not the others."""
    adam = Adam(some(), eps=1e-15)
    adam.step(some(seed=1), RATES, ("means", "sh0"))
    assert {name: adam.moments[name].step for name in GROUPS} == {name: int(name in ("means", "sh0")) for name in GROUPS}
    np.testing.assert_array_equal(adam.parameters.logit_opacities, some().logit_opacities)


def test_rows_take_their_moments_along_and_newborn_ones_have_none() -> None:
    adam = Adam(some(), eps=1e-15)
    adam.step(some(seed=1), RATES)
    before = adam.moments["sh_rest"].mean.copy()
    adam.regrow(np.array([True, False, True, True, False]), some(count=2, seed=9))
    assert adam.parameters.count == 5
    np.testing.assert_array_equal(adam.moments["sh_rest"].mean[:3], before[[0, 2, 3]])
    assert all((memory.mean[3:] == 0).all() and (memory.square[3:] == 0).all() for memory in adam.moments.values())
    assert {memory.step for memory in adam.moments.values()} == {1}
