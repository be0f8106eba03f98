"""Folders of moving scenes as their trainers leave them, and the networks of those trainers built anew in torch.

Import only where torch is there. The modules follow the published formulas with torch's own operators (grid_sample, Linear,
matrix_exp); names of tensors are those that the trainers' state_dicts have.
"""

import math
from itertools import combinations
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from runs.gaussians import Gaussians
from tests.support.files import random_gaussians, write_splats

DEFORMABLE_ARGS = (
    "Namespace(sh_degree=3, source_path='/data/scenes/nowhere', model_path='output/test', images='images', resolution=-1, "
    "white_background=False, data_device='cuda', eval=True, load2gpu_on_the_fly=False, is_blender={is_blender}, "
    "is_6dof={is_6dof})"
)
FOUR_D_ARGS = (
    "Namespace(sh_degree=3, source_path='/data/scenes/nowhere', model_path='output/test', images='images', resolution=-1, "
    "white_background=True, data_device='cuda', eval=True, render_process=False, net_width={width}, defor_depth={depth}, "
    "bounds=1.6, kplanes_config={{'grid_dimensions': 2, 'input_coordinate_dim': 4, 'output_coordinate_dim': 6, "
    "'resolution': [8, 8, 8, 5]}}, multires=[1, 2], no_dx={no_dx}, no_grid=False, no_ds={no_ds}, no_dr={no_dr}, no_do={no_do}, "
    "no_dshs={no_dshs}, empty_voxel=False, grid_pe=0, static_mlp=False, apply_rotation=False, custom_sampler=None, "
    "iterations=14000, coarse_iterations={coarse}, densify_until_iter=10000, opacity_reset_interval=3000)"
)


class Deformer(nn.Module):
    """The network of Deformable-3D-Gaussians (arXiv 2309.13101)."""

    def __init__(self, *, depth: int = 8, width: int = 256, blender: bool = False, screw: bool = False) -> None:
        super().__init__()
        self.skip, self.blender, self.screw = depth // 2, blender, screw
        self.time_octaves = 6 if blender else 10
        inputs = 63 + (30 if blender else 21)
        if blender:
            self.timenet = nn.Sequential(nn.Linear(13, 256), nn.ReLU(), nn.Linear(256, 30))
        sizes = [inputs] + [width + (inputs if i == self.skip + 1 else 0) for i in range(1, depth)]
        self.linear = nn.ModuleList([nn.Linear(size, width) for size in sizes])
        if screw:
            self.branch_w, self.branch_v = nn.Linear(width, 3), nn.Linear(width, 3)
        else:
            self.gaussian_warp = nn.Linear(width, 3)
        self.gaussian_rotation, self.gaussian_scaling = nn.Linear(width, 4), nn.Linear(width, 3)

    def forward(self, means: Any, time: float) -> tuple[Any, Any, Any]:
        """Moved means [N, 3], added rotation [N, 4], added scales [N, 3]."""
        moment = waves(torch.full((len(means), 1), time), self.time_octaves)
        entered = torch.cat([waves(means, 10), self.timenet(moment) if self.blender else moment], 1)
        x = entered
        for index, layer in enumerate(self.linear):
            x = functional.relu(layer(x))
            x = torch.cat([entered, x], 1) if index == self.skip else x
        moved = self._screwed(means, x) if self.screw else means + self.gaussian_warp(x)
        return moved, self.gaussian_rotation(x), self.gaussian_scaling(x)

    def _screwed(self, means: Any, x: Any) -> Any:
        """By torch's matrix exponential of the 4 x 4 twists, in double precision; both halves are 1e-5 off unit, as trained."""
        w, v = self.branch_w(x).double(), self.branch_v(x).double()
        angle = w.norm(dim=1, keepdim=True)
        unit, shift = w / angle + 1e-5, v / angle + 1e-5
        twist = torch.zeros(len(means), 4, 4, dtype=torch.float64)
        for row, column, axis in ((2, 1, 0), (0, 2, 1), (1, 0, 2)):
            twist[:, row, column], twist[:, column, row] = unit[:, axis], -unit[:, axis]
        twist[:, :3, 3] = shift
        points = torch.cat([means.double(), torch.ones(len(means), 1)], 1)
        moved = torch.matrix_exp(twist * angle[:, :, None]) @ points[:, :, None]
        return moved[:, :3, 0].float()


def waves(x: Any, octaves: int) -> Any:
    """x, then sine and cosine of each octave."""
    parts = [x]
    for octave in range(octaves):
        parts += [torch.sin(x * 2.0**octave), torch.cos(x * 2.0**octave)]
    return torch.cat(parts, 1)


