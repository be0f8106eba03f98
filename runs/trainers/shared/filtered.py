"""Gaussians that are drawn through a 3D filter (Mip-Splatting and its kin): effective values in place of the stored ones.

Their PLY has a property `filter_3D`, a standard deviation f in world units. Each splat is drawn as if smoothed by an
isotropic Gaussian of that width which keeps its integral: variances become s² + f², and the opacity is multiplied by
√(det S² / det (S² + f²)) (Yu et al., Mip-Splatting, CVPR 2024, section 4.1).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from runs.arrays import F32, F64
from runs.formats.ply.columns import TWO_SCALES
from runs.formats.splat_file import SplatFile
from runs.gaussians import Gaussians

FILTER = "filter_3D"
SAYS = (
    "stores the width of a 3D filter with each splat (filter_3D, Mip-Splatting): scales and opacities are shown with the filter "
    "applied, as they are drawn; the stored ones are the properties stored_scale_0..2 and stored_opacity"
)
STORED_SCALES = tuple(f"stored_scale_{axis}" for axis in range(3))
STORED_OPACITY = "stored_opacity"


def with_filter(file: SplatFile) -> SplatFile:
    """The file, read with its filter applied if it stores one for each of three scales."""
    if file.format != "PLY" or TWO_SCALES in file.notes or FILTER not in file.read().extra_names:
        return file
    return replace(file, read=ReadFiltered(file.read), notes=(*file.notes, SAYS))


@dataclass(frozen=True)
class ReadFiltered:
    """Reads effective Gaussians; equal to another one that would read the same unchanged file."""

    read: Callable[[], Gaussians]

    def __call__(self) -> Gaussians:
        """Raises UnreadableFile or RefusedFile."""
        return effective(self.read())


def effective(stored: Gaussians) -> Gaussians:
    """The Gaussians as they are drawn, with the stored log scales and logit opacities as extras."""
    kept: dict[str, F32] = {}

    def load(name: str) -> F32:
        if name in STORED_SCALES:
            return np.ascontiguousarray(stored.log_scales[:, STORED_SCALES.index(name)])
        if name == STORED_OPACITY:
            return stored.logit_opacities
        if name not in ("log_scales", "logit_opacities"):
            return stored.load(name)
        if name not in kept:
            kept[name] = np.asarray(_log_scales(stored), np.float32) if name == "log_scales" else _logit_opacities(stored)
        return kept[name]

    return Gaussians(stored.count, stored.sh_degree, load, (*stored.extra_names, *STORED_SCALES, STORED_OPACITY))


def as_trained(shown: Gaussians) -> Gaussians:
    """The Gaussians that the optimiser moves, without any filter: what densification compares and halves."""
    if STORED_OPACITY not in shown.extra_names:
        return shown

    def load(name: str) -> F32:
        if name == "log_scales":
            return np.stack([shown.extra(axis) for axis in STORED_SCALES], axis=1)
        return shown.extra(STORED_OPACITY) if name == "logit_opacities" else shown.load(name)

    return Gaussians(shown.count, shown.sh_degree, load)


def _log_scales(stored: Gaussians) -> F64:
    """log √(s² + f²), where s or f may be too small to square."""
    with np.errstate(divide="ignore", invalid="ignore"):  # no filter: log 0; NaN stays NaN, also a signalling one
        log_filter = np.log(np.abs(stored.extra(FILTER).astype(np.float64)))
        return np.asarray(np.logaddexp(2 * stored.log_scales.astype(np.float64), 2 * log_filter[:, None]) / 2, np.float64)


def _logit_opacities(stored: Gaussians) -> F32:
    """The logit of sigmoid(o) · Π s / √(s² + f²)."""
    with np.errstate(divide="ignore", invalid="ignore"):  # an opacity of one has no logit; it had none to begin with
        logits = stored.logit_opacities.astype(np.float64)
        log_factor = (stored.log_scales.astype(np.float64) - _log_scales(stored)).sum(axis=1).clip(max=0)
        log_opacity = log_factor - np.logaddexp(0, -logits)
        filtered = log_opacity - np.log(-np.expm1(log_opacity))
    return np.asarray(np.where(log_factor == 0, logits, filtered), np.float32)
