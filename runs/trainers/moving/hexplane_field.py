"""HexPlane: features of a point in space and time, from six planes per level (Cao and Johnson 2023, arXiv 2301.09632).

As 4DGaussians evaluates it (`scene/hexplane.py` at 843d5ac): each plane is sampled bilinearly, the samples of the six planes
are multiplied, and the products of all levels stand side by side.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from runs.arrays import F32, I64
from runs.trainers.moving.layers import Misfit, State

AXES = tuple(combinations(range(4), 2))  # xy xz xt yz yt zt: the first runs along a plane's width, the second along its height
TIME = 3
MOST_LEVELS = 64  # trainers use up to 4


@dataclass(frozen=True, eq=False)
class HexPlane:
    """Planes [H, W, C] by level, in the order of `AXES`."""

    first: F32  # float32 [3], the corner of the box that becomes -1
    last: F32  # float32 [3], the corner that becomes 1
    levels: tuple[tuple[F32, ...], ...]

    def loaded(self) -> "HexPlane":
        """The same in memory, ready to be sampled: until then the planes lie in the mapped file."""
        return replace(self, levels=tuple(tuple(np.array(plane, order="C") for plane in planes) for planes in self.levels))

    @property
    def outputs(self) -> int:
        return sum(planes[0].shape[2] for planes in self.levels)

    def at(self, time: float) -> "Field":
        """The field at one moment: of a plane that has a time axis one line [1, W, C] is left."""
        lines = tuple(
            tuple(_line(plane, time) if axes[1] == TIME else plane for axes, plane in zip(AXES, planes, strict=True))
            for planes in self.levels
        )
        return Field(self.first, np.float32(2) / (self.last - self.first), lines)


@dataclass(frozen=True, eq=False)
class Field:
    """A HexPlane at one moment."""

    first: F32
    scale: F32  # float32 [3], from world units to the box of -1 to 1
    levels: tuple[tuple[F32, ...], ...]

    def features(self, means: F32) -> F32:
        """float32 [n, C·levels]."""
        place = (means - self.first) * self.scale - np.float32(1)
        return np.hstack([self._product(planes, place) for planes in self.levels])

    @staticmethod
    def _product(planes: tuple[F32, ...], place: F32) -> F32:
        product = np.ones((1, 1), np.float32)
        for axes, plane in zip(AXES, planes, strict=True):
            down = place[:, axes[1]] if axes[1] != TIME else None
            product = product * sampled(plane, place[:, axes[0]], down)
        return product


def read_hexplane(state: State, name: str) -> HexPlane:
    """The field stored under `name`. Raises Misfit."""
    box = state.get(f"{name}.aabb")
    if box is None or box.shape != (2, 3):
        raise Misfit(f"has no box {name}.aabb of two corners")
    levels = tuple(_levels(state, f"{name}.grids"))
    if not levels:
        raise Misfit(f"has no planes {name}.grids")
    return HexPlane(np.array(box[0]), np.array(box[1]), levels)


def _levels(state: State, name: str) -> Iterator[tuple[F32, ...]]:
    for level in range(MOST_LEVELS):
        found = [state.get(f"{name}.{level}.{i}") for i in range(len(AXES))]
        planes = [plane for plane in found if plane is not None and plane.ndim == 4 and plane.shape[0] == 1 and plane.size]
        if not any(plane is not None for plane in found):
            return
        if len(planes) < len(AXES) or len({plane.shape[1] for plane in planes}) > 1 or f"{name}.{level}.{len(AXES)}" in state:
            raise Misfit(f"has planes {name}.{level} of an impossible shape")
        yield tuple(plane[0].transpose(1, 2, 0) for plane in planes)


def _line(plane: F32, time: float) -> F32:
    """float32 [1, W, C]: the plane [T, W, C] at one moment."""
    low, high, share = between(np.full(1, time, np.float32), len(plane))
    return np.asarray(plane[low] + (plane[high] - plane[low]) * share[:, None, None])


def sampled(plane: F32, across: F32, down: F32 | None) -> F32:
    """float32 [n, C]: bilinear samples of a plane [H, W, C] at places from -1 (middle of the first cell) to 1 (of the last).

    Places outside take the border's value. `down` None: the plane has one row.
    """
    width = plane.shape[1]
    cells = plane.reshape(-1, plane.shape[2])
    left, right, share = between(across, width)
    if down is None:
        return _mixed(cells, left, right, share)
    top, bottom, depth = between(down, len(plane))
    upper, lower = (_mixed(cells, row * width + left, row * width + right, share) for row in (top, bottom))
    return np.asarray(upper + (lower - upper) * depth[:, None])


def between(place: F32, cells: int) -> tuple[I64, I64, F32]:
    """The cells on either side of places -1..1, and how far each lies towards the second; a place that is NaN stays NaN."""
    at = np.clip((place + np.float32(1)) * np.float32(0.5 * (cells - 1)), 0, cells - 1)
    low = np.floor(np.nan_to_num(at)).astype(np.int64)
    return low, np.minimum(low + 1, cells - 1), np.asarray(at - low.astype(np.float32), np.float32)


def _mixed(cells: F32, one: I64, other: I64, share: F32) -> F32:
    first = cells[one]
    return np.asarray(first + (cells[other] - first) * share[:, None])