class HexDeformer(nn.Module):
    """The network of 4DGaussians (arXiv 2310.08528), as its `deformation_net`."""

    def __init__(self, *, depth: int = 2, width: int = 16, channels: int = 6) -> None:
        super().__init__()
        resolutions = [(8, 8, 8, 5), (16, 16, 16, 5)]
        levels = [nn.ParameterList([nn.Parameter(torch.rand(1, channels, size[b], size[a]) + 0.5)
                                    for a, b in combinations(range(4), 2)]) for size in resolutions]
        self.grid = nn.Module()
        self.grid.aabb = nn.Parameter(torch.tensor([[0.9, 1.1, 0.8], [-0.8, -0.9, -1.0]]), requires_grad=False)
        self.grid.grids = nn.ModuleList(levels)
        trunk: list[nn.Module] = [nn.Linear(len(resolutions) * channels, width)]
        for _ in range(depth - 1):
            trunk += [nn.ReLU(), nn.Linear(width, width)]
        self.feature_out = nn.Sequential(*trunk)
        for name, outputs in (("pos", 3), ("scales", 3), ("rotations", 4), ("opacity", 1), ("shs", 48)):
            head = nn.Sequential(nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, outputs))
            setattr(self, f"{name}_deform", head)

    def forward(self, means: Any, time: float) -> dict[str, Any]:
        """What each head adds."""
        box = self.grid.aabb
        place = (means - box[0]) * (2 / (box[1] - box[0])) - 1
        points = torch.cat([place, torch.full((len(means), 1), time)], 1)
        hidden = self.feature_out(torch.cat([self._product(planes, points) for planes in self.grid.grids], 1))
        return {name: getattr(self, f"{name}_deform")(hidden) for name in ("pos", "scales", "rotations", "opacity", "shs")}

    @staticmethod
    def _product(planes: Any, points: Any) -> Any:
        product = 1.0
        for axes, plane in zip(combinations(range(4), 2), planes, strict=True):
            at = points[:, axes].reshape(1, 1, -1, 2)
            sample = functional.grid_sample(plane, at, mode="bilinear", padding_mode="border", align_corners=True)
            product = product * sample[0, :, 0].T
        return product


def write_deformable(
    folder: Path, network: Deformer, gaussians: Gaussians, iterations: tuple[int, ...] = (7_000, 40_000),
) -> Path:
    """A run whose saves share one set of Gaussians and one network."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cfg_args").write_text(DEFORMABLE_ARGS.format(is_blender=network.blender, is_6dof=network.screw), encoding="utf-8")
    for iteration in iterations:
        write_splats(folder / f"point_cloud/iteration_{iteration}/point_cloud.ply", gaussians)
        target = folder / f"deform/iteration_{iteration}"
        target.mkdir(parents=True)
        torch.save(network.state_dict(), target / "deform.pth")
    return folder


def write_four_d(
    folder: Path, network: HexDeformer, gaussians: Gaussians, *, coarse: int = 3_000, fine: tuple[int, ...] = (1_000, 14_000),
    **off: bool,
) -> Path:
    """A run with one save of the coarse stage and some of the fine one."""
    heads = {"no_dx": False, "no_ds": False, "no_dr": False, "no_do": True, "no_dshs": True, **off}
    folder.mkdir(parents=True, exist_ok=True)
    width, depth = network.feature_out[0].out_features, (len(network.feature_out) + 1) // 2
    (folder / "cfg_args").write_text(FOUR_D_ARGS.format(width=width, depth=depth, coarse=coarse, **heads), encoding="utf-8")
    state = {f"deformation_net.{name}": tensor for name, tensor in network.state_dict().items()}
    state |= {f"timenet.{i}.{kind}": torch.zeros(2) for i in (0, 2) for kind in ("weight", "bias")}
    state |= {"time_poc": 2.0 ** torch.arange(4), "pos_poc": 2.0 ** torch.arange(10)}
    for name in (f"coarse_iteration_{coarse}", *(f"iteration_{iteration}" for iteration in fine)):
        write_splats(folder / "point_cloud" / name / "point_cloud.ply", gaussians)
        torch.save(state, folder / "point_cloud" / name / "deformation.pth")
        torch.save(torch.ones(gaussians.count, dtype=torch.bool), folder / "point_cloud" / name / "deformation_table.pth")
        torch.save(torch.zeros(gaussians.count, 3), folder / "point_cloud" / name / "deformation_accum.pth")
    return folder


def trained_like(network: nn.Module, seed: int, *, strength: float = 0.3) -> Any:
    """Random weights that move things by about `strength`; untrained heads of the trainer give far larger steps."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if name.endswith("weight"):
                bound = math.sqrt(6 / sum(parameter.shape))
                parameter.uniform_(-bound, bound, generator=generator)
            elif name.endswith("bias"):
                parameter.uniform_(-0.1, 0.1, generator=generator)
            if "gaussian_" in name or name.split(".")[-2] == "3":
                parameter.mul_(strength)
    return network


def canonical(count: int = 300, *, seed: int = 3) -> Gaussians:
    """Splats of degree 3 in a box of two units."""
    return random_gaussians(count, degree=3, seed=seed)
