"""What the pose probe measured: cameras that moved, in units that a reader knows, and which of them stand wrong."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from diagnostics.probes.pose_common import Own
from diagnostics.probes.pose_flow import POSE
from diagnostics.probes.pose_views import Fitted
from runs.arrays import F64


@dataclass(frozen=True)
class PoseLimits:
    """From which numbers on a camera stands wrong; see the probe's page."""

    motion_px: float
    explained: float
    certain: float


@dataclass(frozen=True)
class Moved:
    """One camera and the move that is its own."""

    name: str
    motion_px: float  # as it displaces the picture, px of the size that is worked at
    uncertainty_px: float
    full_px: float  # the same motion in px of the run's own pictures
    turn_deg: float
    shift: float  # world units
    shift_share: float  # of the distance to what is seen; NaN where nothing is
    explained: float
    psnr_before: float  # dB
    psnr_after: float
    unexplained: float


@dataclass(frozen=True)
class Moves:
    """All views that were looked at."""

    each: tuple[Moved, ...]
    wrong: tuple[Moved, ...]  # worst first
    open: tuple[Moved, ...]  # photos that cannot tell where their camera stands
    unexplained: float  # median over the views
    common_px: float  # motion that all cameras share, median

    def median(self, name: str) -> float:
        return _median(self.each, name)

    def of_wrong(self, name: str) -> float:
        return _median(self.wrong, name)


def _median(these: Sequence[Moved], name: str) -> float:
    values = [getattr(one, name) for one in these]
    return float(np.nanmedian(values)) if values and not np.isnan(values).all() else float("nan")


def moves_of(views: Sequence[Fitted], own: Own, full_over_worked: Sequence[float], limits: PoseLimits) -> Moves:
    """`full_over_worked`: for each view, px of the run's picture per px of the one that was worked at."""
    each = tuple(_moved(view, move, length, factor) for view, move, length, factor in zip(
        views, own.moves, own.lengths_px.tolist(), full_over_worked, strict=True))
    unsure = tuple(one for one in each if not one.uncertainty_px * limits.certain < max(one.motion_px, limits.motion_px))
    wrong = sorted((one for one in each if _stands_wrong(one, limits)), key=lambda one: -one.motion_px)
    return Moves(each, tuple(wrong), unsure, _median(each, "unexplained"), own.common_px)


def _stands_wrong(one: Moved, limits: PoseLimits) -> bool:
    certain = one.motion_px > limits.certain * one.uncertainty_px
    return certain and one.motion_px > limits.motion_px and one.explained > limits.explained


def _moved(view: Fitted, move: F64, length_px: float, factor: float) -> Moved:
    shift = float(np.linalg.norm(move[3:POSE]))
    return Moved(
        view.name, length_px, view.uncertainty_px, length_px * factor, float(np.degrees(np.linalg.norm(move[:3]))), shift,
        shift / view.depth, view.explained, view.psnr_before, view.psnr_after, view.unexplained,
    )
