"""Which properties of a PLY make which column of Gaussians, and the lazy reading of each column once."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock

import numpy as np
from numpy.typing import NDArray

from runs.arrays import F32, U8, U32
from runs.formats.ply.body import Rows, read_properties
from runs.formats.ply.far import FAR_AWAY, MEANS, NO_ORIGIN, far_origin
from runs.formats.ply.header import Element
from runs.formats.ply.kernels import gather_splats, gather_words
from runs.formats.ply.pieces import in_pieces
from runs.gaussians import COLUMNS

SH_C0 = 0.28209479177387814  # Y_0^0: colour = 0.5 + SH_C0 · sh0
FLAT_LOG_SCALE = np.float32(np.log(1e-6))  # the thickness other tools give to a 2DGS disc
DEGREE_OF_REST = {0: 0, 9: 1, 24: 2, 45: 3, 72: 4}  # number of f_rest properties -> SH degree

QUATS = ("rot_0", "rot_1", "rot_2", "rot_3")
SH0 = ("f_dc_0", "f_dc_1", "f_dc_2")
RGB = ("red", "green", "blue")
NORMALS = ("nx", "ny", "nz")  # written by habit, always zero
RESERVED = (*COLUMNS, "sh_rest")

TWO_SCALES = "stores two scales per splat as 2DGS does, the third is shown as 1e-6 world units; measure no thickness on it"
EXPORT_SH = "export 9, 24, 45 or 72 of f_rest to see colour that depends on the view"


@dataclass(frozen=True)
class SplatHeader:
    """What the header of a splat file tells; no row was read."""

    path: Path
    count: int
    sh_degree: int  # 0..4, from the number of f_rest properties
    size_bytes: int
    extra_names: tuple[str, ...]  # properties beside the usual ones
    comments: tuple[str, ...]
    notes: tuple[str, ...]  # reservations, one sentence each
    rows: Rows = field(repr=False)
    columns: Mapping[str, tuple[str, ...]] = field(repr=False)  # column -> stored properties, in our order
    origin: tuple[float, ...] = NO_ORIGIN  # subtracted from x, y, z before they are cut to float32


def splat_header(rows: Rows) -> SplatHeader:
    """Sort the properties of `rows` into columns; they must hold x, y, z, opacity, two scales, rot_0..3 and a colour."""
    vertex, header = rows.element, rows.header
    columns, notes = _columns(vertex)
    used = {name for names in columns.values() for name in names}
    extra = tuple(name for name in vertex.names if name not in used and name not in (*NORMALS, *RESERVED))
    degree = DEGREE_OF_REST[len(columns["sh_rest"])]
    origin = far_origin(rows)
    if origin != NO_ORIGIN:
        notes += (FAR_AWAY.format(", ".join(f"{at:,.0f}" for at in origin)),)
    return SplatHeader(
        header.path, vertex.count, degree, header.stamp.size_bytes, extra, header.comments, notes, rows, columns, origin,
    )


def full_scale(code: str) -> float:
    """The stored value that means full brightness: integers use their range, floats 0..1."""
    return 1.0 if code[0] == "f" else float(np.iinfo(np.dtype(code)).max)


def _columns(vertex: Element) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """Which stored properties make which column, and reservations about them."""
    notes = []
    scales = tuple(name for name in ("scale_0", "scale_1", "scale_2") if name in vertex.names)
    if len(scales) == 2:
        notes.append(TWO_SCALES)
    rest = tuple(sorted((n for n in vertex.names if re.fullmatch(r"f_rest_\d+", n)), key=lambda name: int(name[7:])))
    if len(rest) not in DEGREE_OF_REST:
        notes.append(f"has {len(rest)} f_rest properties, which fits no SH degree; {EXPORT_SH}")
        rest = ()
    colour = SH0 if set(SH0) <= set(vertex.names) else RGB
    if colour is RGB:
        notes.append(f"stores red, green, blue, which are shown as the base colour; {EXPORT_SH}")
    columns = {"means": MEANS, "log_scales": scales, "sh0": colour, "quats_wxyz": QUATS, "logit_opacities": ("opacity",),
               "sh_rest": rest}
    return columns, tuple(notes)


class Columns:
    """Reads the columns of one file once each; the five that every view needs come in one pass over the file.

    Whoever asks for SH first gets all six in that pass.
    """

    def __init__(self, header: SplatHeader) -> None:
        self._header = header
        self._read: dict[str, F32] = {}
        self._lock = RLock()

    def load(self, name: str) -> F32:
        """float32 [N, …] of a column of `Gaussians`; the same array each time."""
        with self._lock:
            if name not in self._read:
                self._read.update(self._fetch(name))
            return self._read[name]

    def _fetch(self, name: str) -> dict[str, F32]:
        if name in self._header.extra_names:
            return {name: read_properties(self._header.rows, (name,)).reshape(-1)}
        names = {column: self._header.columns[column] for column in COLUMNS}
        fast = self._is_fast([n for group in names.values() for n in group])
        if name == "sh_rest" and ("means" in self._read or not fast or not self._is_fast(self._rest_names)):
            return {name: self._sh_rest()}
        stored = self._splats(with_rest=name == "sh_rest") if fast else self._any_splats(names)
        return {column: self._finish(column, values) for column, values in stored.items()}

    def _is_fast(self, names: Sequence[str]) -> bool:
        """Whether the kernels can read these properties: binary, and all stored as 4-byte floats."""
        codes = {p.code for p in self._header.rows.element.properties if p.name in set(names)}
        return codes == {"f4"} and not self._header.rows.is_text and self._header.count > 0

    def _offsets(self, names: Sequence[str]) -> NDArray[np.uint64]:
        starts = self._header.rows.element.starts
        return np.array([starts[name] for name in names], np.uint64)

    def _splats(self, *, with_rest: bool) -> dict[str, F32]:
        """The five columns by the fast kernel, and SH in the same pass if asked for.

        A missing third scale is filled with another and overwritten later.
        """
        count, stored = self._header.count, self._header.columns
        three_scales = (*stored["log_scales"], "scale_0")[:3]
        offsets = self._offsets((*MEANS, *three_scales, *stored["sh0"], *QUATS, "opacity"))
        out: dict[str, U32] = {name: np.empty((count, *shape), np.uint32) for name, shape in COLUMNS.items()}
        ordered = [out[name] for name in ("means", "log_scales", "sh0", "quats_wxyz", "logit_opacities")]
        if not with_rest:
            in_pieces(self._header.rows, lambda rows, first: gather_splats(rows, offsets, first, *ordered))
            return {name: self._floats(words) for name, words in out.items()}
        rest, rest_offsets = np.empty((count, len(self._rest_names)), np.uint32), self._offsets(self._rest_names)

        def gather(rows: U8, first: int) -> None:
            gather_splats(rows, offsets, first, *ordered)
            gather_words(rows, rest_offsets, first, rest)

        in_pieces(self._header.rows, gather)
        return {name: self._floats(words) for name, words in (*out.items(), ("sh_rest", rest))}

    def _any_splats(self, names: Mapping[str, Sequence[str]]) -> dict[str, F32]:
        """The five columns from any stored type or text, in one pass."""
        table = read_properties(self._header.rows, [name for group in names.values() for name in group])
        ends = np.cumsum([len(group) for group in names.values()])[:-1]
        found = {column: np.ascontiguousarray(part) for column, part in zip(names, np.split(table, ends, axis=1), strict=True)}
        if self._header.origin != NO_ORIGIN:
            exact = read_properties(self._header.rows, MEANS, np.float64) - np.array(self._header.origin)
            with np.errstate(over="ignore"):
                found["means"] = np.asarray(exact, np.float32)
        return found

    @property
    def _rest_names(self) -> list[str]:
        """Stored channel by channel (all red, all green, all blue); ours is [N, K-1, 3]."""
        return list(np.reshape(self._header.columns["sh_rest"], (3, -1)).T.ravel().tolist())

    def _sh_rest(self) -> F32:
        """float32 [N, K-1, 3]"""
        names = self._rest_names
        if self._is_fast(names):
            words, offsets = np.empty((self._header.count, len(names)), np.uint32), self._offsets(names)
            in_pieces(self._header.rows, lambda rows, first: gather_words(rows, offsets, first, words))
            values = self._floats(words)
        else:
            values = read_properties(self._header.rows, names)
        return self._finish("sh_rest", values)

    def _floats(self, words: U32) -> F32:
        """Words in the order of the file as numbers."""
        if self._header.rows.header.order == ">":
            words.byteswap(inplace=True)
        return words.view(np.float32)

    def _finish(self, name: str, values: F32) -> F32:
        """Our shape and meaning for a column as it was stored."""
        stored = self._header.columns[name]
        if name == "sh_rest":
            return values.reshape(self._header.count, len(stored) // 3, 3)
        if name == "logit_opacities":
            return values.reshape(-1)
        if name == "log_scales" and len(stored) == 2:
            return np.hstack([values[:, :2], np.full((len(values), 1), FLAT_LOG_SCALE)])
        if name == "sh0" and stored == RGB:
            codes = {p.name: p.code for p in self._header.rows.element.properties}
            return np.asarray((values / np.float32(full_scale(codes["red"])) - 0.5) / SH_C0, np.float32)
        return values
