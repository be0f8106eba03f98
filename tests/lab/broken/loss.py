"""Losses that are computed, weighed or added wrongly."""

from dataclasses import replace

import numpy as np

from diagnostics.optimiser.loss import Loss, Target, photometric_loss
from diagnostics.optimiser.settings import OptimiserSettings
from runs.arrays import F32

LEVELS = 255.0


def in_levels(picture: F32, target: Target, settings: OptimiserSettings) -> Loss:
    """Picture and photo in 0..255; the constants of SSIM follow, L1 does not stay below one."""
    loss = photometric_loss(picture, target, settings)
    share = settings.lambda_dssim
    l1 = loss.l1 * LEVELS
    total = (1 - share) * l1 + share * (1 - loss.ssim)
    return replace(loss, l1=l1, total=total, rgb_gradient=loss.rgb_gradient * np.float32(LEVELS))


def ssim_expects_levels(picture: F32, target: Target, settings: OptimiserSettings) -> Loss:
    """SSIM with the constants of 0..255 on pictures of 0..1: all structure drowns in them."""
    return photometric_loss(picture, target, settings, dynamic_range=LEVELS)


def ssim_of_levels(picture: F32, target: Target, settings: OptimiserSettings) -> Loss:
    """SSIM of pictures of 0..255 with the constants of 0..1: nothing steadies it in dark and flat places."""
    return photometric_loss(picture, target, settings, dynamic_range=1 / LEVELS)


def similarity_added(picture: F32, target: Target, settings: OptimiserSettings) -> Loss:
    """(1 - λ)·L1 + λ·SSIM: the structure that should be gained is paid for."""
    share = settings.lambda_dssim
    only_l1 = photometric_loss(picture, target, replace(settings, lambda_dssim=0.0))
    only_ssim = photometric_loss(picture, target, replace(settings, lambda_dssim=1.0))
    gradient = (1 - share) * only_l1.rgb_gradient - share * only_ssim.rgb_gradient
    return replace(only_l1, total=(1 - share) * only_l1.l1 + share * only_l1.ssim,
                   rgb_gradient=np.asarray(gradient, np.float32))


def summed_over_the_picture(picture: F32, target: Target, settings: OptimiserSettings) -> Loss:
    """L1 summed over the pixels in place of their mean: D-SSIM no longer counts, and gradients grow with the picture."""
    share, pixels = settings.lambda_dssim, picture.size
    only_l1 = photometric_loss(picture, target, replace(settings, lambda_dssim=0.0))
    only_ssim = photometric_loss(picture, target, replace(settings, lambda_dssim=1.0))
    gradient = (1 - share) * pixels * only_l1.rgb_gradient + share * only_ssim.rgb_gradient
    return replace(only_l1, l1=only_l1.l1 * pixels, total=(1 - share) * only_l1.l1 * pixels + share * (1 - only_l1.ssim),
                   rgb_gradient=np.asarray(gradient, np.float32))
