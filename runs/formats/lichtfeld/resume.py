"""`checkpoint.resume` of LichtFeld Studio, by its documented header: splats, settings, and what a resume would start from.

header 40 B | strategy name | SplatData | strategy: magic, version, optimiser | … | settings as JSON

Between the optimiser and the settings lies what depends on the strategy and version; it is passed over by the header's
offset. Facts from LichtFeld-Studio `src/core/include/core/checkpoint_format.hpp` and `src/core/splat_data.cpp` (2026-07).
"""

import json
import mmap
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from runs.advice import DAMAGED, FOREIGN, UNFINISHED
from runs.arrays import F32, Array, Mask
from runs.errors import RefusedFile, UnreadableFile
from runs.formats.lichtfeld.tensors import Cursor, Place, values
from runs.formats.small_files import MIB, unreadable
from runs.formats.splat_file import SplatFile, Stamp
from runs.gaussians import Gaussians
from runs.storage import ensure

MAGIC = b"PKFL"  # 0x4C464B50, little endian: it begins as a zip does
HEADER = struct.Struct("<IIiIiIQQ")  # magic, version, iteration, splats, SH degree, flags, place and size of the settings
VERSIONS = range(1, 5)
SPLATS, SPLATS_VERSION = 0x4C465350, 3  # "LFSP"
LONGEST_STRATEGY = 64  # bytes
LARGEST_SETTINGS = 16 * MIB
REST = (0, 3, 8, 15, 24)  # coefficients beside the first, by SH degree
# Stored tensor -> shape after [N]; shN only above degree 0.
STORED: Mapping[str, tuple[int, ...]] = {"means": (3,), "sh0": (1, 3), "scaling": (3,), "rotation": (4,), "opacity": (1,)}
COLUMNS = {"means": "means", "sh0": "sh0", "log_scales": "scaling", "quats_wxyz": "rotation", "logit_opacities": "opacity",
           "sh_rest": "shN"}
DELETED, DENSIFICATION = "deleted", "densification_info"
NEWER = "was written by a version of LichtFeld Studio that stores it in a way not known here; export its splats as PLY"


@dataclass(frozen=True)
class Resume:
    """What the header and the descriptions of the tensors tell. Two looks at the same unchanged file are equal."""

    path: Path
    stamp: Stamp
    version: int
    iteration: int  # iterations done
    rows: int  # with those that were deleted and wait for reuse
    sh_degree: int  # 0..4, stored
    active_sh_degree: int
    scene_scale: float  # world units, median distance of the first points from their centre; scales the positions' learning rate
    flags: int
    strategy: str  # "mcmc", "mrnf", "igs+", …
    tensors: Mapping[str, Place] = field(hash=False)
    after_splats: int  # byte at which the strategy's part begins
    settings: tuple[int, int]  # first byte and size

    def values(self, name: str) -> Array:
        """A stored tensor, mapped, read-only. Raises UnreadableFile if the file has changed since."""
        place = self.tensors[name]
        ensure(self.path, place.offset, place.stop)
        return values(map_unchanged(self.path, self.stamp), place)

    @cached_property
    def deleted(self) -> Mask:
        """bool [rows]: deleted in the editor, or pruned and waiting for reuse; such rows are never drawn or exported."""
        if DELETED not in self.tensors:
            return np.zeros(self.rows, bool)
        return np.asarray(self.values(DELETED) != 0)

    @property
    def count(self) -> int:
        """Rows that are drawn."""
        return self.rows - int(np.count_nonzero(self.deleted))

    def drawn(self, rows: Array) -> Array:
        """Of `rows` [rows, …] those that are drawn; the same array where none was deleted."""
        return rows[~self.deleted] if self.deleted.any() else rows

    def column(self, name: str) -> F32:
        """float32, one column of `Gaussians`, of the rows that are drawn."""
        stored = COLUMNS[name]
        if stored not in self.tensors:
            return np.zeros((self.count, 0, 3), np.float32)
        kept = np.array(self.drawn(self.values(stored)), np.float32)
        shape = {"sh0": (3,), "logit_opacities": ()}.get(name, kept.shape[1:])
        return kept.reshape(len(kept), *shape)


def map_unchanged(path: Path, stamp: Stamp) -> Array:
    """uint8, the whole file, mapped. Raises UnreadableFile if it is not the one that was looked at."""
    try:
        with path.open("rb") as file:
            if Stamp.of(os.fstat(file.fileno())) != stamp:
                raise UnreadableFile("this checkpoint has changed since it was opened; open the run again", path)
            return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    except OSError as error:
        raise unreadable(error, path) from error
    except ValueError as error:  # an empty file cannot be mapped
        raise UnreadableFile(f"this checkpoint is empty; {UNFINISHED}", path) from error


