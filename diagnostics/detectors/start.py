"""Faults of the start: too few points, and Gaussians made wrongly from them."""

import numpy as np

from diagnostics.facts.saved import file_of
from diagnostics.measures.coverage import Coverage
from diagnostics.measures.extent import CameraSpread
from diagnostics.measures.origins import near_points, nearest_origins, origins_by_row
from diagnostics.measures.shares import quantile
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace, NotEvaluable
from diagnostics.wording import percent
from runs import quantities
from runs.arrays import F32, F64, I64, Array, Mask
from runs.checkpoints import Checkpoint
from runs.gaussians import Gaussians
from runs.points import PointCloud

NEAR = 0.5  # of the distance between points: the slope of sound runs stays over 0.77 there, however late the save
FEWEST_NEAR = 30
SH_C0 = 0.28209479177387814  # degree-0 spherical harmonic: colour = 0.5 + C0·dc


@detects("sparse-sfm-points")
def sparse_points(
    start_coverage: Coverage, span: tuple[int, int], *, per_picture: int = 300, empty: float = 0.85,
) -> Finding | None:
    """The pictures see few of the points that training starts from, or large parts of them see none."""
    count = float(np.median(start_coverage.counts))
    bare = float(np.median(start_coverage.empty_shares))
    if count >= per_picture and bare <= empty:
        return None
    poorest = np.argsort(start_coverage.counts, kind="stable")[:5]
    return Finding(
        f"Half of the pictures show at most {count:,.0f} of {start_coverage.points:,} starting points; "
        f"{percent(bare)} of the area of the median picture holds none",
        evidence=(
            EvidenceRow("starting points in a picture, median", count, per_picture, "points", None, start_coverage.source),
            EvidenceRow("picture area without points (8 × 8 cells), median", bare, empty, "share", None, start_coverage.source),
            EvidenceRow("starting points inside a picture, mean share", start_coverage.inside_share, None, "share", None,
                        start_coverage.source),
        ),
        iterations=(span[0], span[0]), cameras=tuple(start_coverage.names[i] for i in poorest),
        confidence=0.8 if count < per_picture else 0.5, severity=None if count < per_picture else "minor",
        facts={"points": start_coverage.points, "per_picture": round(count)},
    )


@detects("degenerate-initial-covariance")
def degenerate_covariance(
    early_checkpoint: Checkpoint, early_spacing: F32, initial_checkpoint: Checkpoint | None = None,
    *, flat: float = 1e-6, typical: float = 1e-3, zero_quat: float = 1e-6,
) -> Finding | None:
    """Initial Gaussians have no extent, or a quaternion that names no rotation: their covariance cannot be inverted."""
    initial_gaussians = early_checkpoint.gaussians
    spacing = quantile(early_spacing, 0.5)
    longest = initial_gaussians.scales.max(axis=1)
    size = quantile(longest / np.maximum(early_spacing, np.finfo(np.float32).tiny), 0.5)
    least = typical if size < typical else flat
    if initial_checkpoint is None and least == flat:
        return None  # what densification, pruning or an export did to single rows is another matter
    with np.errstate(invalid="ignore"):
        pointlike = ~(longest > least * spacing if np.isfinite(spacing) else longest > 0)
    unturned = ~(initial_gaussians.quat_norms > zero_quat)
    rows = np.flatnonzero(pointlike | unturned)
    if not len(rows):
        return None
    iteration, source = early_checkpoint.iteration, file_of(early_checkpoint)
    return Finding(
        f"{len(rows):,} of {initial_gaussians.count:,} initial Gaussians have a degenerate covariance: "
        f"{int(pointlike.sum()):,} without extent, {int(unturned.sum()):,} without a rotation",
        evidence=(
            EvidenceRow("Gaussians without extent (or not finite)", int(pointlike.sum()), 0, "count", iteration, source),
            EvidenceRow("Gaussians with a zero quaternion (or not finite)", int(unturned.sum()), 0, "count", iteration, source),
            EvidenceRow("median distance to the 3 nearest Gaussians", spacing, None, "world units", iteration, source),
            EvidenceRow("largest scale / that distance, median", size, typical, "", iteration, source),
        ),
        iterations=(iteration, iteration), gaussians=GaussianPlace(rows, iteration, initial_gaussians.count),
    )


