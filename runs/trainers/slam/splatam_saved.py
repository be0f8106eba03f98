"""What SplaTAM saves: `params.npz` at the end, `paramsN.npz` after frame N, each with Gaussians and camera poses."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.advice import FOREIGN
from runs.arrays import F64, Array
from runs.errors import UnreadableFile
from runs.formats.cameras.colmap import rotation_from_quat
from runs.formats.npz import read_npz
from runs.formats.ply.columns import SH_C0
from runs.formats.small_files import unreadable
from runs.formats.splat_file import SplatFile, Stamp
from runs.gaussians import Gaussians
from runs.trainers.slam.poses import Lens, Trajectory

FINAL = "params.npz"
NUMBERED = re.compile(r"params(\d{1,12})\.npz")
MOST_FRAMES = 1_000_000
# Key -> shapes that one row may have. Isotropic Gaussians store one scale.
ROWS: Mapping[str, tuple[tuple[int, ...], ...]] = {
    "means3D": ((3,),), "rgb_colors": ((3,),), "unnorm_rotations": ((4,),), "logit_opacities": ((1,), ()),
    "log_scales": ((1,), (3,)),
}
BORN = "timestep"  # the frame at which a Gaussian was added; only at the end
POSES = ("cam_unnorm_rots", "cam_trans")


@dataclass(frozen=True)
class ReadParams:
    """Reads the Gaussians of one file; equal to another one if that would read the same unchanged file."""

    path: Path
    stamp: Stamp

    def __call__(self) -> Gaussians:
        """Columns are read on first use. Raises UnreadableFile or RefusedFile."""
        arrays = checked(self.path)
        count = len(arrays["means3D"])
        return Gaussians(count, 0, lambda name: _column(arrays, name), (BORN,) if _is_born(arrays, count) else ())


def checked(path: Path) -> Mapping[str, Array]:
    """The arrays of one file, with rows of the expected shape. Raises UnreadableFile or RefusedFile."""
    arrays = read_npz(path)
    shapes = {name: arrays[name].shape if name in arrays else None for name in ROWS}
    wrong = [name for name, shape in shapes.items() if not shape or shape[1:] not in ROWS[name] or arrays[name].dtype.kind != "f"]
    if wrong or len({shape[0] for shape in shapes.values() if shape}) != 1:
        raise UnreadableFile(f"this file lacks {', '.join(wrong) or 'rows'} of the shape that SplaTAM saves; {FOREIGN}", path)
    return arrays


def look(path: Path) -> SplatFile:
    """What the descriptions of the arrays tell. Raises UnreadableFile or RefusedFile."""
    try:
        stamp = Stamp.of(path.stat())
    except OSError as error:
        raise unreadable(error, path) from error
    count = len(checked(path)["means3D"])
    return SplatFile(path, "npz", count, 0, stamp, ReadParams(path, stamp))


def _is_born(arrays: Mapping[str, Array], count: int) -> bool:
    return BORN in arrays and arrays[BORN].shape == (count,) and arrays[BORN].dtype.kind in "fiu"


def _column(arrays: Mapping[str, Array], name: str) -> Array:
    """float32, in our shape and meaning."""
    if name == "sh_rest":
        return np.zeros((len(arrays["means3D"]), 0, 3), np.float32)
    stored = {"means": "means3D", "quats_wxyz": "unnorm_rotations", "sh0": "rgb_colors", "logit_opacities": "logit_opacities",
              "log_scales": "log_scales"}.get(name, name)
    with np.errstate(over="ignore"):  # doubles beyond float32 become inf, which is counted upstairs
        values = np.array(arrays[stored], np.float32, order="C")
    if name == "sh0":
        return np.asarray((values - 0.5) / SH_C0, np.float32)
    if name == "logit_opacities":
        return values.reshape(-1)
    return np.tile(values, (1, 3)) if name == "log_scales" and values.shape[1] == 1 else values


def trajectory(arrays: Mapping[str, Array]) -> Trajectory | None:
    """The estimated poses, with the true ones where they are stored; None where the file holds none.

    Stored are unit-free quaternions and translations [1, 4 or 3, T] from the world, which is the first frame's camera.
    """
    if not all(name in arrays and arrays[name].shape[:1] == (1,) and arrays[name].ndim == 3 for name in POSES):
        return None
    if any(arrays[name].dtype.kind != "f" for name in POSES):
        return None
    quats, shifts = (np.asarray(arrays[name][0], np.float64).T for name in POSES)
    if quats.shape[1:] != (4,) or shifts.shape != (len(quats), 3) or not 0 < len(quats) <= MOST_FRAMES:
        return None
    views = np.tile(np.eye(4), (len(quats), 1, 1))
    views[:, :3, :3] = [_rotation(quat) for quat in quats]
    views[:, :3, 3] = shifts
    true = arrays.get("gt_w2c_all_frames")
    known = true is not None and true.shape == views.shape and true.dtype.kind == "f"
    return Trajectory(tuple(range(len(views))), inverted(views), inverted(np.asarray(true, np.float64)) if known else None)


def _rotation(quat: F64) -> F64:
    with np.errstate(over="ignore"):
        length = np.linalg.norm(quat)
    return rotation_from_quat(quat / length) if np.isfinite(length) and length > 0 else np.full((3, 3), np.nan)


def inverted(rigid: F64) -> F64:
    """float64 [T, 4, 4] of rigid transforms."""
    out = np.tile(np.eye(4), (len(rigid), 1, 1))
    out[:, :3, :3] = rigid[:, :3, :3].transpose(0, 2, 1)
    out[:, :3, 3] = -np.einsum("tij,tj->ti", out[:, :3, :3], rigid[:, :3, 3])
    return out


def lens(arrays: Mapping[str, Array]) -> Lens | None:
    """The lens, at the size that trained; only at the end."""
    numbers = [float(arrays[name]) if name in arrays and arrays[name].size == 1 and arrays[name].dtype.kind in "iuf" else 0.0
               for name in ("org_width", "org_height")]
    matrix = arrays.get("intrinsics")
    if matrix is None or matrix.shape != (3, 3) or matrix.dtype.kind != "f" or not all(1 <= n < 1e6 for n in numbers):
        return None
    fx, fy, cx, cy = (float(matrix[index]) for index in ((0, 0), (1, 1), (0, 2), (1, 2)))
    good = np.isfinite([fx, fy, cx, cy]).all() and min(fx, fy) > 0
    return Lens(fx, fy, cx, cy, (round(numbers[0]), round(numbers[1]))) if good else None
