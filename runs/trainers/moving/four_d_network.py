"""The network of 4DGaussians: features of a HexPlane in, what is added to each Gaussian's parameters out.

Formulas: Wu et al. 2024 (arXiv 2310.08528) and `scene/deformation.py` at 843d5ac. Sizes are those of the stored tensors; which
heads are at work only the settings tell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runs.arrays import F32
from runs.settings import Settings
from runs.trainers.moving.hexplane_field import HexPlane, read_hexplane
from runs.trainers.moving.layers import Linear, Misfit, State, linear, relu

NET = "deformation_net"
MOST_LAYERS = 64
# Column -> its head, the setting that turns the head off, and the numbers that it adds to each row. All add to stored values.
HEADS: Mapping[str, tuple[str, str, int]] = {
    "means": ("pos_deform", "no_dx", 3), "log_scales": ("scales_deform", "no_ds", 3),
    "quats_wxyz": ("rotations_deform", "no_dr", 4), "logit_opacities": ("opacity_deform", "no_do", 1),
    "sh": ("shs_deform", "no_dshs", 48),
}
# Versions before these settings had the head of the positions always at work, and none for the colours.
BEFORE = {"no_dx": False, "no_dshs": True}
UNUSUAL = ("no_grid", "static_mlp", "empty_voxel", "apply_rotation", "grid_pe")  # none of them is on in a published config


@dataclass(frozen=True, eq=False)
class FourDNetwork:
    """`trunk` and every head are linear layers with a ReLU between."""

    planes: HexPlane
    trunk: tuple[Linear, ...]
    heads: Mapping[str, tuple[Linear, Linear]]

    def added(self, features: F32) -> dict[str, F32]:
        """Column -> float32 [n, numbers] that are added to it."""
        x = self.trunk[0](features)
        for layer in self.trunk[1:]:
            x = layer(relu(x))
        hidden = relu(x)
        return {column: second(relu(first(hidden))) for column, (first, second) in self.heads.items()}


def heads_at_work(settings: Settings) -> tuple[str, ...]:
    """The columns that the network moves. Raises Misfit where the settings leave it open, or what they ask for is not known."""
    on = [name for name in UNUSUAL if settings.value(name)]
    if on:
        raise Misfit(f"was trained with {on[0]}, which is not evaluated here")
    return tuple(column for column, (_, setting, _) in HEADS.items() if not _is_off(settings, setting))


def _is_off(settings: Settings, name: str) -> bool:
    stored = settings.value(name)
    value = BEFORE.get(name) if stored is None else stored
    if not isinstance(value, bool):
        raise Misfit(f"moves what the setting {name} tells, which cfg_args does not hold")
    return value


def read_network(state: State, columns: Sequence[str]) -> FourDNetwork:
    """The network in a state_dict of `deformation.pth`, with the heads of `columns`. Raises Misfit where shapes do not fit."""
    planes = read_hexplane(state, f"{NET}.grid")
    trunk = [linear(state, f"{NET}.feature_out.0", planes.outputs)]
    while f"{NET}.feature_out.{2 * len(trunk)}.weight" in state and len(trunk) < MOST_LAYERS:
        trunk.append(linear(state, f"{NET}.feature_out.{2 * len(trunk)}", trunk[0].outputs, trunk[0].outputs))
    width = trunk[0].outputs
    heads = {}
    for column in columns:
        head, _, numbers = HEADS[column]
        heads[column] = linear(state, f"{NET}.{head}.1", width, width), linear(state, f"{NET}.{head}.3", width, numbers)
    return FourDNetwork(planes, tuple(trunk), heads)