def read_resume(path: Path) -> Resume:
    """The header and where everything lies. Raises UnreadableFile, or RefusedFile for one that claims impossible sizes."""
    try:
        stamp = Stamp.of(path.stat())
    except OSError as error:
        raise unreadable(error, path) from error
    data = map_unchanged(path, stamp)
    cursor = Cursor(path, data, 0, len(data))
    magic, version, iteration, rows, degree, flags, start, size = HEADER.unpack(cursor.take(HEADER.size))
    if struct.pack("<I", magic) != MAGIC:
        raise UnreadableFile(f"this is no checkpoint of LichtFeld Studio (it does not begin as one); {FOREIGN}", path)
    if version not in VERSIONS:
        raise UnreadableFile(f"this checkpoint (version {version}) {NEWER}", path)
    _check_settings(path, start, size, len(data))
    cursor.end = start if size else len(data)
    strategy = cursor.name(LONGEST_STRATEGY)
    active, stored, scale, tensors = _splats(cursor)
    if iteration < 0 or stored != degree or tensors["means"].shape[0] != rows:
        raise UnreadableFile(f"the header of this checkpoint does not fit its splats; {DAMAGED}", path)
    return Resume(
        path, stamp, version, iteration, rows, degree, active, scale, flags, strategy, tensors, cursor.at, (start, size),
    )


def _check_settings(path: Path, start: int, size: int, end: int) -> None:
    """The header is written once more at the end of saving, with the place of the settings."""
    if size == 0 and start == 0:
        raise UnreadableFile(f"this checkpoint is not whole; {UNFINISHED}", path)
    if size > LARGEST_SETTINGS or not HEADER.size <= start <= end or size > end - start:
        raise RefusedFile(f"this checkpoint claims {size:,} bytes of settings where it has none; {DAMAGED}", path)


def _splats(cursor: Cursor) -> tuple[int, int, float, dict[str, Place]]:
    """Active and stored SH degree, scene scale, and where the tensors lie."""
    magic, version = cursor.number("I"), cursor.number("I")
    if magic == SPLATS and version != SPLATS_VERSION:
        raise UnreadableFile(f"this checkpoint {NEWER}", cursor.path)
    active, degree, scale = cursor.number("i"), cursor.number("i"), cursor.real("f")
    if magic != SPLATS or not 0 <= active <= degree < len(REST):
        raise UnreadableFile(f"this checkpoint holds no splats where they belong; {DAMAGED}", cursor.path)
    names = [*STORED, *(["shN"] if degree else [])]
    tensors = {name: cursor.tensor() for name in names}
    _check_shapes(tensors, degree, cursor.path)
    rows = tensors["means"].shape[0]
    for name, shapes in ((DELETED, {(rows,)}), (DENSIFICATION, {(0,), (rows,), (2, rows)})):
        if cursor.number("B"):
            place = cursor.tensor()
            if place.shape not in shapes or (name == DELETED and place.dtype not in ("?", "u1")):
                raise UnreadableFile(f"this checkpoint holds a {name} of another shape than its splats; {DAMAGED}", cursor.path)
            if 0 not in place.shape or rows == 0:
                tensors[name] = place
    return active, degree, scale, tensors


def _check_shapes(tensors: Mapping[str, Place], degree: int, path: Path) -> None:
    rows = tensors["means"].shape[:1]
    expected = {**STORED, "shN": (REST[degree], 3)}
    for name, place in tensors.items():
        if place.dtype != "<f4" or place.shape != (*rows, *expected[name]):
            raise UnreadableFile(f"this checkpoint holds {name} of another shape than LichtFeld Studio saves; {DAMAGED}", path)


def read_settings(resume: Resume) -> Mapping[str, Any]:
    """The stored JSON: "optimization", "dataset", …. Raises UnreadableFile."""
    start, size = resume.settings
    ensure(resume.path, start, start + size)
    text = map_unchanged(resume.path, resume.stamp)[start:start + size].tobytes()
    try:
        stored = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"the settings in this checkpoint are no complete JSON; {DAMAGED}", resume.path) from error
    if not isinstance(stored, dict):
        raise UnreadableFile(f"the settings in this checkpoint are no JSON object; {DAMAGED}", resume.path)
    return stored


@dataclass(frozen=True)
class ReadResume:
    """Reads the Gaussians that are drawn; equal to another one if that would read the same unchanged file."""

    resume: Resume

    def __call__(self) -> Gaussians:
        """Columns are read on first use, and raise UnreadableFile if the file has changed since."""
        return Gaussians(self.resume.count, self.resume.sh_degree, self.resume.column)


def look(path: Path) -> SplatFile:
    """The checkpoint as a file of splats. Raises UnreadableFile or RefusedFile."""
    resume = read_resume(path)
    gone = resume.rows - resume.count
    notes = (f"holds {gone:,} deleted splats of {resume.rows:,}, which wait for reuse and are left out",) if gone else ()
    return SplatFile(
        path, "LichtFeld checkpoint", resume.count, resume.sh_degree, resume.stamp, ReadResume(resume), notes=notes,
        iteration=resume.iteration, keeps_rows=not gone,
    )


def is_resume(_path: Path, head: bytes) -> bool:
    """By the first bytes, before it is taken for a zip."""
    return head.startswith(MAGIC)

