"""Which colour lies behind a picture: of photos (their flat empty parts) and of renders (what their alpha lets through)."""

from collections.abc import Mapping

import numpy as np

from runs.arrays import F32, F64, Mask

BLACK, WHITE = "black", "white"
COLOURS: Mapping[str, float] = {BLACK: 0.0, WHITE: 1.0}  # grey level
# 8-bit photos: one level of rounding on either side
EMPTY_LEVELS = 1.5 / 255
# JPEG rings around edges: at quality 75 a third of a black rim of 96 px is off by 2-8 levels
RIM_LEVELS = 8 / 255
LEAST_TRANSPARENT = 0.01  # of the pixels: below it an alpha channel is an opaque photo's, or dirt


def over(rgb_on_black: F32, alpha: F32, colour: str) -> F32:
    """float32 [H, W, 3]: the same picture before another background; blending is linear, so nothing is rendered again."""
    return np.asarray(rgb_on_black + (1 - alpha[..., None]) * np.float32(COLOURS[colour]), np.float32)


def composite(photo: F32, colour: str) -> F32:
    """float32 [H, W, 3]: a photo [H, W, 3 or 4] laid over a background by its own alpha, if it has one."""
    if photo.shape[2] == 3:
        return photo
    return over(photo[..., :3] * photo[..., 3:], photo[..., 3], colour)


def is_cut_out(photo: F32) -> bool:
    """Whether a photo [H, W, 3 or 4] leaves part of the picture to whatever it is laid over; many PNGs are opaque throughout."""
    return photo.shape[2] == 4 and float((photo[..., 3] <= EMPTY_LEVELS).mean()) >= LEAST_TRANSPARENT


def empty_pixels(photo: F32, colour: str, within: float = EMPTY_LEVELS) -> Mask:
    """bool [H, W]: pixels that are the background's colour, in all channels; only transparent ones in a photo cut out."""
    flat = (np.abs(photo[..., :3] - COLOURS[colour]) <= within).all(axis=2)
    return np.asarray(flat & (photo[..., 3] <= EMPTY_LEVELS) if is_cut_out(photo) else flat)


def rim_shares(photo: F32, colour: str) -> F64:
    """float64 [4], 0..1: how much of the top, bottom, left and right rim is empty."""
    empty = empty_pixels(photo, colour, RIM_LEVELS)
    return np.array([rim.mean() for rim in (empty[0], empty[-1], empty[:, 0], empty[:, -1])])
