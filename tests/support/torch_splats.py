"""Two torch renderers with autograd, as peers: dense formulas written here, and gsplat's own torch code.

Import only where torch (and gsplat) is there.
"""

import sys
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from render.harmonics import C0, C1, C2, C3
from render.projection import slope_limits
from render.raster.gradients import Gradients
from render.raster.parameters import GROUPS, Parameters
from runs.arrays import Array
from runs.cameras import Camera

TILE = 16  # px, gsplat's default


def leaves(parameters: Parameters) -> dict[str, Any]:
    """The six groups as torch leaves."""
    return {name: torch.tensor(getattr(parameters, name), requires_grad=True) for name in GROUPS}


def dense(groups: dict[str, Any], camera: Camera, background: Any, near: float = 0.2) -> tuple[Any, Any, Any]:
    """rgb [H, W, 3], alpha [H, W] and means2d [N, 2]: every Gaussian at every pixel, by the formulas of Kerbl et al. 2023."""
    flat = _projected(groups, camera, near)
    order, alphas = _alphas(*flat, camera)
    before = torch.cat([torch.ones_like(alphas[:1]), (1 - alphas).cumprod(0)])
    weights = alphas * before[:-1]
    shape = (camera.size_px[1], camera.size_px[0])
    rgb = weights.T @ _colours(groups, camera)[order] + before[-1][:, None] * background
    return rgb.reshape(*shape, 3), (1 - before[-1]).reshape(shape), flat[0]


def gsplat_torch(
    groups: dict[str, Any], camera: Camera, background: Any, pairs: tuple[Any, Any], near: float = 0.2
) -> tuple[Any, Any, Any]:
    """The same through gsplat's torch projection, harmonics and `accumulate`; `pairs` are its (Gaussian, pixel) index lists."""
    from gsplat.cuda import _torch_impl as peer

    kind = groups["means"].dtype
    _, means2d, _, conics = _gsplat_projection(groups, camera, near)
    coefficients = torch.cat([groups["sh0"][:, None], groups["sh_rest"]], 1)
    degree = round(coefficients.shape[1] ** 0.5) - 1
    directions = groups["means"] - torch.tensor(camera.centre, dtype=kind)
    colours = (peer._spherical_harmonics(degree, directions, coefficients) + 0.5).clamp_min(0)
    with patch.dict(sys.modules, nerfacc=_nerfacc()):
        rgb, alpha = peer.accumulate(means2d[None], conics, groups["logit_opacities"].sigmoid()[None], colours[None],
                                     pairs[0], pairs[1], torch.zeros_like(pairs[0]), *camera.size_px)
    return rgb[0] + background * (1 - alpha[0]), alpha[0, ..., 0], means2d


