"""How far two pictures are apart: PSNR, SSIM and the error image."""

from typing import Final

import numpy as np
from scipy.ndimage import correlate1d

from runs.arrays import F32, F64, Array

WINDOW_PX: Final = 11  # Wang et al. 2004, and every 3DGS trainer
SIGMA_PX: Final = 1.5


def psnr(picture: Array, photo: Array) -> float:
    """Peak signal-to-noise ratio in dB for images 0..1 [H, W, C]; inf where they are equal.

    The picture is clipped to 0..1 first, as trainers do before they evaluate.
    """
    error = float(np.mean((_clipped(picture) - _clipped(photo)) ** 2))
    return float(-10 * np.log10(error)) if error > 0 else float("inf")


def psnr_of_channels(picture: Array, photo: Array) -> float:
    """Mean of the channels' own PSNR in dB, never below `psnr`: what INRIA's training report logs, which hands its function one
    picture [C, H, W] without a batch dimension. Images 0..1 [H, W, C]; inf where a channel is equal.
    """
    return float(np.mean([psnr(picture[..., c], photo[..., c]) for c in range(picture.shape[2])]))


def ssim(picture: Array, photo: Array, *, dynamic_range: float = 1.0) -> float:
    """Mean structural similarity (Wang et al. 2004), Gaussian window 11×11 with sigma 1.5.

    `dynamic_range` is the largest value that its constants expect: 1 for pictures 0..1; another one gives the figure of a
    trainer that got it wrong. Borders are padded with zeros, as INRIA's and gsplat's losses do. Images 0..1 [H, W, C].
    """
    a, b = _clipped(picture), _clipped(photo)
    mean_a, mean_b = _blurred(a), _blurred(b)
    variance_a, variance_b = _blurred(a * a) - mean_a**2, _blurred(b * b) - mean_b**2
    covariance = _blurred(a * b) - mean_a * mean_b
    c1, c2 = (0.01 * dynamic_range) ** 2, (0.03 * dynamic_range) ** 2
    likeness = (2 * mean_a * mean_b + c1) * (2 * covariance + c2)
    return float(np.mean(likeness / ((mean_a**2 + mean_b**2 + c1) * (variance_a + variance_b + c2))))


def error_image(picture: Array, photo: Array) -> F32:
    """float32 [H, W], mean absolute difference over the channels, 0..1."""
    return np.asarray(np.abs(_clipped(picture) - _clipped(photo)).mean(axis=2), np.float32)


def _clipped(image: Array) -> F64:
    return np.asarray(np.clip(image, 0, 1), np.float64)


def _blurred(image: F64) -> F64:
    offsets = np.arange(WINDOW_PX) - WINDOW_PX // 2
    window = np.exp(-(offsets**2) / (2 * SIGMA_PX**2))
    window /= window.sum()
    rows = correlate1d(image, window, axis=0, mode="constant")
    return np.asarray(correlate1d(rows, window, axis=1, mode="constant"), np.float64)
