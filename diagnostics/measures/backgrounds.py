"""Which colour lies behind a picture: of photos (their flat empty parts) and of renders (what their alpha lets through)."""

from collections.abc import Mapping

import numpy as np

from runs.arrays import F32, Mask

BLACK, WHITE = "black", "white"
COLOURS: Mapping[str, float] = {BLACK: 0.0, WHITE: 1.0}  # grey level
# 8-bit photos: one level of rounding on either side
EMPTY_LEVELS = 1.5 / 255


def over(rgb_on_black: F32, alpha: F32, colour: str) -> F32:
    """float32 [H, W, 3]: the same picture before another background; blending is linear, so nothing is rendered again."""
    return np.asarray(rgb_on_black + (1 - alpha[..., None]) * np.float32(COLOURS[colour]), np.float32)


def composite(photo: F32, colour: str) -> F32:
    """float32 [H, W, 3]: a photo [H, W, 3 or 4] laid over a background by its own alpha, if it has one."""
    if photo.shape[2] == 3:
        return photo
    return over(photo[..., :3] * photo[..., 3:], photo[..., 3], colour)


def empty_pixels(photo: F32, colour: str) -> Mask:
    """bool [H, W]: opaque pixels that are exactly the background's colour, in all channels."""
    return np.asarray((np.abs(photo[..., :3] - COLOURS[colour]) <= EMPTY_LEVELS).all(axis=2))
