"""Splats and point clouds in PLY files, in every layout that trainers write."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.advice import FOREIGN
from runs.arrays import U8
from runs.errors import UnreadableFile
from runs.formats.ply.body import Rows, locate, read_properties
from runs.formats.ply.columns import QUATS, RGB, SH0, Columns, SplatHeader, full_scale, splat_header
from runs.formats.ply.far import MEANS
from runs.formats.ply.header import Element, Header, read_header
from runs.formats.ply.render_mode import antialiased
from runs.formats.splat_file import SplatFile
from runs.gaussians import Gaussians
from runs.points import PointCloud

OPEN_SAVED = "open a PLY that the training saved"
_ITERATION = re.compile(r"\bat iteration (\d{1,12})\b")


@dataclass(frozen=True)
class ReadPly:
    """Reads the Gaussians of one PLY; equal to another one if that would read the same unchanged file."""

    header: SplatHeader

    def __call__(self) -> Gaussians:
        return gaussians_of(self.header)


def look(path: Path) -> SplatFile:
    """What the header tells, and that the file holds all its rows. Raises UnreadableFile or RefusedFile."""
    header = read_splat_header(path)
    return SplatFile(
        path, "PLY", header.count, header.sh_degree, header.rows.header.stamp, ReadPly(header), header.comments, header.notes,
        iteration=told_iteration(header.comments), antialiased=antialiased(header.comments),
    )


def told_iteration(comments: Iterable[str]) -> int | None:
    """The iteration that a comment names, as OpenSplat writes it."""
    told = [match[1] for comment in comments if (match := _ITERATION.search(comment))]
    return int(told[-1]) if told else None


def read_splat_header(path: Path) -> SplatHeader:
    """Read the header, and check that the file holds all its rows. Raises UnreadableFile or RefusedFile."""
    header = read_header(path)
    says = _other_kind(header, header.element("vertex"))
    if says:
        raise UnreadableFile(says, path)
    return splat_header(locate(header, "vertex"))


def read_gaussians(path: Path) -> Gaussians:
    """Gaussians whose columns are read from the mapped file on first use. Raises as `read_splat_header`."""
    return gaussians_of(read_splat_header(path))


def gaussians_of(header: SplatHeader) -> Gaussians:
    """Gaussians of a header already read; a column raises UnreadableFile if the file has changed since."""
    return Gaussians(header.count, header.sh_degree, Columns(header).load, header.extra_names)


def read_points(path: Path) -> PointCloud:
    """A point cloud such as input.ply: x, y, z and, if stored, red, green, blue. Raises UnreadableFile or RefusedFile."""
    header = read_header(path)
    rows = locate(header, "vertex")
    missing = ", ".join(name for name in MEANS if name not in rows.element.names)
    if missing:
        raise UnreadableFile(f"this point cloud has no {missing}; {FOREIGN}", path)
    return PointCloud(read_properties(rows, MEANS, np.float64), _rgb(rows), path.name)


def _rgb(rows: Rows) -> U8 | None:
    codes = {p.name: p.code for p in rows.element.properties if p.name in RGB}
    if len(codes) < 3:
        return None
    values = read_properties(rows, RGB) / np.float32(full_scale(codes["red"]))
    return np.asarray(np.rint(np.clip(np.nan_to_num(values), 0, 1) * 255), np.uint8)


def _other_kind(header: Header, vertex: Element | None) -> str | None:
    """What the file is, if it is not a file of splats."""
    if header.element("chunk") and vertex and "packed_position" in vertex.names:
        return "this is a PlayCanvas compressed PLY, not one of plain splats; open it by itself"
    if vertex is None:
        return f"this PLY file has no vertices, so it is not a file of splats; {OPEN_SAVED}"
    if any(re.fullmatch(r"f_anchor_feat_\d+|f_offset_\d+", name) for name in vertex.names):
        return "this PLY holds Scaffold-GS anchors, not splats; export the Gaussians that its networks make of them"
    absent = [name for name in (*MEANS, "opacity", "scale_0", "scale_1", *QUATS) if name not in vertex.names]
    faces = header.element("face")
    if absent and faces is not None and faces.count:
        return f"this PLY is a triangle mesh, not a file of splats; {OPEN_SAVED}"
    if absent:
        return f"this PLY is a plain point cloud, not a file of splats (it has no {', '.join(absent[:4])}); {OPEN_SAVED}"
    if not _has(vertex, SH0) and not _has(vertex, RGB):
        return "this PLY has splats without any colour; export it with f_dc_0..2, or with red, green, blue"
    return None


def _has(vertex: Element, names: Sequence[str]) -> bool:
    return set(names) <= set(vertex.names)
