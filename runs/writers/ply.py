"""Splats and point clouds as PLY files, binary little-endian, in the column order of INRIA's trainer."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from runs.arrays import F32, Array
from runs.gaussians import Gaussians
from runs.points import PointCloud
from runs.writers.atomic import whole_file

TYPE_NAMES = {"<f4": "float", "|u1": "uchar"}
NORMALS = ("nx", "ny", "nz")


def write_splats(path: Path, gaussians: Gaussians, *, normals: bool = True) -> None:
    """The stored columns of N Gaussians as float32; extra columns come last, as Mip-Splatting adds its own.

    `normals`: three columns of zeros after the position, which INRIA's trainer writes and gsplat's does not.
    """
    names = splat_columns(gaussians.sh_rest.shape[1], normals=normals) + gaussians.extra_names
    table = np.ascontiguousarray(_table(gaussians, normals), "<f4")
    _write(path, table, dict.fromkeys(names, "<f4"), gaussians.count)


def write_points(path: Path, points: PointCloud) -> None:
    """A cloud as INRIA's input.ply: position, normals of zero, and 8-bit colours where the cloud has them."""
    types = dict.fromkeys(("x", "y", "z", *NORMALS), "<f4")
    if points.rgb is not None:
        types |= dict.fromkeys(("red", "green", "blue"), "|u1")
    table = np.zeros(len(points), list(types.items()))
    for axis, name in enumerate("xyz"):
        table[name] = points.xyz[:, axis]
    if points.rgb is not None:
        for channel, name in enumerate(("red", "green", "blue")):
            table[name] = points.rgb[:, channel]
    _write(path, table, types, len(points))


def splat_columns(rest: int, *, normals: bool = True) -> tuple[str, ...]:
    """The property names of splats with `rest` view-dependent SH coefficients per channel, in order."""
    return (
        "x", "y", "z", *(NORMALS if normals else ()), *(f"f_dc_{i}" for i in range(3)), *(f"f_rest_{i}" for i in range(3 * rest)),
        "opacity", *(f"scale_{i}" for i in range(3)), *(f"rot_{i}" for i in range(4)),
    )


def _table(gaussians: Gaussians, normals: bool) -> F32:
    """float32 [N, P]; the view-dependent colours channel by channel, where ours are [N, K-1, 3]."""
    count, rest = gaussians.count, gaussians.sh_rest
    zeros = np.zeros((count, 3 if normals else 0), np.float32)
    extra = [gaussians.extra(name)[:, None] for name in gaussians.extra_names]
    return np.hstack([
        gaussians.means, zeros, gaussians.sh0, rest.transpose(0, 2, 1).reshape(count, 3 * rest.shape[1]),
        gaussians.logit_opacities[:, None], gaussians.log_scales, gaussians.quats_wxyz, *extra,
    ])


def _write(path: Path, table: Array, types: Mapping[str, str], count: int) -> None:
    properties = "".join(f"property {TYPE_NAMES[code]} {name}\n" for name, code in types.items())
    header = f"ply\nformat binary_little_endian 1.0\nelement vertex {count}\n{properties}end_header\n"
    with whole_file(path) as file:
        file.write(header.encode("ascii"))
        file.write(table.tobytes())
