"""Where the scene of a glTF file places its primitives."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from runs.advice import EXPORT_SPLATS
from runs.arrays import F64
from runs.errors import RefusedFile, UnreadableFile
from runs.formats.exchange.axes import HALF_TURN_Z
from runs.formats.exchange.gltf_file import Document

MOST_NODES = 100_000
UNEVEN = 1e-4  # relative; float32 matrices of a rotation and one scale stay far below
IDENTITY = np.eye(4)


@dataclass(frozen=True)
class Placed:
    """One primitive, and the node matrix that places it in the scene."""

    attributes: Mapping[str, Any]
    extensions: Mapping[str, Mapping[str, Any]]
    matrix: F64  # [4, 4]


@dataclass(frozen=True)
class Placement:
    """A similarity: x -> scale · turn @ x + shift, into x right, y down, z forward."""

    scale: float
    rows: tuple[float, ...]  # of `turn`, orthogonal
    shift: tuple[float, ...]

    @cached_property
    def turn(self) -> F64:
        """float64 [3, 3], orthogonal; its determinant is -1 for a mirrored scene."""
        return np.array(self.rows, np.float64).reshape(3, 3)

    @property
    def matrix(self) -> F64:
        """float64 [3, 4]."""
        return np.column_stack([self.scale * self.turn, self.shift])


def placement(matrix: F64, path: Path) -> Placement:
    """The similarity that a node matrix [4, 4] makes, in our axes. Raises UnreadableFile for one that stretches splats."""
    ours = np.diag(HALF_TURN_Z) @ matrix[:3]
    linear = ours[:, :3]
    scale = float(np.cbrt(abs(np.linalg.det(linear)))) if np.isfinite(ours).all() else 0.0
    if not scale > 0 or not np.allclose(linear.T @ linear, scale**2 * np.eye(3), rtol=0, atol=UNEVEN * scale**2):
        raise UnreadableFile(f"a node of this glTF file stretches its splats unevenly; {EXPORT_SPLATS} with it applied", path)
    return Placement(scale, tuple((linear / scale).ravel().tolist()), tuple(ours[:, 3].tolist()))


def placed_primitives(document: Document) -> Iterator[Placed]:
    """All primitives of the scene. Raises UnreadableFile, or RefusedFile for a tree that loops."""
    pending = [(index, IDENTITY) for index in _roots(document)]
    seen = 0
    while pending:
        index, above = pending.pop(0)
        seen += 1
        if seen > min(MOST_NODES, len(document.items("nodes"))):
            raise RefusedFile(f"the nodes of this glTF file do not form a tree; {EXPORT_SPLATS}", document.path)
        node = document.item("nodes", index)
        matrix = above @ _matrix(node, document.path)
        pending += [(child, matrix) for child in _list(node.get("children"))]
        if "mesh" in node:
            yield from _of_mesh(document.item("meshes", node["mesh"]), matrix)


def _roots(document: Document) -> list[Any]:
    """The nodes of the scene to show; without scenes, the nodes that are no one's children."""
    if document.items("scenes"):
        return _list(document.item("scenes", document.json.get("scene", 0)).get("nodes"))
    nodes = document.items("nodes")
    lists = (_list(node.get("children")) for node in nodes if isinstance(node, dict))
    children = {child for found in lists for child in found if isinstance(child, int)}
    return [index for index in range(len(nodes)) if index not in children]


def _of_mesh(mesh: Mapping[str, Any], matrix: F64) -> Iterator[Placed]:
    for primitive in _list(mesh.get("primitives")):
        if not isinstance(primitive, dict):
            continue
        attributes, extensions = primitive.get("attributes"), primitive.get("extensions")
        if isinstance(attributes, dict) and isinstance(extensions, dict):
            yield Placed(attributes, {key: value for key, value in extensions.items() if isinstance(value, dict)}, matrix)


def _matrix(node: Mapping[str, Any], path: Path) -> F64:
    """float64 [4, 4] of a node: its matrix (column by column), or translation · rotation (xyzw) · scale."""
    if "matrix" in node:
        return _numbers(node, "matrix", np.eye(4).ravel(), path).reshape(4, 4).T
    x, y, z, w = _numbers(node, "rotation", np.array([0.0, 0, 0, 1]), path)
    length = x * x + y * y + z * z + w * w
    made = np.eye(4)
    if length:
        made[:3, :3] += 2 / length * np.array([
            [-y * y - z * z, x * y - z * w, x * z + y * w], [x * y + z * w, -x * x - z * z, y * z - x * w],
            [x * z - y * w, y * z + x * w, -x * x - y * y],
        ])
    made[:3, :3] *= _numbers(node, "scale", np.ones(3), path)
    made[:3, 3] = _numbers(node, "translation", np.zeros(3), path)
    return made


def _numbers(node: Mapping[str, Any], key: str, otherwise: F64, path: Path) -> F64:
    values = node.get(key)
    if values is None:
        return otherwise
    good = isinstance(values, list) and len(values) == len(otherwise) and all(isinstance(v, int | float) for v in values)
    if not good or not all(abs(value) < 1e30 for value in values):
        raise UnreadableFile(f"the `{key}` of a node of this glTF file is not {len(otherwise)} numbers; {EXPORT_SPLATS}", path)
    return np.array(values, np.float64)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
