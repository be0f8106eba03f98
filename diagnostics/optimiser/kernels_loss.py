"""Kernels of the photometric loss: L1, SSIM and squared error of a picture, with the gradient.

Pictures come as rows [H, 3·W], so a neighbour of the same channel lies three values away.
"""

import numpy as np

from runs.arrays import Array
from runs.kernels import lane_kernel

RADIUS = 5  # the SSIM window is 11 wide
CHANNELS = 3
MARGIN = RADIUS * CHANNELS


@lane_kernel
def blur(padded: Array, window: Array, out: Array) -> None:
    """Both passes of the symmetric blur. padded: [H + 10, L] with five zero rows above and below; out: [H, L]."""
    height, length = out.shape
    w0, w1, w2, w3, w4, w5 = window[5], window[4], window[3], window[2], window[1], window[0]
    row = np.zeros(length + 2 * MARGIN, out.dtype)
    for y in range(height):
        mix_rows(padded, window, y, row)
        target = out[y]
        for x in range(length):
            target[x] = (
                w0 * row[x + 15] + w1 * (row[x + 12] + row[x + 18]) + w2 * (row[x + 9] + row[x + 21])
                + w3 * (row[x + 6] + row[x + 24]) + w4 * (row[x + 3] + row[x + 27]) + w5 * (row[x] + row[x + 30])
            )


@lane_kernel
def mix_rows(padded: Array, window: Array, y: int, row: Array) -> None:
    """Rows y..y+10 of `padded`, weighted by the window, into the middle of `row`."""
    length = padded.shape[1]
    middle, weight = padded[y + RADIUS], window[RADIUS]
    for x in range(length):
        row[x + MARGIN] = weight * middle[x]
    for k in range(RADIUS):
        above, below, weight = padded[y + k], padded[y + 2 * RADIUS - k], window[k]
        for x in range(length):
            row[x + MARGIN] += weight * (above[x] + below[x])


@lane_kernel
def photo_moments(photo: Array, window: Array, mean: Array, variance: Array) -> None:
    """Blurred mean and variance [H, L] of a photo [H, L]: they do not change while one trains."""
    height, length = photo.shape
    padded = np.zeros((height + 2 * RADIUS, length), photo.dtype)
    padded[RADIUS:-RADIUS] = photo
    blur(padded, window, mean)
    padded[RADIUS:-RADIUS] = photo * photo
    blur(padded, window, variance)
    for y in range(height):
        for x in range(length):
            variance[y, x] -= mean[y, x] * mean[y, x]


@lane_kernel
def photometric(
    picture: Array, photo: Array, photo_mean: Array, photo_variance: Array, window: Array, constants: Array, gradient: Array,
) -> tuple[float, float, float]:
    """Mean absolute error, mean SSIM, mean squared error (picture clipped to 0..1); `gradient` [H, L] gets the loss's.

    constants: λ, c1, c2. Loss = (1 - λ)·L1 + λ·(1 - SSIM).
    """
    height, length = photo.shape
    fields = np.zeros((3, height + 2 * RADIUS, length), picture.dtype)
    blurred = np.empty((3, height, length), picture.dtype)
    _products(picture, photo, fields)
    for k in range(3):
        blur(fields[k], window, blurred[k])
    likeness = np.empty((height, length), picture.dtype)
    _likeness(blurred, photo_mean, photo_variance, constants, likeness, fields)
    for k in range(3):
        blur(fields[k], window, blurred[k])
    _gradient(picture, photo, blurred, constants[0], gradient)
    return _sums(picture, photo, likeness)


@lane_kernel
def _products(picture: Array, photo: Array, fields: Array) -> None:
    """x, x², x·y into the inner rows of `fields`."""
    for y in range(photo.shape[0]):
        a, b = picture[y], photo[y]
        first, second, third = fields[0, y + RADIUS], fields[1, y + RADIUS], fields[2, y + RADIUS]
        for x in range(photo.shape[1]):
            first[x] = a[x]
            second[x] = a[x] * a[x]
            third[x] = a[x] * b[x]


@lane_kernel
def _likeness(blurred: Array, photo_mean: Array, photo_variance: Array, constants: Array, likeness: Array, fields: Array) -> None:
    """SSIM per value, and its derivatives by the blurred x, x², x·y into the inner rows of `fields`.

    With A1 = 2μxμy + c1, A2 = 2σxy + c2, B1 = μx² + μy² + c1, B2 = σx² + σy² + c2: S = A1·A2 / (B1·B2).
    """
    c1, c2, one, two = constants[1], constants[2], constants[3], constants[4]
    for y in range(likeness.shape[0]):
        for x in range(likeness.shape[1]):
            mean_x, mean_y = blurred[0, y, x], photo_mean[y, x]
            a1 = two * mean_x * mean_y + c1
            a2 = two * (blurred[2, y, x] - mean_x * mean_y) + c2
            b1 = mean_x * mean_x + mean_y * mean_y + c1
            b2 = blurred[1, y, x] - mean_x * mean_x + photo_variance[y, x] + c2
            inverse = one / (b1 * b2)
            s = a1 * a2 * inverse
            likeness[y, x] = s
            fields[0, y + RADIUS, x] = two * inverse * (mean_y * (a2 - a1) - s * mean_x * (b2 - b1))
            fields[1, y + RADIUS, x] = -s * b1 * inverse
            fields[2, y + RADIUS, x] = two * a1 * inverse


@lane_kernel
def _gradient(picture: Array, photo: Array, blurred: Array, share: float, gradient: Array) -> None:
    """The blur is its own transpose, so the blurred derivatives are what each value of the picture collects."""
    height, length = photo.shape
    of_ssim = share / (height * length)
    of_l1 = (1 - share) / (height * length)
    for y in range(height):
        for x in range(length):
            a, b = picture[y, x], photo[y, x]
            slope = blurred[0, y, x] + (a + a) * blurred[1, y, x] + b * blurred[2, y, x]
            gradient[y, x] = of_l1 * np.sign(a - b) - of_ssim * slope


@lane_kernel
def _sums(picture: Array, photo: Array, likeness: Array) -> tuple[float, float, float]:
    absolute, like, squared = 0.0, 0.0, 0.0
    for y in range(photo.shape[0]):
        for x in range(photo.shape[1]):
            a, b = picture[y, x], photo[y, x]
            off = min(max(a, 0.0), 1.0) - min(max(b, 0.0), 1.0)
            absolute += abs(a - b)
            like += likeness[y, x]
            squared += off * off
    values = photo.shape[0] * photo.shape[1]
    return absolute / values, like / values, squared / values
