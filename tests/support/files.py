"""Writers of the files that trainers leave, for tests: splat PLYs, point clouds and whole INRIA run folders."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from plyfile import PlyData, PlyElement

from runs.arrays import Array
from runs.gaussians import Gaussians

CFG_ARGS = (
    "Namespace(sh_degree={degree}, source_path={source!r}, model_path='output/test', images='images', depths='', resolution=-1, "
    "white_background=False, train_test_exp=False, data_device='cuda', eval={eval})"
)


def random_gaussians(count: int, *, degree: int = 3, seed: int = 0) -> Gaussians:
    """Plausible splats in a unit box."""
    rng = np.random.default_rng(seed)
    return Gaussians.from_arrays(
        means=rng.uniform(-1, 1, (count, 3)), log_scales=rng.normal(-4, 0.5, (count, 3)), quats_wxyz=rng.normal(0, 1, (count, 4)),
        logit_opacities=rng.normal(0, 2, count), sh0=rng.normal(0, 1, (count, 3)),
        sh_rest=rng.normal(0, 0.1, (count, (degree + 1) ** 2 - 1, 3)),
    )


def inria_columns(gaussians: Gaussians, *, normals: bool = True) -> dict[str, Array]:
    """Property name -> values [N], in INRIA's order; f_rest is channel-major."""
    rest = gaussians.sh_rest.transpose(0, 2, 1).reshape(gaussians.count, 3 * gaussians.sh_rest.shape[1])
    zeros = np.zeros(gaussians.count, np.float32)
    columns: dict[str, Array] = dict(zip("xyz", gaussians.means.T, strict=True))
    columns |= {name: zeros for name in ("nx", "ny", "nz") if normals}
    columns |= {f"f_dc_{i}": values for i, values in enumerate(gaussians.sh0.T)}
    columns |= {f"f_rest_{i}": values for i, values in enumerate(rest.T)}
    columns |= {"opacity": gaussians.logit_opacities}
    columns |= {f"scale_{i}": values for i, values in enumerate(gaussians.log_scales.T)}
    return columns | {f"rot_{i}": values for i, values in enumerate(gaussians.quats_wxyz.T)}


def as_element(name: str, columns: Mapping[str, Array]) -> PlyElement:
    """One element of plyfile; each column keeps its own scalar type."""
    dtype = [(key, np.asarray(values).dtype.str[1:]) for key, values in columns.items()]
    table = np.empty(len(next(iter(columns.values()))), dtype)
    for key, values in columns.items():
        table[key] = values
    return PlyElement.describe(table, name)


def write_ply(
    path: Path, columns: Mapping[str, Array], *, text: bool = False, byte_order: str = "<", comments: Sequence[str] = (),
    before: Sequence[PlyElement] = (), after: Sequence[PlyElement] = (),
) -> Path:
    """Write one vertex element through plyfile; each column keeps its own scalar type."""
    path.parent.mkdir(parents=True, exist_ok=True)
    elements = [*before, as_element("vertex", columns), *after]
    PlyData(elements, text=text, byte_order=byte_order, comments=list(comments)).write(str(path))
    return path


def write_splats(path: Path, gaussians: Gaussians, *, normals: bool = True, **options: Any) -> Path:
    """An INRIA splat PLY."""
    return write_ply(path, inria_columns(gaussians, normals=normals), **options)


def write_points(path: Path, xyz: Array, rgb: Array | None = None) -> Path:
    """A point cloud as INRIA's input.ply."""
    columns: dict[str, Array] = dict(zip("xyz", np.asarray(xyz, np.float32).T, strict=True))
    if rgb is not None:
        columns |= dict(zip(("red", "green", "blue"), np.asarray(rgb, np.uint8).T, strict=True))
    return write_ply(path, columns)


def faces(count: int) -> PlyElement:
    """Triangles, each a list of vertex indices."""
    table = np.empty(count, [("vertex_indices", object)])
    table["vertex_indices"] = [np.arange(3 + i % 2, dtype=np.int32) for i in range(count)]
    return PlyElement.describe(table, "face")


def ring_of_cameras(names: Sequence[str], *, radius: float = 4.0, size_px: tuple[int, int] = (64, 48)) -> list[dict[str, Any]]:
    """Entries of cameras.json: cameras on a circle that look at the origin (OpenCV axes, camera to world).

    A name that comes twice has one place.
    """
    entries = []
    for index, name in enumerate(names):
        angle = 2 * np.pi * names.index(name) / max(len(names), 1)
        centre = radius * np.array([np.cos(angle), 0.0, np.sin(angle)])
        forward = -centre / radius
        down = np.array([0.0, 1.0, 0.0])
        rotation = np.stack([np.cross(down, forward), down, forward], axis=1)
        entries.append({"id": index, "img_name": name, "width": size_px[0], "height": size_px[1], "position": centre.tolist(),
                        "rotation": rotation.tolist(), "fy": 60.0, "fx": 60.0})
    return entries


def write_inria_run(
    folder: Path, *, iterations: Sequence[int] = (100, 200), count: int = 20, degree: int = 1, cameras: Sequence[str] = (),
    source: str = "/data/scenes/nowhere", evaluated: bool = True, cfg_args: str | None = None,
) -> Path:
    """A minimal folder as INRIA's trainer leaves it: cfg_args, input.ply, cameras.json and one PLY per iteration."""
    folder.mkdir(parents=True, exist_ok=True)
    text = CFG_ARGS.format(degree=degree, source=source, eval=evaluated) if cfg_args is None else cfg_args
    (folder / "cfg_args").write_text(text, encoding="utf-8")
    write_points(folder / "input.ply", random_gaussians(count).means, np.full((count, 3), 128))
    if cameras:
        (folder / "cameras.json").write_text(json.dumps(ring_of_cameras(cameras)), encoding="utf-8")
    for iteration in iterations:
        gaussians = random_gaussians(count, degree=degree, seed=iteration)
        write_splats(folder / "point_cloud" / f"iteration_{iteration}" / "point_cloud.ply", gaussians)
    return folder
