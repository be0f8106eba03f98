"""Holding one picture against its photo: what is left between them, and how a move of the camera would change that.

Direct image alignment (Lucas and Kanade 1981): the picture is drawn again after every step, and its change is predicted
from its slopes and the flow of its pixels. A gain and an offset of each channel are fitted along, so that exposure and
white balance move no camera.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.ndimage import gaussian_filter

from diagnostics.probes.pose_flow import LENS, POSE, flow
from render.raster.picture import Picture
from runs.arrays import F32, F64, I64
from runs.cameras import Camera

HUBER = 1.345  # times the noise: 95 % as good as least squares on Gaussian noise (Huber 1964)
TO_DEVIATION = 1.4826  # a normal distribution's standard deviation over its median absolute deviation
LEAST_NOISE = 1 / 255  # one 8-bit step
LEAST_ALPHA = 0.05  # thinner matter tells no depth
BLOCK_PX = 8  # errors of neighbouring pixels go together; those of blocks hardly do
TINY = 1e-12
SPREAD = 1e-3  # of opaque matter: how much the view's usual depth counts where there is none


@dataclass(frozen=True, eq=False)
class Residual:
    """One picture against its photo. Rows are values of pixels and channels, columns POSE and LENS."""

    left: F32  # float32 [n], photo minus picture, gain and offset of each channel taken out
    slopes: F32  # float32 [n, 9], change of the picture per unit, gain and offset taken out likewise
    noise: float  # 0..1, standard deviation of what is left (robust)
    varied: float  # the photo's own variance, mean over the channels
    blocks: I64  # int64 [n], which block of the picture a value belongs to
    motion: F64  # float64 [9, 9], mean over opaque pixels of flow^T flow, px^2
    depth: float  # median distance of what is shown, world units; NaN where nothing is

    @cached_property
    def weights(self) -> F32:
        """float32 [n], 0..1, Huber's."""
        return np.minimum(np.float32(1), np.float32(HUBER * self.noise) / np.maximum(np.abs(self.left), np.float32(TINY)))

    def cost(self, noise: float) -> float:
        """Mean of Huber's loss for this noise, in squared grey levels."""
        size, bend = np.abs(self.left), HUBER * noise
        return float(np.mean(np.where(size <= bend, size**2, bend * (2 * size - bend)), dtype=np.float64))

    @cached_property
    def squares(self) -> float:
        """Mean squared difference that a gain and an offset leave."""
        return float(np.mean(self.left**2, dtype=np.float64))

    @cached_property
    def hessian(self) -> F64:
        """float64 [6, 6], of POSE."""
        slopes = self.slopes[:, :POSE]
        return np.asarray((slopes * self.weights[:, None]).T @ slopes, np.float64)

    @cached_property
    def pull(self) -> F64:
        """float64 [6], downhill."""
        return np.asarray(self.slopes[:, :POSE].T @ (self.weights * self.left), np.float64)

    def step(self, damping: float) -> F64:
        """float64 [6]: the move that should explain most (Levenberg and Marquardt's step); 0 where nothing is shown."""
        steep = np.diag(self.hessian)
        if not steep.min() > 0:
            return np.zeros(POSE)
        scale = 1 / np.sqrt(steep)
        scaled = self.hessian * scale[:, None] * scale + damping * np.eye(POSE)
        return np.asarray(scale * np.linalg.lstsq(scaled, scale * self.pull, rcond=None)[0])

    def length_px(self, move: F64) -> float:
        """By how much a move of POSE, or of POSE and LENS, displaces the picture (root mean square), px."""
        count = len(move)
        return float(np.sqrt(max(0.0, float(move @ self.motion[:count, :count] @ move))))

    @cached_property
    def uncertainty_px(self) -> float:
        """Standard deviation of the fitted move, as it displaces the picture; inf where the picture cannot tell.

        The sandwich of Huber (1967) over blocks of pixels: neighbours err together.
        """
        if not np.diag(self.hessian).min() > 0:
            return float("inf")
        inverse = np.linalg.pinv(self.hessian, hermitian=True)
        parts = self.slopes[:, :POSE] * (self.weights * self.left)[:, None]
        blocks = np.stack([np.bincount(self.blocks, part) for part in parts.T], axis=1)
        spread = inverse @ (blocks.T @ blocks) @ inverse
        return float(np.sqrt(max(0.0, np.trace(self.motion[:POSE, :POSE] @ spread))))


