"""gsplat's own strategies, run on the CPU beside ours from the same numbers, must end with the same Gaussians."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.special import logit

from diagnostics.optimiser import mcmc
from diagnostics.optimiser.adam import Adam
from diagnostics.optimiser.growth import Tally
from diagnostics.optimiser.recipe import Recipe
from diagnostics.optimiser.strategies import densify, relocate_and_add
from render.raster.parameters import GROUPS, Parameters
from runs.arrays import F32
from tests.diagnostics.optimiser.made_up import blobs, context

torch = pytest.importorskip("torch", reason="gsplat's strategies need it")
pytest.importorskip("gsplat", reason="its strategies are the peers")

EXTENT, THRESHOLD, COUNT = 2.0, 1e-3, 200
GSPLAT_NAMES = {"means": "means", "log_scales": "scales", "quats_wxyz": "quats", "logit_opacities": "opacities",
                "sh0": "sh0", "sh_rest": "shN"}


def gaussians() -> tuple[Parameters, F32]:
    """A mix in which some are cloned, split, pruned for opacity or size, and the pressure on each."""
    parameters, rng = blobs(COUNT), np.random.default_rng(7)
    parameters.log_scales[:] = np.log(rng.choice([0.01, 0.05, 0.3], (COUNT, 3), p=[0.8, 0.15, 0.05]))
    parameters.logit_opacities[:] = logit(rng.choice([0.001, 0.3, 0.9], COUNT))
    return parameters, rng.choice([0.0, 5e-4, 2e-3], COUNT).astype(np.float32)


def as_torch(parameters: Parameters) -> tuple[dict[str, Any], dict[str, Any]]:
    """gsplat's parameters, and an optimiser for each with moments of one."""
    params = {GSPLAT_NAMES[name]: torch.nn.Parameter(torch.tensor(getattr(parameters, name))) for name in GROUPS}
    optimizers = {name: torch.optim.Adam([param], lr=1e-3) for name, param in params.items()}
    for name, param in params.items():
        ones = torch.ones_like(param)
        optimizers[name].state[param] = {"step": torch.tensor(7.0), "exp_avg": ones.clone(), "exp_avg_sq": ones.clone()}
    return params, optimizers


def test_densification_is_gsplats_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    from gsplat.strategy import DefaultStrategy
    parameters, pressure = gaussians()
    params, optimizers = as_torch(parameters)
    strategy = DefaultStrategy(grow_grad2d=THRESHOLD, prune_opa=0.005, reset_every=3_000)
    state = {"grad2d": torch.tensor(pressure), "count": torch.ones(COUNT), "scene_scale": EXTENT}
    asked = context(parameters, 4_000, EXTENT, densify_grad_threshold=THRESHOLD)
    draws = np.random.default_rng(4)  # the context's
    monkeypatch.setattr(torch, "randn", lambda *shape, **_: torch.tensor(
        draws.standard_normal((shape[0] * shape[1], shape[2]), np.float32).reshape(shape)))
    cloned, split = strategy._grow_gs(params, optimizers, state, 4_000)
    pruned = strategy._prune_gs(params, optimizers, state, 4_000)

    adam = Adam(parameters, 1e-15)
    for memory in adam.moments.values():
        memory.mean[:], memory.square[:] = 1, 1
    tally = Tally(pressure, np.ones(COUNT, np.float32), np.zeros(COUNT, np.float32))
    events = densify(adam, tally, asked, Recipe())
    assert (events["cloned"], events["split"], events["pruned"]) == (cloned, split, pruned)
    assert min(cloned, split, pruned) >= 5
    for name in GROUPS:
        param = params[GSPLAT_NAMES[name]]
        np.testing.assert_allclose(getattr(adam.parameters, name), param.detach().numpy(), rtol=1e-5, atol=1e-6)
        moments = optimizers[GSPLAT_NAMES[name]].state[param]
        np.testing.assert_array_equal(adam.moments[name].mean, moments["exp_avg"].numpy())


def test_reset_is_gsplats() -> None:
    from gsplat.strategy.ops import reset_opa
    parameters, _ = gaussians()
    params, optimizers = as_torch(parameters)
    reset_opa(params, optimizers, {}, value=0.01)
    ours = Recipe().reset_opacities(context(parameters), parameters.logit_opacities)
    np.testing.assert_allclose(ours, params["opacities"].detach().numpy(), rtol=1e-6)


def test_noise_is_gsplats(monkeypatch: pytest.MonkeyPatch) -> None:
    """With gsplat's own torch covariance in the place of its CUDA kernel."""
    from gsplat.cuda._torch_impl import _quat_scale_to_covar_preci
    from gsplat.strategy import ops
    monkeypatch.setattr(ops, "quat_scale_to_covar_preci", _quat_scale_to_covar_preci)
    draws = np.random.default_rng(4).standard_normal((COUNT, 3), np.float32)
    monkeypatch.setattr(torch, "randn_like", lambda _: torch.tensor(draws))
    parameters, _ = gaussians()
    params, optimizers = as_torch(parameters)
    ops.inject_noise_to_position(params, optimizers, {}, scaler=1e-3 * 5e5)
    shift = mcmc.noise(context(parameters, noise_lr=5e5), parameters, 1e-3)
    assert np.abs(shift).max() > 0.1
    np.testing.assert_allclose(parameters.means + shift, params["means"].detach().numpy(), rtol=1e-4, atol=1e-4)


def test_relocation_is_gsplats_but_for_the_cuda_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which rows share, which moments are forgotten, and how opacities are bounded; the formula itself is ours in both."""
    from gsplat.strategy import ops

    def shared(opacities: Any, scales: Any, ratios: Any, **_: Any) -> tuple[Any, Any]:
        new = mcmc.relocated(opacities.detach().numpy(), scales.detach().numpy(), ratios.numpy())
        return torch.tensor(new[0], dtype=torch.float32), torch.tensor(new[1], dtype=torch.float32)

    parameters, _ = gaussians()
    params, optimizers = as_torch(parameters)
    adam = Adam(parameters, 1e-15)
    for memory in adam.moments.values():
        memory.mean[:], memory.square[:] = 1, 1
    drawn: list[Any] = []
    asked = context(parameters, strategy="mcmc", cap_max=COUNT)
    choice = asked.rng.choice
    spied = SimpleNamespace(choice=lambda *args, **how: drawn.append(choice(*args, **how)) or drawn[-1])
    dead = torch.tensor(parameters.logit_opacities) <= float(logit(0.005))
    relocate_and_add(adam, replace(asked, rng=spied), Recipe())  # type: ignore[arg-type]

    alive_place = {int(row): place for place, row in enumerate(torch.where(~dead)[0])}
    monkeypatch.setattr(ops, "compute_relocation", shared)
    monkeypatch.setattr(ops, "_multinomial_sample", lambda *_, **__: torch.tensor([alive_place[int(r)] for r in drawn[0]]))
    with torch.no_grad():
        ops.relocate(params, optimizers, {}, dead, binoms=None, min_opacity=0.005)
    for name in GROUPS:
        param = params[GSPLAT_NAMES[name]]
        np.testing.assert_allclose(getattr(adam.parameters, name), param.detach().numpy(), rtol=1e-5, atol=1e-5)
        moments = optimizers[GSPLAT_NAMES[name]].state[param]
        np.testing.assert_array_equal(adam.moments[name].mean, moments["exp_avg"].numpy())
