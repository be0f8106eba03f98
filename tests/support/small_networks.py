"""The smallest networks of moving scenes, as state_dicts of numpy arrays: for seeds and hostile variants, without torch."""

from itertools import combinations

import numpy as np

from runs.arrays import F32


def numbers(rng: np.random.Generator, *shape: int) -> F32:
    return rng.normal(0, 0.1, shape).astype(np.float32)


def layer(rng: np.random.Generator, name: str, inputs: int, outputs: int) -> dict[str, F32]:
    return {f"{name}.weight": numbers(rng, outputs, inputs), f"{name}.bias": numbers(rng, outputs)}


def deform_state(*, screw: bool = False) -> dict[str, F32]:
    """Three layers of four numbers, one octave of position and time."""
    rng, inputs = np.random.default_rng(1), 9 + 2
    state = {**layer(rng, "timenet.0", 3, 4), **layer(rng, "timenet.2", 4, 2)}
    for index, size in enumerate((inputs, 4, 4 + inputs)):
        state |= layer(rng, f"linear.{index}", size, 4)
    heads = {"branch_w": 3, "branch_v": 3} if screw else {"gaussian_warp": 3}
    for name, outputs in {**heads, "gaussian_rotation": 4, "gaussian_scaling": 3}.items():
        state |= layer(rng, name, 4, outputs)
    return state


def hexplane_state() -> dict[str, F32]:
    """One level of two channels, all heads."""
    rng, sizes = np.random.default_rng(2), (3, 3, 3, 2)
    state = {"deformation_net.grid.aabb": np.array([[1, 1, 1], [-1, -1, -1]], np.float32)}
    for index, (a, b) in enumerate(combinations(range(4), 2)):
        state[f"deformation_net.grid.grids.0.{index}"] = numbers(rng, 1, 2, sizes[b], sizes[a])
    state |= layer(rng, "deformation_net.feature_out.0", 2, 4)
    for name, outputs in {"pos": 3, "scales": 3, "rotations": 4, "opacity": 1, "shs": 48}.items():
        state |= layer(rng, f"deformation_net.{name}_deform.1", 4, 4) | layer(rng, f"deformation_net.{name}_deform.3", 4, outputs)
    return state