def gsplat_tiles(groups: dict[str, Any], camera: Camera, near: float = 0.2) -> tuple[Any, Any, Any]:
    """gsplat's torch code for the lists of its tiles of 16 px: the tile and the Gaussian of each entry, and where tiles start."""
    from gsplat.cuda import _torch_impl as peer

    with torch.no_grad():
        radii, means2d, depths, _ = _gsplat_projection(groups, camera, near)
        across, down = ((size + TILE - 1) // TILE for size in camera.size_px)
        _, keys, gaussians = peer._isect_tiles(means2d[None], radii, depths, TILE, across, down)
        return keys >> 32, gaussians, peer._isect_offset_encode(keys, 1, across, down)


def tile_pairs(groups: dict[str, Any], camera: Camera) -> tuple[Any, Any]:
    """(Gaussian, pixel) of every pixel of every tile that lists the Gaussian, by pixel and then depth."""
    width, height = camera.size_px
    tiles, gaussians, _ = gsplat_tiles(groups, camera)
    across, inside = (width + TILE - 1) // TILE, torch.arange(TILE * TILE)
    x = (tiles % across)[:, None] * TILE + inside % TILE
    y = torch.div(tiles, across, rounding_mode="floor")[:, None] * TILE + torch.div(inside, TILE, rounding_mode="floor")
    shown = (x < width) & (y < height)
    pixels, order = (y * width + x)[shown].sort(stable=True)
    return gaussians.long()[:, None].expand_as(x)[shown][order], pixels


def pairs_of(groups: dict[str, Any], camera: Camera, near: float = 0.2) -> tuple[Any, Any]:
    """(Gaussian, pixel) of all that is blended, by pixel and then depth: what a CUDA kernel lists for gsplat's `accumulate`."""
    with torch.no_grad():
        order, alphas = _alphas(*_projected(groups, camera, near), camera)
        pixels, ranks = (alphas.T > 0).nonzero(as_tuple=True)
        return order[ranks], pixels


def torch_gradients(groups: dict[str, Any], outputs: tuple[Any, Any, Any], incoming: tuple[Array, Array]) -> Gradients:
    """Autograd's answer for dL/d(rgb) and dL/d(alpha)."""
    rgb, alpha, means2d = outputs
    arriving = [torch.as_tensor(part, dtype=rgb.dtype) for part in incoming]
    found = torch.autograd.grad([rgb, alpha], [*groups.values(), means2d], arriving)
    return Gradients(*(np.asarray(gradient) for gradient in found))


def _gsplat_projection(groups: dict[str, Any], camera: Camera, near: float) -> tuple[Any, Any, Any, Any]:
    """radii [1, N, 2], means2d [N, 2], depths [1, N] and conics [1, N, 3] by gsplat's torch code."""
    from gsplat.cuda import _torch_impl as peer

    kind = groups["means"].dtype
    view = torch.tensor(camera.camera_from_world, dtype=kind)
    intrinsics = torch.tensor([[camera.fx, 0, camera.cx], [0, camera.fy, camera.cy], [0, 0, 1]], dtype=kind)
    covariances, _ = peer._quat_scale_to_covar_preci(groups["quats_wxyz"], groups["log_scales"].exp(), compute_preci=False)
    radii, (means2d,), depths, conics, _ = peer._fully_fused_projection(
        groups["means"], covariances, view[None], intrinsics[None], *camera.size_px, near_plane=near)
    return radii, means2d, depths, conics


def _projected(groups: dict[str, Any], camera: Camera, near: float) -> tuple[Any, Any, Any, Any]:
    """means2d [N, 2], Σ'⁻¹ [N, 2, 2], opacities [N] (0 behind the near plane) and depths [N]."""
    kind = groups["means"].dtype
    view = torch.tensor(camera.camera_from_world, dtype=kind)
    point = groups["means"] @ view[:3, :3].T + view[:3, 3]
    front = point[:, 2].detach() > near
    x, y, z = torch.where(front[:, None], point, torch.ones_like(point)).unbind(1)
    means2d = torch.stack([camera.fx * x / z + camera.cx, camera.fy * y / z + camera.cy], 1)
    x_low, x_high, y_low, y_high = slope_limits(camera)
    zero = torch.zeros_like(z)
    jacobian = torch.stack([camera.fx / z, zero, -camera.fx / z * (x / z).clamp(x_low, x_high),
                            zero, camera.fy / z, -camera.fy / z * (y / z).clamp(y_low, y_high)], 1).reshape(-1, 2, 3)
    spread = jacobian @ view[:3, :3] @ _rotations(groups["quats_wxyz"]) * groups["log_scales"].exp()[:, None]
    covariance = spread @ spread.transpose(1, 2) + 0.3 * torch.eye(2, dtype=kind)
    return means2d, torch.linalg.inv(covariance), groups["logit_opacities"].sigmoid() * front, z


def _alphas(means2d: Any, inverse: Any, opacities: Any, depths: Any, camera: Camera) -> tuple[Any, Any]:
    """The depth order, and what each Gaussian of it adds to each pixel [N, H·W]: capped, cut at 1/255, stopped at T < 1e-4."""
    order = depths.detach().argsort(stable=True)
    width, height = camera.size_px
    rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    pixels = torch.stack([columns.reshape(-1), rows.reshape(-1)], 1).to(means2d.dtype) + 0.5
    offset = pixels[None] - means2d[order][:, None]
    q = inverse[order]
    power = (0.5 * (q[:, None, 0, 0] * offset[..., 0] ** 2 + q[:, None, 1, 1] * offset[..., 1] ** 2)
             + q[:, None, 0, 1] * offset[..., 0] * offset[..., 1])
    alphas = (opacities[order][:, None] * torch.exp(-power)).clamp_max(0.99)
    alphas = torch.where(alphas >= 1 / 255, alphas, 0)
    return order, torch.where((1 - alphas).cumprod(0) >= 1e-4, alphas, 0)


def _colours(groups: dict[str, Any], camera: Camera) -> Any:
    ray = groups["means"] - torch.tensor(camera.centre, dtype=groups["means"].dtype)
    x, y, z = (ray / ray.norm(dim=1, keepdim=True)).unbind(1)
    xx, yy, zz = x * x, y * y, z * z
    terms = [
        C0 * torch.ones_like(x), -C1 * y, C1 * z, -C1 * x,
        C2[0] * x * y, C2[1] * y * z, C2[2] * (2 * zz - xx - yy), C2[3] * x * z, C2[4] * (xx - yy),
        C3[0] * y * (3 * xx - yy), C3[1] * x * y * z, C3[2] * y * (4 * zz - xx - yy), C3[3] * z * (2 * zz - 3 * xx - 3 * yy),
        C3[4] * x * (4 * zz - xx - yy), C3[5] * z * (xx - yy), C3[6] * x * (xx - 3 * yy)]
    coefficients = torch.cat([groups["sh0"][:, None], groups["sh_rest"]], 1)
    basis = torch.stack(terms[: coefficients.shape[1]], 1)
    return (torch.einsum("nk,nkc->nc", basis, coefficients) + 0.5).clamp_min(0)


def _rotations(quats: Any) -> Any:
    w, x, y, z = (quats / quats.norm(dim=1, keepdim=True)).unbind(1)
    return torch.stack([
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], 1).reshape(-1, 3, 3)


def _nerfacc() -> ModuleType:
    """The two functions of nerfacc that gsplat calls, which the real one only offers on CUDA."""

    def render_weight_from_alpha(alphas: Any, ray_indices: Any, n_rays: int) -> tuple[Any, Any]:
        logs = torch.log1p(-alphas)
        before = logs.cumsum(0) - logs
        starts = torch.searchsorted(ray_indices, torch.arange(n_rays)).clamp_max(max(len(alphas) - 1, 0))
        left = torch.exp(before - before[starts][ray_indices])
        return alphas * left, left

    def accumulate_along_rays(weights: Any, values: Any, ray_indices: Any, n_rays: int) -> Any:
        added = weights[:, None] if values is None else weights[:, None] * values
        return torch.zeros(n_rays, added.shape[1], dtype=added.dtype).index_add(0, ray_indices, added)

    module = ModuleType("nerfacc")
    module.render_weight_from_alpha = render_weight_from_alpha  # type: ignore[attr-defined]
    module.accumulate_along_rays = accumulate_along_rays  # type: ignore[attr-defined]
    return module
