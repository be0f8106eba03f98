"""Training states of INRIA's forks as torch itself writes them, and the columns that each fork adds to its PLY."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs.gaussians import Gaussians

GROUPS = ("xyz", "f_dc", "f_rest", "opacity", "scaling", "rotation")  # in the order of the optimizer
CAPTURED = ("xyz", "f_dc", "f_rest", "scaling", "rotation", "opacity")  # in the order of the tuple


def parameters(gaussians: Gaussians) -> dict[str, Any]:
    """torch parameters by group, in the shapes that the trainer gives them."""
    torch = pytest.importorskip("torch")
    count = gaussians.count
    arrays = {
        "xyz": gaussians.means, "f_dc": gaussians.sh0.reshape(count, 1, 3), "f_rest": gaussians.sh_rest,
        "scaling": gaussians.log_scales, "rotation": gaussians.quats_wxyz, "opacity": gaussians.logit_opacities.reshape(count, 1),
    }
    return {name: torch.nn.Parameter(torch.from_numpy(np.array(arrays[name], np.float32))) for name in GROUPS}


def adam(named: Mapping[str, Any], *, steps: int = 3, kind: str = "Adam") -> Any:
    """An optimizer that has really stepped `steps` times on these parameters, which keep their values."""
    torch = pytest.importorskip("torch")
    groups = [{"params": [value], "lr": 0.0, "name": name} for name, value in named.items()]
    optimizer = getattr(torch.optim, kind)(groups, lr=0.0, eps=1e-15, weight_decay=0.0)
    generator = torch.Generator().manual_seed(0)
    for _ in range(steps):
        for value in named.values():
            value.grad = torch.rand(value.shape, generator=generator)
        optimizer.step()
    for rate, group in enumerate(optimizer.param_groups, 1):
        group["lr"] = np.float64(rate) / 1000  # the schedule of the means makes numpy numbers
    return optimizer


def column(count: int, value: float) -> Any:
    """[N, 1], all of one value, so that a mix-up shows."""
    torch = pytest.importorskip("torch")
    return torch.full((count, 1), float(value))


def statistics(count: int) -> list[Any]:
    """max_radii2D [N], xyz_gradient_accum [N, 1], denom [N, 1]: ones, twos and threes."""
    torch = pytest.importorskip("torch")
    return [torch.full((count,), 1.0), column(count, 2), column(count, 3)]


def capture(
    gaussians: Gaussians, *, stored: Sequence[Any] | None = None, optimizers: Sequence[Any] | None = None,
    changed: Mapping[str, Any] | None = None,
) -> tuple[Any, ...]:
    """The items of a fork's capture(): degree, six parameters, statistics, optimizers' states, extent (a numpy number)."""
    named = parameters(gaussians)
    states = [adam(named)] if optimizers is None else optimizers
    items = [(changed or {}).get(name, named[name]) for name in CAPTURED]
    between = statistics(gaussians.count) if stored is None else stored
    return (gaussians.sh_degree, *items, *between, *(one.state_dict() for one in states), np.float64(4.5))


def save(path: Path, items: tuple[Any, ...], iteration: int) -> Path:
    """A chkpnt as the trainer's last line writes it."""
    torch = pytest.importorskip("torch")
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save((items, iteration), path)
    return path

