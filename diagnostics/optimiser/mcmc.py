"""The steps of the MCMC strategy (Kheradmand et al. 2024, after gsplat's MCMCStrategy): relocation, noise, regularisers."""

import math

import numpy as np
from scipy.special import expit

from diagnostics.optimiser.context import Context
from diagnostics.optimiser.kernels_mcmc import stretched
from diagnostics.optimiser.settings import OptimiserSettings
from render.raster.gradients import Gradients
from render.raster.parameters import Parameters
from runs.arrays import F32, F64, I64, Array

MOST_COPIES = 51  # further ones are treated as if they were so many, as in the authors' code
STEEPNESS = 100.0  # of the share of noise that an opacity lets through


def relocated(opacities: Array, scales: Array, copies: I64) -> tuple[F64, F64]:
    """Opacity [M] and scales [M, 3] that each of `copies` [M] Gaussians on one spot gets, so that the picture stays.

    The paper's equation 9; its double sum over binomials is folded by Σ C(i-1, k) = C(n, k+1).
    """
    counts = np.clip(copies, 1, MOST_COPIES)
    new = 1 - (1 - np.asarray(opacities, np.float64)) ** (1 / counts)
    spread = np.empty(len(counts))
    for n in np.unique(counts):
        here = counts == n
        spread[here] = _spread(new[here], int(n))
    return new, np.asarray(scales * (opacities / spread)[:, None], np.float64)


def _spread(opacity: F64, n: int) -> F64:
    """The integral along a line through n equal Gaussians of `opacity` [M], over that of one of opacity 1."""
    signed = [math.comb(n, k + 1) * (-1) ** k / math.sqrt(k + 1) for k in range(n)]
    return np.asarray(sum(weight * opacity ** (k + 1) for k, weight in enumerate(signed)), np.float64)


def noise(context: Context, parameters: Parameters, rate: float) -> F32:
    """Shifts [N, 3], world units: Gaussian noise along each covariance, for the nearly transparent ones only."""
    settings = context.settings
    loose = expit(STEEPNESS * (settings.opacity_cull - expit(parameters.logit_opacities)))
    drawn = context.rng.standard_normal(parameters.means.shape, np.float32)
    shift = np.empty_like(parameters.means)
    strength = np.asarray(loose * (rate * settings.noise_lr), parameters.dtype)
    stretched(parameters.log_scales, parameters.quats_wxyz, drawn * strength[:, None], shift)
    return shift


def regularise(parameters: Parameters, gradients: Gradients, settings: OptimiserSettings) -> float:
    """What opacity_reg · mean(opacity) + scale_reg · mean(scale) adds to the loss; its gradient is added in place."""
    added = 0.0
    if settings.opacity_reg:
        opacity = expit(parameters.logit_opacities)
        added += settings.opacity_reg * float(opacity.mean())
        gradients.logit_opacities[:] += settings.opacity_reg / opacity.size * opacity * (1 - opacity)
    if settings.scale_reg:
        with np.errstate(over="ignore"):
            scales = np.exp(parameters.log_scales)
        added += settings.scale_reg * float(scales.mean())
        gradients.log_scales[:] += settings.scale_reg / scales.size * scales
    return added
