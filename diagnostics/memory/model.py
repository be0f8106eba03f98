"""Where the bytes of a training are: exact where the code fixes them, the rest of a measured line where it does not."""

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from diagnostics.memory.fits import FITTED, GIB, MEASURED_VIEW, Measured
from runs.arrays import F64

Basis = Literal["exact", "measured", "derived", "estimated"]

FLOAT = 4  # bytes; rasterisers take float32 only, so nothing is gained by half precision
SHAPE_FLOATS = 11  # mean 3, scales 3, quaternion 4, opacity 1
COLOURS = 3
STATISTICS = 12  # bytes: gradient accumulator, count and largest radius of densification (INRIA scene/gaussian_model.py)
# Copies of the parameters that an optimiser keeps: Adam's two moments, sparse or selective Adam's too (PyTorch documentation).
MOMENTS = {"adam": 2, "sparse_adam": 2, "selective_adam": 2, "sgd": 0}
# What a step works in, bytes per Gaussian at SH degree 3, and the part that goes with each SH coefficient: the joined
# colours and the backward kernel's own gradient of them, 12 bytes each (derived from INRIA's structures).
WORKING, PER_COEFFICIENT, COEFFICIENTS = 620, 24, 16
PAIR = 24  # bytes of one tile-Gaussian pair: 64-bit key and 32-bit value, unsorted and sorted (INRIA: BinningState)
IMAGE_STATE = 16  # bytes per pixel of the view that is drawn (INRIA: ImageState)


@dataclass(frozen=True)
class Photos:
    """Photos that stay on the GPU for the whole training."""

    count: int
    pixels: int  # of all of them together
    bytes_per_pixel: int  # 0: they stay in the computer's own memory
    why: str = ""  # what tells so

    @property
    def bytes(self) -> int:
        return self.pixels * self.bytes_per_pixel


NO_PHOTOS = Photos(0, 0, 0, "not available")


@dataclass(frozen=True)
class Setup:
    """All of a training that decides its memory, but for the number of Gaussians."""

    measured: Measured
    sh_degree: int = 3
    optimiser: str = "adam"
    photos: Photos = NO_PHOTOS
    view_pixels: int | None = None  # of the largest training view; None: not known, taken as those that were measured
    pairs: float | None = None  # tile-Gaussian pairs of the widest view of a saved iteration; None: not known


@dataclass(frozen=True)
class Part:
    """One line of the table."""

    name: str
    bytes: float
    basis: Basis
    why: str = ""


@dataclass(frozen=True)
class Usage:
    """Peak of what is allocated at a number of Gaussians, part by part."""

    count: int
    parts: tuple[Part, ...]
    doubts: tuple[str, ...] = field(default=())  # what the user should know about the total
    complete: bool = True  # False: a floor, with parts missing

    @property
    def total(self) -> float:
        """Bytes."""
        return sum(part.bytes for part in self.parts)

    @property
    def gib(self) -> float:
        return self.total / GIB


def parameter_bytes(sh_degree: int) -> int:
    """Of one Gaussian: 236 at degree 3, 152, 92 and 56 below."""
    return FLOAT * (SHAPE_FLOATS + COLOURS * (sh_degree + 1) ** 2)


def fixed_bytes(sh_degree: int, optimiser: str = "adam") -> int:
    """Parameters, gradients and the optimiser's copies of one Gaussian: 944 at degree 3 with Adam."""
    return parameter_bytes(sh_degree) * (2 + MOMENTS[optimiser])


def working_bytes(setup: Setup) -> float:
    """What a step works in, per Gaussian: the rest of the measured line, scaled by the list of F.2 at other SH degrees."""
    if setup.measured.fit is None:
        return 0.0
    at_three = setup.measured.fit.per_gaussian - fixed_bytes(3) - STATISTICS
    share = (WORKING - PER_COEFFICIENT * (COEFFICIENTS - (setup.sh_degree + 1) ** 2)) / WORKING
    return at_three * share


