"""What is left between renders and photos of views fitted together: moved, tinted, or one camera at odds with the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from diagnostics.measures.registration import residual_shift
from diagnostics.probes.overfit_fits import Fitted
from runs.arrays import F32, F64

NORMAL = 1.4826  # of a normal distribution: standard deviation over median absolute deviation
NOTHING = 1e-12  # a squared difference that is none


@dataclass(frozen=True, eq=False)
class Residual:
    """One view."""

    camera: str
    psnr: float  # dB
    shift_px: float | None  # that lays the render on the photo; None where the picture cannot tell
    moved: float | None  # 0..1, part of the squared difference that the shift explains
    log_gains: F64  # float64 [3], of photo over render, per channel, least squares; NaN where the render is black
    tinted: float  # 0..1, part of the squared difference that the gains explain


def residuals(fitted: Fitted) -> tuple[Residual, ...]:
    """In the order of the views."""
    return tuple(_residual(view.name, fitted.psnr[view.name], np.clip(fitted.pictures[view.name], 0, 1), view.photo)
                 for view in fitted.views)


def _residual(name: str, psnr: float, picture: F32, photo: F32) -> Residual:
    shift = residual_shift(picture, photo)
    gains, explained = _gains(picture, photo)
    length, moved = (None, None) if shift is None else (shift.length_px, shift.explained)
    return Residual(name, psnr, length, moved, gains, explained)


def _gains(picture: F32, photo: F32) -> tuple[F64, float]:
    """Logarithms of the factors that bring the render closest to the photo, and the part of the difference that they explain."""
    x, y = (np.asarray(image, np.float64).reshape(-1, 3) for image in (picture, photo))
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = (x * y).sum(axis=0) / (x * x).sum(axis=0)
        logs = np.where(gains > 0, np.log(gains), np.nan)
    before, after = float(((x - y) ** 2).sum()), float(((gains * x - y) ** 2).sum())
    return logs, max(0.0, 1 - after / before) if before > NOTHING and np.isfinite(after) else 0.0


@dataclass(frozen=True)
class Disagreement:
    """The views together."""

    shift_px: float  # median over the views that can tell; NaN where none can
    moved: float
    tint: float  # robust standard deviation of the log gains over views and channels
    tinted: float  # median part of the difference that gains explain


def disagreement(found: Sequence[Residual]) -> Disagreement:
    """Medians, so that one odd camera does not speak for all."""
    shifts = [each.shift_px for each in found if each.shift_px is not None]
    moved = [each.moved for each in found if each.moved is not None]
    gains = np.array([each.log_gains for each in found])
    known = gains[np.isfinite(gains).all(axis=1)]
    tint = NORMAL * float(np.median(np.abs(known - np.median(known, axis=0)))) if len(known) else float("nan")
    return Disagreement(_median(shifts), _median(moved), tint, _median([each.tinted for each in found]))


def _median(values: Sequence[float]) -> float:
    return float(np.median(values)) if values else float("nan")


def lagging(found: Sequence[Residual], by_db: float, most: int) -> tuple[str, ...]:
    """Cameras whose PSNR lies below the median by more than `by_db`, worst first, at most `most`: worth a fit of their own."""
    typical = _median([each.psnr for each in found])
    behind = sorted((each for each in found if typical - each.psnr > by_db), key=lambda each: each.psnr)
    return tuple(each.camera for each in behind[:most])


def at_odds(
    lost: Mapping[str, float], gained: Mapping[str, float], candidates: Sequence[str], by_db: float, keeps: float,
) -> tuple[str, ...]:
    """Candidates that lose more than the others by `by_db` and keep less than the part `keeps` of what they gain alone.

    `gained`: dB of a view alone over its mean colour, `lost`: between a view alone and with the others, by camera.
    """
    usual = usual_loss(lost, candidates)
    return tuple(camera for camera in candidates
                 if lost[camera] - usual > by_db and gained[camera] - lost[camera] < keeps * gained[camera])


def usual_loss(lost: Mapping[str, float], candidates: Sequence[str]) -> float:
    """dB, median over those that are no candidates, or over all where there are no others."""
    others = [loss for camera, loss in lost.items() if camera not in candidates]
    return _median(others or list(lost.values()))
