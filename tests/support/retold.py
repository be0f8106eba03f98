"""Copies of a run's folder that tell the same training in another way, or with one fault put in."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from plyfile import PlyData, PlyElement
from scipy.spatial.transform import Rotation

from render.harmonics import basis
from runs.arrays import F64, U8, Array

XYZ, DC = ("x", "y", "z"), ("f_dc_0", "f_dc_1", "f_dc_2")
SCALES = ("scale_0", "scale_1", "scale_2")
QUATS = ("rot_0", "rot_1", "rot_2", "rot_3")
Change = Callable[[Array], Array]


@dataclass(frozen=True)
class Folders:
    """One training as it lies on disk."""

    run: Path
    data: Path

    def copied(self, to: Path) -> "Folders":
        """The same as folders of their own, so that they may be changed."""
        return Folders(Path(shutil.copytree(self.run, to / "run")), Path(shutil.copytree(self.data, to / "data")))


def saves(run: Path) -> list[Path]:
    """Every saved splat file, by iteration."""
    return sorted(run.glob("point_cloud/iteration_*/point_cloud.ply"), key=lambda path: int(path.parent.name.rpartition("_")[2]))


def change_rows(ply: Path, change: Change, **options: Any) -> None:
    """Rewrite one PLY as `change` returns its rows; `options` go to plyfile (text, byte_order)."""
    table = change(PlyData.read(str(ply))["vertex"].data.copy())
    PlyData([PlyElement.describe(table, "vertex")], **{"text": False, **options}).write(str(ply))


def names_of(table: Array) -> tuple[str, ...]:
    return table.dtype.names or ()


def columns(table: Array, names: tuple[str, ...]) -> F64:
    return np.stack([table[name] for name in names], axis=1).astype(np.float64)


def set_columns(table: Array, names: tuple[str, ...], values: Array) -> None:
    for name, column in zip(names, np.asarray(values).T, strict=True):
        table[name] = column


def typed(table: Array, names: list[str], kind: str = "f4") -> Array:
    """The same rows with these properties, in this order and type."""
    out = np.empty(len(table), [(name, kind) for name in names])
    for name in names:
        out[name] = table[name]
    return out


def move_world(told: Folders, *, scale: float, rotation: F64, shift: F64) -> None:
    """x' = scale · rotation · x + shift for splats, points, cameras and a COLMAP text model."""
    run = told.run
    for ply in saves(run):
        change_rows(ply, lambda table: _moved(table, scale, rotation, shift))
    change_rows(run / "input.ply", lambda table: _placed(table, scale, rotation, shift))
    cameras = json.loads((run / "cameras.json").read_text("utf-8"))
    for camera in cameras:
        camera["position"] = (scale * rotation @ camera["position"] + shift).tolist()
        camera["rotation"] = (rotation @ camera["rotation"]).tolist()
    (run / "cameras.json").write_text(json.dumps(cameras), "utf-8")
    change_log(run, lambda entry: {**entry, "lr_xyz": entry["lr_xyz"] * scale})
    _move_model(told.data / "sparse" / "0", scale, rotation, shift)


def change_log(run: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Rewrite metrics.jsonl object by object; event files, which would still tell the old story, are removed."""
    log = run / "metrics.jsonl"
    entries = (json.loads(line) for line in log.read_text("utf-8").splitlines())
    log.write_text("\n".join(json.dumps(change(entry)) for entry in entries) + "\n", "utf-8")
    remove(run, "events.out.tfevents.*")


def remove(run: Path, *patterns: str) -> None:
    for path in (path for pattern in patterns for path in run.glob(pattern)):
        path.unlink()


def change_photos(data: Path, change: Callable[[U8], Array], *, ending: str = ".png", **options: Any) -> None:
    """Every photo [H, W, 3] as `change` returns it, uint8 [H, W, 3 or 4]; `options` go to Pillow."""
    for path in sorted((data / "images").iterdir()):
        with Image.open(path) as stored:
            pixels = np.asarray(stored.convert("RGB"))
        path.unlink()
        Image.fromarray(np.asarray(change(pixels), np.uint8)).save(path.with_suffix(ending), **options)


def _placed(table: Array, scale: float, rotation: F64, shift: F64) -> Array:
    set_columns(table, XYZ, scale * columns(table, XYZ) @ rotation.T + shift)
    return table


def _moved(table: Array, scale: float, rotation: F64, shift: F64) -> Array:
    _placed(table, scale, rotation, shift)
    set_columns(table, SCALES, columns(table, SCALES) + np.log(scale))
    turned = Rotation.from_matrix(rotation) * Rotation.from_quat(columns(table, QUATS)[:, [1, 2, 3, 0]])
    set_columns(table, QUATS, turned.as_quat()[:, [3, 0, 1, 2]])
    names = tuple(f"f_rest_{i}" for i in range(sum(name.startswith("f_rest_") for name in names_of(table))))
    bands = len(names) // 3
    if bands:
        rest = columns(table, names).reshape(-1, 3, bands)
        set_columns(table, names, (rest @ _sh_rotation(rotation, bands)[1:, 1:].T).reshape(-1, 3 * bands))
    return table


def _sh_rotation(rotation: F64, bands: int) -> F64:
    """float64 [K, K]: coefficients of the turned function. No closed form: the one that agrees in 400 directions."""
    directions = np.random.default_rng(0).normal(size=(400, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    degree = round(np.sqrt(bands + 1)) - 1
    return np.asarray(np.linalg.lstsq(basis(directions @ rotation.T, degree), basis(directions, degree), rcond=None)[0])


def _move_model(model: Path, scale: float, rotation: F64, shift: F64) -> None:
    images, points = [], []
    for line in (model / "images.txt").read_text("utf-8").splitlines():
        words = line.split()
        if len(words) == 10 and words[0].isdigit():
            quat, translation = np.array(words[1:5], float), np.array(words[5:8], float)
            turned = Rotation.from_quat(quat[[1, 2, 3, 0]]).as_matrix() @ rotation.T
            moved = [*Rotation.from_matrix(turned).as_quat()[[3, 0, 1, 2]], *(scale * translation - turned @ shift)]
            words[1:8] = [repr(float(value)) for value in moved]
        images.append(" ".join(words))
    for line in (model / "points3D.txt").read_text("utf-8").splitlines():
        words = line.split()
        words[1:4] = [repr(float(value)) for value in scale * rotation @ np.array(words[1:4], float) + shift]
        points.append(" ".join(words))
    (model / "images.txt").write_text("\n".join(images) + "\n", "utf-8")
    (model / "points3D.txt").write_text("\n".join(points) + "\n", "utf-8")
