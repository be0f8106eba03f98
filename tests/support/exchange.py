"""Files that other tools wrote of one seeded set of splats, and how close a reading of them must come to it."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from plyfile import PlyData
from scipy.spatial import cKDTree

from runs.arrays import Array
from runs.formats.exchange.axes import HALF_TURN_X, flip_means, flip_quats, flip_signs
from runs.formats.ply import read_gaussians
from runs.formats.ply.columns import SH_C0
from runs.formats.splat_formats import look_at
from runs.gaussians import COLUMNS, Gaussians

FOREIGN = Path(__file__).resolve().parents[1] / "runs" / "foreign"
COLUMN_NAMES = (*COLUMNS, "sh_rest")
ROUNDING = 4e-6  # of float32 on values of a few units
Bounds = Mapping[str, Array | float]


def source(degree: int = 3) -> Gaussians:
    """The splats that the files were made from, with SH cut off above `degree`."""
    found = read_gaussians(FOREIGN / ("source_sh4.ply" if degree == 4 else "source.ply"))
    return with_rest(found, found.sh_rest[:, :(degree + 1) ** 2 - 1])


def with_rest(found: Gaussians, rest: Array) -> Gaussians:
    return Gaussians.from_arrays(
        means=found.means, log_scales=found.log_scales, quats_wxyz=found.quats_wxyz, logit_opacities=found.logit_opacities,
        sh0=found.sh0, sh_rest=rest,
    )


def unit(found: Gaussians) -> Gaussians:
    """With quaternions of length 1, for formats that keep them as they are."""
    columns = {name: found.load(name) for name in COLUMN_NAMES}
    return Gaussians.from_arrays(**columns | {"quats_wxyz": found.quats_wxyz / found.quat_norms[:, None]})


def foreign(name: str) -> Gaussians:
    """The splats of a file as our reader gives them."""
    return look_at(FOREIGN / name).read()


def half_turned(found: Gaussians) -> Gaussians:
    """As a tool leaves it that takes y-up axes for granted and stores a PLY's unchanged: turned about x."""
    signs = np.array(flip_signs(HALF_TURN_X, found.sh_degree), np.float32)
    return Gaussians.from_arrays(
        means=flip_means(found.means, HALF_TURN_X), log_scales=found.log_scales,
        quats_wxyz=flip_quats(found.quats_wxyz, HALF_TURN_X), logit_opacities=found.logit_opacities, sh0=found.sh0,
        sh_rest=found.sh_rest * signs[:, None],
    )


def partners(found: Gaussians, expected: Gaussians) -> Array:
    """The row of `expected` nearest to each of `found`; every row must be taken once."""
    rows = cKDTree(expected.means).query(found.means)[1]
    assert len(np.unique(rows)) == len(rows)
    return np.asarray(rows)


def assert_within(found: Gaussians, expected: Gaussians, bounds: Bounds) -> None:
    """Each column differs by at most its bound (scalar, or per row of `found`); opacities are compared as 0..1.

    Values that a format cannot hold are clipped by the caller. Also holds a reading to the shapes and types of Gaussians.
    """
    rows = partners(found, expected)
    wanted = expected.take(rows)
    assert found.sh_degree == expected.sh_degree
    unit = wanted.quats_wxyz / wanted.quat_norms[:, None]
    side = np.sign((found.quats_wxyz * unit).sum(axis=1))[:, None]
    pairs = {
        "means": (found.means, wanted.means), "log_scales": (found.log_scales, wanted.log_scales),
        "quats_wxyz": (side * found.quats_wxyz, unit), "opacities": (found.opacities, wanted.opacities),
        "sh0": (found.sh0, wanted.sh0), "sh_rest": (found.sh_rest, wanted.sh_rest),
    }
    assert pairs.keys() == bounds.keys()
    for name, (read, true) in pairs.items():
        assert read.dtype == np.float32
        assert read.shape == true.shape
        beyond = np.abs(read.astype(np.float64) - true) - bounds[name]
        assert beyond.size == 0 or beyond.max() <= ROUNDING, f"{name} is off by {beyond.max():g} beyond its bound"
    for name in COLUMN_NAMES:
        column = found.load(name)
        assert column.flags.c_contiguous
        assert np.isfinite(column).all()


def clipped(found: Gaussians, **ranges: tuple[float, float]) -> Gaussians:
    """With the named columns clipped to what a format can hold."""
    columns = {name: found.load(name) for name in COLUMN_NAMES}
    return Gaussians.from_arrays(**columns | {name: np.clip(columns[name], *ends) for name, ends in ranges.items()})


def compressed_ply_bounds(path: Path) -> dict[str, Array | float]:
    """Half a step of each field: 11, 10 and 11 bits of a chunk's span; 10 bits of √2; 8 bits; SH in steps of 1/32."""
    data = PlyData.read(str(path))
    chunk, of_row = data["chunk"].data, np.arange(data["vertex"].count) // 256

    def half(names: str, axes: str, steps: list[int]) -> Array:
        span = np.stack([chunk[names.format("max", axis)] - chunk[names.format("min", axis)] for axis in axes], axis=1)
        return np.asarray(span[of_row] / np.array(steps) / 2, np.float64)

    return {
        "means": half("{}_{}", "xyz", [2047, 1023, 2047]), "log_scales": half("{}_scale_{}", "xyz", [2047, 1023, 2047]),
        "quats_wxyz": 3 * np.sqrt(2) / 1023 / 2, "opacities": 0.5 / 255, "sh0": half("{}_{}", "rgb", [255] * 3) / SH_C0,
        "sh_rest": 1 / 64,
    }
