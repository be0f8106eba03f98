"""A render beside its photo: what a gain would make good, how sharp either one is, and where in the picture they differ."""

import numpy as np
from scipy.ndimage import gaussian_filter, label, laplace

from runs.arrays import F32, F64, Array, Mask

SMOOTHED = 1 / 64  # of the longer side: edges that are a pixel off are no patch
PATCH_DIFFERENCE = 0.12  # mean over the channels, colours 0..1
CELLS = 8  # a picture is looked at in 8 × 8 cells


def channel_gains(picture: F32, photo: F32, where: Mask) -> F64:
    """float64 [3]: the factor on each channel of the picture [H, W, 3] that brings it nearest to the photo, least squares.

    Only pixels under the mask [H, W] count; NaN where the picture is black there.
    """
    shown, wanted = picture[where].astype(np.float64), photo[where].astype(np.float64)
    power = (shown**2).sum(axis=0)
    return np.asarray(np.divide((shown * wanted).sum(axis=0), power, out=np.full(3, np.nan), where=power > 0))


def squared_error(picture: F32, photo: F32, where: Mask, gains: Array) -> float:
    """Sum over pixels under the mask and channels, the picture multiplied by the gains [3]."""
    return float(((picture[where] * gains - photo[where]) ** 2).sum(dtype=np.float64))


def sharpness(picture: F32) -> float:
    """Variance of the Laplacian of the grey levels 0..1 [H, W, 3] (Pech-Pacheco et al. 2000)."""
    return float(laplace(picture.mean(axis=2, dtype=np.float64)).var())


def largest_patch(difference: F32) -> float:
    """0..1: the part of the picture that the largest connected patch covers where the difference [H, W] is large."""
    smooth = gaussian_filter(difference, SMOOTHED * max(difference.shape))
    patches, count = label(smooth > PATCH_DIFFERENCE)
    return float(np.bincount(patches.ravel())[1:].max() / difference.size) if count else 0.0


def cell_means(values: F32) -> F64:
    """float64 [8, 8]: means of the values [H, W] over equal cells; pictures of fewer pixels on a side leave NaN."""
    rows, columns = (np.linspace(0, side, CELLS + 1).round().astype(int) for side in values.shape)
    found = np.full((CELLS, CELLS), np.nan)
    for i in range(CELLS):
        for j in range(CELLS):
            cell = values[rows[i]:rows[i + 1], columns[j]:columns[j + 1]]
            if cell.size:
                found[i, j] = cell.mean(dtype=np.float64)
    return found