def bytes_per_gaussian(setup: Setup) -> float:
    """The slope of the whole model; a floor where the trainer was never measured."""
    statistics = STATISTICS if setup.measured.fit is not None else 0
    return fixed_bytes(setup.sh_degree, setup.optimiser) + statistics + working_bytes(setup)


def usage(setup: Setup, count: int) -> Usage:
    """Peak of allocated bytes with `count` Gaussians."""
    own = parameter_bytes(setup.sh_degree)
    parts = [
        Part("Parameters", own * count, "exact", f"{own} bytes per Gaussian at SH degree {setup.sh_degree}"),
        Part("Gradients", own * count, "exact", "one number for each parameter"),
        Part("Optimiser", own * MOMENTS[setup.optimiser] * count, "exact",
             f"{MOMENTS[setup.optimiser]} numbers for each parameter ({setup.optimiser})"),
    ]
    if setup.measured.fit is not None:
        parts += [Part("Densification statistics", STATISTICS * count, "exact", f"{STATISTICS} bytes per Gaussian"),
                  *_working(setup, count), *_fixed(setup)]
    if setup.photos is not NO_PHOTOS:
        parts.append(Part("Photos on the GPU", setup.photos.bytes, "exact",
                          f"{setup.photos.count:,} photos, {setup.photos.bytes_per_pixel} bytes per pixel; {setup.photos.why}"))
    return Usage(count, tuple(parts), _doubts(setup, count), setup.measured.fit is not None)


def totals(setup: Setup, counts: F64) -> F64:
    """float64 [T], bytes: the total of `usage` for many counts at once."""
    working = working_bytes(setup)
    grown = (bytes_per_gaussian(setup) - working) * counts + np.maximum(working * counts, pair_bytes(setup) or 0.0)
    return np.asarray(grown + usage(replace(setup, pairs=None), 0).total, np.float64)


def _working(setup: Setup, count: int) -> list[Part]:
    """The measured share holds the tile pairs of ordinary scenes; only where they alone need more do they raise the total."""
    working, pairs = working_bytes(setup) * count, pair_bytes(setup)
    parts = [Part("Drawing and its gradients", working, "measured" if setup.sh_degree == 3 else "derived",
                  "the rest of the measured line" + ("" if setup.sh_degree == 3 else ", scaled to this SH degree: not measured"))]
    if pairs is not None and pairs > working:
        parts.append(Part("Tile pairs beyond that", pairs - working, "estimated", f"{pairs / PAIR:,.0f} pairs of {PAIR} bytes"))
    return parts


def pair_bytes(setup: Setup) -> float | None:
    """Of the tile pairs of the saved iteration, at any count: splats that split get smaller, and cover the same tiles."""
    return None if setup.pairs is None else PAIR * setup.pairs


def _fixed(setup: Setup) -> list[Part]:
    fit = setup.measured.fit
    assert fit is not None
    pixels = MEASURED_VIEW if setup.view_pixels is None else setup.view_pixels
    state = IMAGE_STATE * pixels
    rest = max(0.0, fit.fixed * GIB - IMAGE_STATE * MEASURED_VIEW)
    return [Part("State of one view", state, "exact" if setup.view_pixels else "estimated", f"{IMAGE_STATE} bytes per pixel"),
            Part("What does not grow", rest, "measured", f"{fit.name}: {fit.scenes}")]


def _doubts(setup: Setup, count: int) -> tuple[str, ...]:
    told = [setup.measured.caveat] if setup.measured.caveat else []
    if setup.measured.fit is not None and not FITTED[0] <= count <= FITTED[1]:
        told.append(f"extrapolated: measured from {FITTED[0] / 1e6:g} to {FITTED[1] / 1e6:g} million Gaussians")
    if setup.measured.fit is not None and setup.sh_degree != 3:
        told.append("SH degrees below 3 are derived, not measured")
    if setup.photos is NO_PHOTOS:
        told.append("photos on the GPU: not available (how many, and their size)")
    return tuple(told)
