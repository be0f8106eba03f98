"""Splats of reduced-3dgs in a PLY: one element for each SH degree, values as places in codebooks or as half floats.

Elements `vertex_0` to `vertex_3` hold the splats of which so many SH bands are used. With an element `codebook_centers`
every value but the position is an index into a column of it: scales share one codebook, the real part of rotations has
one, their other three parts share one, and so do the three channels of each SH coefficient. Values of 2-byte integers
are half floats under another name (read in graphdeco-inria/reduced-3dgs, and in GaussianSplats3D's INRIAV2PlyParser).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.advice import FOREIGN
from runs.arrays import F32, Array
from runs.errors import UnreadableFile
from runs.formats.ply.body import Rows, locate, read_properties
from runs.formats.ply.columns import DEGREE_OF_REST, QUATS, SH0
from runs.formats.ply.far import MEANS
from runs.formats.ply.header import read_header
from runs.formats.ply.render_mode import antialiased
from runs.formats.splat_file import SplatFile
from runs.gaussians import COLUMNS, Gaussians

CODEBOOK = "codebook_centers"
SCALES = ("scale_0", "scale_1", "scale_2")
STORED = {"means": MEANS, "log_scales": SCALES, "sh0": SH0, "quats_wxyz": QUATS, "logit_opacities": ("opacity",)}
# Which codebook each property is looked up in; f_rest is channel-major and names the coefficient.
BOOKS = {"scale": "scaling", "f_dc": "features_dc", "opacity": "opacity"}
SAYS = "reduced-3dgs sorted these splats by SH degree and rounded them, so no row of it is the same row of another file"


@dataclass(frozen=True)
class ReadGrouped:
    """Reads the splats of one file; equal to another one if that would read the same unchanged file."""

    groups: tuple[Rows, ...]  # of splats, by rising SH degree
    codebook: Rows | None

    @property
    def count(self) -> int:
        return sum(rows.element.count for rows in self.groups)

    @property
    def sh_degree(self) -> int:
        """Of the richest element that holds any splat."""
        return max((_degree(rows) for rows in self.groups if rows.element.count), default=0)

    def __call__(self) -> Gaussians:
        kept: dict[str, F32] = {}

        def load(name: str) -> F32:
            if name not in kept:
                kept[name] = self._rest() if name == "sh_rest" else self._column(name)
            return kept[name]

        return Gaussians(self.count, self.sh_degree, load)

    def _column(self, name: str) -> F32:
        parts = [self._values(rows, STORED[name]) for rows in self.groups]
        none = np.zeros((0, len(STORED[name])), np.float32)  # a file may have no group at all
        return np.concatenate([none, *parts]).reshape(self.count, *COLUMNS[name])

    def _rest(self) -> F32:
        """Bands that an element does not store are zero, as they are in training."""
        rest = np.zeros((self.count, (self.sh_degree + 1) ** 2 - 1, 3), np.float32)
        start = 0
        for rows in self.groups:
            end = start + rows.element.count
            names = _rest_names(rows)
            if len(names) and rows.element.count:
                stored = self._values(rows, names).reshape(end - start, 3, len(names) // 3)
                rest[start:end, :stored.shape[2]] = stored.transpose(0, 2, 1)
            start = end
        return rest

    def _values(self, rows: Rows, names: tuple[str, ...]) -> F32:
        """float32 [n, len(names)], as meant."""
        if self.codebook is None or names == MEANS:
            return _as_meant(rows, names)
        places = read_properties(rows, names, np.float64)
        out = np.empty(places.shape, np.float32)
        for column, book in enumerate(_books(names)):
            centers = _as_meant(self.codebook, (book,))[:, 0]
            if len(places) and not (places[:, column].min() >= 0 and places[:, column].max() < len(centers)):
                raise UnreadableFile(f"this PLY names places beyond its codebook; {FOREIGN}", rows.header.path)
            out[:, column] = centers[places[:, column].astype(np.intp)]
        return out


def is_grouped(path: Path, head: bytes) -> bool:
    """Whether the first bytes are those of a PLY with an element for each SH degree."""
    return path.suffix.lower() == ".ply" and re.search(rb"\nelement vertex_\d ", head) is not None


def look(path: Path) -> SplatFile:
    """What the header tells, and that the file holds all its rows. Raises UnreadableFile or RefusedFile."""
    header = read_header(path)
    names = sorted(element.name for element in header.elements if re.fullmatch(r"vertex_\d", element.name))
    groups = tuple(locate(header, name) for name in names)
    codebook = locate(header, CODEBOOK) if header.element(CODEBOOK) else None
    for rows in groups:
        _check(rows, codebook)
    read = ReadGrouped(groups, codebook)
    return SplatFile(
        path, "codebook PLY" if codebook else "grouped PLY", read.count, read.sh_degree, header.stamp, read, header.comments,
        (SAYS,), keeps_rows=False, antialiased=antialiased(header.comments),
    )


def _check(rows: Rows, codebook: Rows | None) -> None:
    """Every property and every codebook that reading will ask for must be declared."""
    needed = [*(name for group in STORED.values() for name in group), *_rest_names(rows)]
    absent = [name for name in needed if name not in rows.element.names]
    if codebook is not None:
        looked_up = tuple(name for name in needed if name not in MEANS)
        absent += [book for book in _books(looked_up) if book not in codebook.element.names]
    if len(_rest_names(rows)) not in DEGREE_OF_REST:
        absent.append("a whole number of SH bands")
    if absent:
        raise UnreadableFile(f"this PLY of reduced-3dgs lacks {', '.join(absent[:4])}; {FOREIGN}", rows.header.path)


def _rest_names(rows: Rows) -> tuple[str, ...]:
    return tuple(f"f_rest_{i}" for i in range(sum(name.startswith("f_rest_") for name in rows.element.names)))


def _degree(rows: Rows) -> int:
    return DEGREE_OF_REST[len(_rest_names(rows))]


def _books(names: tuple[str, ...]) -> Iterator[str]:
    """The codebook of each property; of f_rest all channels must be named, so that their number tells the coefficient."""
    bands = max(sum(name.startswith("f_rest_") for name in names) // 3, 1)
    for name in names:
        kind, _, number = name.rpartition("_")
        if kind == "f_rest":
            yield f"features_rest_{int(number) % bands}"
        elif kind == "rot":
            yield "rotation_re" if number == "0" else "rotation_im"
        else:
            yield BOOKS[kind or name]


def _as_meant(rows: Rows, names: tuple[str, ...]) -> F32:
    """float32 [n, len(names)]: numbers as stored, 2-byte integers as the half floats that they are."""
    values: Array = read_properties(rows, names)
    for column, name in enumerate(names):
        if any(p.name == name and p.code in ("i2", "u2") for p in rows.element.properties):
            with np.errstate(invalid="ignore"):  # a text may hold any number; whole ones below 2^16 are exact in float32
                values[:, column] = values[:, column].astype(np.int32).astype(np.uint16).view(np.float16)
    return values