def residual(picture: Picture, photo: F32, camera: Camera, blur_px: float) -> Residual:
    """Both blurred by `blur_px` first: coarse pictures can be aligned from farther away, and need fewer pixels."""
    thin = max(1, int(blur_px))
    shown, wanted = (_blurred(np.asarray(image, np.float32), blur_px) for image in (picture.rgb, photo))
    down, across = (np.asarray(slope)[::thin, ::thin] for slope in np.gradient(shown, axis=(0, 1)))
    shown, wanted = shown[::thin, ::thin], wanted[::thin, ::thin]
    inverse_depth, opaque = _inverse_depth(picture, blur_px)
    moves = flow(camera, inverse_depth[::thin, ::thin], thin).astype(np.float32)
    slopes = -(across[..., None] * moves[0][:, :, None] + down[..., None] * moves[1][:, :, None])
    left, slopes = _exposure_out(shown, wanted, slopes)
    noise = max(TO_DEVIATION * float(np.median(np.abs(left))), LEAST_NOISE)
    known = inverse_depth[opaque > LEAST_ALPHA]
    return Residual(
        left, slopes, noise, float(wanted.var(axis=(0, 1)).mean()), _blocks(shown.shape, blur_px, thin),
        _motion(moves, opaque[::thin, ::thin]), 1 / float(np.median(known)) if len(known) else float("nan"),
    )


def _blurred(image: F32, blur_px: float) -> F32:
    return np.asarray(gaussian_filter(image, (blur_px, blur_px, 0)))


def _inverse_depth(picture: Picture, blur_px: float) -> tuple[F64, F64]:
    """[H, W] twice: 1 / depth, spread over what is transparent, and how much matter there is (0..1)."""
    known = np.isfinite(picture.depth) & (picture.alpha > LEAST_ALPHA)
    if not known.any():
        return np.zeros(picture.depth.shape), np.zeros(picture.depth.shape)
    weight = np.where(known, picture.alpha, 0).astype(np.float64)
    inverse = np.where(known, 1 / np.where(known, picture.depth, 1), 0).astype(np.float64)
    radius, usual = max(blur_px, 1.0), float(np.median(inverse[known]))
    spread = (gaussian_filter(weight * inverse, radius) + SPREAD * usual) / (gaussian_filter(weight, radius) + SPREAD)
    return np.asarray(spread), weight


def _exposure_out(shown: F32, wanted: F32, slopes: F32) -> tuple[F32, F32]:
    """What remains of photo - picture, and of the slopes, once the best gain and offset of each channel are taken away."""
    height, width, channels = shown.shape
    left = np.empty((height * width, channels), np.float32)
    changed = np.empty((height * width, channels, POSE + LENS), np.float32)
    for channel in range(channels):
        values = shown[..., channel].ravel()
        basis, _ = np.linalg.qr(np.stack([values, np.ones_like(values)], axis=1))
        target, columns = wanted[..., channel].ravel() - values, slopes[:, :, channel].reshape(height * width, -1)
        left[:, channel] = target - basis @ (basis.T @ target)
        changed[:, channel] = columns - basis @ (basis.T @ columns)
    return left.ravel(), changed.reshape(-1, POSE + LENS)


def _blocks(shape: tuple[int, ...], blur_px: float, thin: int) -> I64:
    side = max(1, int((BLOCK_PX + 2 * blur_px) / thin))
    rows, columns = np.arange(shape[0]) // side, np.arange(shape[1]) // side
    return np.repeat((rows[:, None] * (columns[-1] + 1) + columns).ravel(), shape[2])


def _motion(moves: F32, opaque: F64) -> F64:
    flat = np.concatenate([moves[axis].reshape(-1, POSE + LENS) for axis in range(2)]).astype(np.float64)
    weight = np.concatenate([opaque.ravel()] * 2)
    return np.asarray((flat * weight[:, None]).T @ flat / max(float(opaque.sum()), 1e-9))