@detects("initial-scale-too-large")
def initial_scale(
    initial_checkpoint: Checkpoint, initial_gaussians: Gaussians, initial_spacing: F32,
    cameras_spread: CameraSpread | None = None, *, spacings: float = 4.0, extents: float = 0.1,
) -> Finding | None:
    """Initial Gaussians reach far beyond their neighbours, or are larger than what the trainer prunes as too large."""
    longest = quantities.max_scale(initial_gaussians)
    in_spacings = longest / np.maximum(initial_spacing, np.finfo(np.float32).tiny)
    extent = cameras_spread.extent if cameras_spread is not None and cameras_spread.extent > 0 else float("nan")
    overlap, size = quantile(in_spacings, 0.5), quantile(longest, 0.5) / extent
    if not (overlap > spacings or size > extents):
        return None
    iteration, source = initial_checkpoint.iteration, file_of(initial_checkpoint)
    guilty = np.flatnonzero((in_spacings > spacings) | (longest > extents * extent))
    told = "" if np.isnan(size) else f" and {percent(size)} of the cameras' extent"
    return Finding(
        f"At iteration {iteration:,} the largest scale of a Gaussian is {overlap:.1f} times the distance to its neighbours{told} "
        "(medians)",
        evidence=(
            EvidenceRow("largest scale / distance to the 3 nearest, median", overlap, spacings, "", iteration, source),
            EvidenceRow("largest scale / cameras' extent, median", None if np.isnan(size) else size, extents, "", iteration,
                        source),
            EvidenceRow("largest scale, median", quantile(longest, 0.5), None, "world units", iteration, source),
        ),
        iterations=(iteration, iteration), gaussians=GaussianPlace(guilty, iteration, initial_gaussians.count),
        confidence=0.9 if overlap > spacings else 0.7, severity=None if overlap > spacings else "minor",
    )


@detects("wrong-sh-initialisation")
def sh_initialisation(
    early_checkpoint: Checkpoint, start_points: PointCloud, initial_checkpoint: Checkpoint | None = None,
    *, slope: float = 0.6, steep: float = 2.0, colour_spread: float = 0.02, rows_apart: float = 0.2, apart: float = 1.2,
) -> Finding | NotEvaluable | None:
    """Colours of the first Gaussians do not follow the colours of the points they were made from."""
    if start_points.rgb is None or float(np.std(start_points.rgb / 255, axis=0).max()) < colour_spread:
        return NotEvaluable(("starting points with colours that differ",))
    initial_gaussians = early_checkpoint.gaussians
    placed = np.asarray(np.isfinite(initial_gaussians.means).all(axis=1))
    means = initial_gaussians.means.astype(np.float64)
    if initial_checkpoint is None:  # clones and halves have wandered: only those that are still near their point may speak
        placed &= near_points(means, start_points.xyz, NEAR)
    origins = _origins(means, placed, start_points.xyz, rows_apart, apart) if placed.sum() >= FEWEST_NEAR else None
    if origins is None:
        return NotEvaluable((f"the points that the Gaussians were made from ({start_points.source} lies elsewhere)",))
    fitted, offset = _line((start_points.rgb[origins] / 255 - 0.5) / SH_C0, initial_gaussians.sh0[placed])
    if not (fitted < slope or fitted > steep):
        return None
    iteration, source = early_checkpoint.iteration, file_of(early_checkpoint)
    return Finding(
        f"DC colours follow the point colours with a slope of {fitted:.2f} at iteration {iteration}, where (c − 0.5)/C0 gives 1; "
        f"this is nearest to {_formula(fitted)}",
        evidence=(
            EvidenceRow("slope of DC on (c − 0.5)/C0", fitted, slope if fitted < slope else steep, "", iteration, source),
            EvidenceRow("offset of that line", offset, None, "SH units", iteration, source),
            EvidenceRow("starting points with a colour", len(start_points), None, "points", 0, start_points.source),
        ),
        iterations=(iteration, iteration), confidence=0.9, facts={"formula": _formula(fitted)},
    )


def _origins(means: F64, placed: Mask, xyz: F64, rows_apart: float, apart: float) -> I64 | None:
    """int64 [n], the point of each placed mean. Rows are trusted where they fit, else the nearest point where it is near."""
    by_row = origins_by_row(means, xyz, rows_apart)
    if by_row is not None:
        return by_row[placed]
    return nearest_origins(means[placed], xyz, apart) if placed.any() else None


def _line(expected: F64, found: Array) -> tuple[float, float]:
    """Least-squares slope and offset of `found` on `expected`, over the finite entries of all channels."""
    x, y = expected.ravel(), np.asarray(found, np.float64).ravel()
    good = np.isfinite(x) & np.isfinite(y)
    slope, offset = np.polyfit(x[good], y[good], 1)
    return float(slope), float(offset)


def _formula(slope: float) -> str:
    """What was probably written instead. Against (c − 0.5)/C0, colour·C0 has slope C0² = 0.08 and raw colour C0 = 0.28 at
    the start; training had moved them to 0.19 and 0.36 by iteration 200 in the calibration runs. A second division by C0
    has slope 3.5, bytes instead of 0..1 have 255; 30 lies between on a logarithmic scale."""
    if slope < 1:
        return "DC = colour · C0" if slope < 0.27 else "DC = colour (raw RGB)"
    return "DC = (colour − 0.5)/C0 with colour in 0..255" if slope > 30 else "DC = (colour − 0.5)/C0, divided by C0 once more"
