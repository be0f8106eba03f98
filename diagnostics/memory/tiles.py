"""How many tile-Gaussian pairs a view needs: the one part of the memory that explodes while the count stands still."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from render.projection import project
from render.splats import Splats
from runs.arrays import F64
from runs.cameras import Camera

TILE = 16  # pixels: INRIA's and gsplat's rasterisers
SIGMAS = 3  # a splat reaches as far in either (INRIA forward.cu, gsplat)
ROWS = 50_000  # sampled: the 99.9th percentile still rests on fifty of them
VIEWS = 12  # spread over the training; the widest of them stands for all


@dataclass(frozen=True)
class Footprint:
    """What one view of a saved iteration asks of the rasteriser."""

    camera: str
    pairs: float  # tile-Gaussian pairs of all Gaussians, estimated from a sample
    tiles: int  # of the picture
    radius_px: float  # 99.9th percentile of the splats' radius, 3 standard deviations; 0 where none is drawn
    diagonal_px: float
    large: float  # share of the stored Gaussians whose radius passes half the picture's diagonal, 0..1


def footprint(splats: Splats, camera: Camera) -> Footprint:
    """Each splat touches the tiles that the square around it covers, at most (⌈2r/16⌉ + 1)² of them, inside the picture."""
    width, height = camera.size_px
    seen = project(splats, camera)
    radii = SIGMAS * np.sqrt(_larger_eigenvalues(seen.covariances_px2))
    across = _tiles(seen.means_px[:, 0], radii, width) * _tiles(seen.means_px[:, 1], radii, height)
    touched = seen.visible & (across > 0)
    weight = splats.stored_count / max(1, len(splats))
    diagonal = float(np.hypot(width, height))
    return Footprint(
        camera.name, float(across[touched].sum()) * weight, _whole(width) * _whole(height),
        float(np.percentile(radii[touched], 99.9)) if touched.any() else 0.0, diagonal,
        float((radii[touched] > diagonal / 2).sum() / max(1, len(splats))),
    )


def widest(splats: Splats, cameras: Iterable[Camera], beat: Callable[[], None]) -> Footprint | None:
    """The view with the most pairs among a spread sample of the cameras; None without a splat or a camera."""
    sample, views = sampled(splats), _spread(tuple(cameras))
    found = []
    for camera in views if len(sample) else ():
        beat()
        found.append(footprint(sample, camera))
    return max(found, key=lambda one: one.pairs, default=None)


def sampled(splats: Splats) -> Splats:
    """Every k-th splat; `stored_count` still tells how many there are."""
    step = max(1, len(splats) // ROWS)
    if step == 1:
        return splats
    columns = ("rows", "means", "scales", "quats", "opacities", "sh")
    return replace(splats, **{name: getattr(splats, name)[::step] for name in columns})


def _spread(cameras: tuple[Camera, ...]) -> tuple[Camera, ...]:
    return cameras[:: max(1, -(-len(cameras) // VIEWS))]


def _larger_eigenvalues(covariances: F64) -> F64:
    """float64 [M] of symmetric [M, 2, 2]."""
    middle = (covariances[:, 0, 0] + covariances[:, 1, 1]) / 2
    apart = np.hypot((covariances[:, 0, 0] - covariances[:, 1, 1]) / 2, covariances[:, 0, 1])
    return np.asarray(np.maximum(middle + apart, 0), np.float64)


def _tiles(centres: F64, radii: F64, pixels: int) -> F64:
    """Tiles of one axis between centre - radius and centre + radius, inside the picture."""
    last = _whole(pixels)
    first = np.clip(np.floor((centres - radii) / TILE), 0, last)
    end = np.clip(np.ceil((centres + radii) / TILE), 0, last)
    return np.asarray(end - first, np.float64)


def _whole(pixels: int) -> int:
    return -(-pixels // TILE)
