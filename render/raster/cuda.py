"""The differentiable renderer on a CUDA device, through gsplat: the same call as `differentiable.render`.

gsplat differs from `differentiable` where this file cannot help it: alpha is capped at 0.999 instead of 0.99, a Gaussian's
radius is the larger half of its box, and rows with NaN are treated as its kernels treat them.
"""

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

from render.projection import DILATION_PX2, NEAR
from render.raster.gradients import Gradients, shaped
from render.raster.parameters import GROUPS, Parameters
from runs.arrays import F32
from runs.cameras import Camera


class CudaMissing(RuntimeError):
    """This machine cannot render with gsplat; the message says what is missing."""


@dataclass(frozen=True, eq=False)
class CudaRendered:
    """A picture on the host, with its graph on the device; see `render.raster.gradients.Rendering`."""

    rgb: F32
    alpha: F32
    radii_px: F32  # float32 [N]
    leaves: dict[str, Any]  # the six groups on the device
    outputs: tuple[Any, Any]  # rgb [1, H, W, 3] and alpha [1, H, W, 1] on the device
    means2d: Any  # [1, N, 2] px, on the device

    def backward(self, rgb_gradient: F32, alpha_gradient: F32 | None = None) -> Gradients:
        """Gradients for dL/d(rgb) [H, W, 3] and dL/d(alpha) [H, W]. Raises ValueError for other shapes."""
        torch = _torch()
        by_alpha = np.zeros_like(self.alpha) if alpha_gradient is None else alpha_gradient
        incoming = [torch.as_tensor(shaped(rgb_gradient, self.rgb, "rgb_gradient"), device="cuda")[None],
                    torch.as_tensor(shaped(by_alpha, self.alpha, "alpha_gradient"), device="cuda")[None, ..., None]]
        wanted = [*(self.leaves[name] for name in GROUPS), self.means2d]
        found = torch.autograd.grad(self.outputs, wanted, incoming, retain_graph=True, allow_unused=True)
        *groups, means2d = (_host(torch.zeros_like(leaf) if gradient is None else gradient)
                            for leaf, gradient in zip(wanted, found, strict=True))
        return Gradients(**dict(zip(GROUPS, groups, strict=True)), means2d_px=means2d[0])


def render(
    parameters: Parameters, camera: Camera, *, background: tuple[float, float, float] = (0.0, 0.0, 0.0),
    sh_degree: int | None = None, near: float = NEAR, dilation_px2: float = DILATION_PX2, threads: int = 1,  # noqa: ARG001  (as the CPU's)
) -> CudaRendered:
    """The picture of `differentiable.render`, in float32. Raises CudaMissing without a CUDA device, torch or gsplat."""
    torch, rasterization = _torch(), _rasterization()

    def sent(values: Any) -> Any:
        return torch.as_tensor(np.asarray(values, np.float32), device="cuda")

    leaves = {name: sent(getattr(parameters, name)).clone().requires_grad_() for name in GROUPS}
    intrinsics = np.array([[camera.fx, 0, camera.cx], [0, camera.fy, camera.cy], [0, 0, 1]])
    width, height = camera.size_px
    rgb, alpha, found = rasterization(
        means=leaves["means"], quats=leaves["quats_wxyz"], scales=leaves["log_scales"].exp(),
        opacities=leaves["logit_opacities"].sigmoid(), colors=torch.cat([leaves["sh0"][:, None], leaves["sh_rest"]], dim=1),
        viewmats=sent(camera.camera_from_world)[None], Ks=sent(intrinsics)[None], width=width, height=height,
        near_plane=near, eps2d=dilation_px2, packed=False, backgrounds=sent(background)[None],
        sh_degree=parameters.sh_degree if sh_degree is None else min(sh_degree, parameters.sh_degree),
    )
    radii = _host(found["radii"][0]).reshape(parameters.count, -1)
    seen = (radii > 0).all(axis=1)
    return CudaRendered(_host(rgb[0]), _host(alpha[0, ..., 0]), np.where(seen, radii.max(axis=1), 0).astype(np.float32),
                        leaves, (rgb, alpha), found["means2d"])


def check() -> None:
    """Raises CudaMissing where `render` would; quickly where there is no driver, for importing torch takes seconds."""
    if not _has_driver():
        raise CudaMissing("rendering on CUDA needs a CUDA device, and this machine has no driver for one")
    _torch()
    _rasterization()


def _has_driver() -> bool:
    for name in ("libcuda.so.1", "libcuda.so", "nvcuda.dll"):
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return True
    return False


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise CudaMissing("rendering on CUDA needs torch, which is not installed") from error
    if not torch.cuda.is_available():
        raise CudaMissing("rendering on CUDA needs a CUDA device, and torch finds none")
    return torch


def _rasterization() -> Any:
    try:
        from gsplat import rasterization
    except ImportError as error:
        raise CudaMissing("rendering on CUDA needs gsplat, which is not installed") from error
    return rasterization


def _host(values: Any) -> Any:
    return values.detach().cpu().numpy()
