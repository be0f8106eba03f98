"""Adam's memory in a checkpoint of LichtFeld Studio: as float32, or as 8-bit codes with one scale per splat.

It is the first part of what each strategy stores: magic, version, one byte that says whether it follows. Facts from
LichtFeld-Studio `src/training/optimizer/adam_optimizer.cpp`, `src/training/strategies/*.cpp`, `core/cuda/sh_layout.cuh`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from runs.advice import DAMAGED
from runs.arrays import F32, Array
from runs.checkpoints import AdamGroup
from runs.errors import UnreadableFile
from runs.formats.lichtfeld.resume import Resume, map_unchanged
from runs.formats.lichtfeld.tensors import Cursor, Place, values
from runs.storage import ensure

# Each begins with the optimiser, in every version that was read.
STRATEGIES: Mapping[int, str] = {0x4C464D43: "mcmc", 0x4C464252: "mrnf", 0x4C464947: "igs+", 0x4C464446: "default"}
MAGIC = 0x4C464144  # "LFAD"
FLOATS, CODES = 1, 2  # versions
MOST_GROUPS, LONGEST_NAME = 6, 16
ZERO = 128  # code of a first moment of zero
LANES = 32  # splats whose coefficients lie interleaved, four numbers at a time
# Name in the file -> INRIA's, which the product uses for every trainer.
GROUPS: Mapping[str, str] = {
    "means": "xyz", "sh0": "f_dc", "shN": "f_rest", "opacity": "opacity", "scaling": "scaling", "rotation": "rotation",
}


@dataclass(frozen=True, eq=False)
class Adam:
    """The optimiser's memory; `approximate`: dequantised from 8 bits."""

    groups: Mapping[str, AdamGroup]
    approximate: bool


def read_adam(resume: Resume) -> Adam | str:
    """Adam's memory of the rows that are drawn, or why it cannot be told. Raises UnreadableFile or RefusedFile."""
    start, size = resume.settings
    data = map_unchanged(resume.path, resume.stamp)
    cursor = Cursor(resume.path, data, resume.after_splats, start if size else len(data))
    strategy, _ = cursor.number("I"), cursor.number("I")
    if strategy not in STRATEGIES:
        return f"Adam's memory (the strategy {resume.strategy} stores it in a way not known here)"
    if not cursor.number("B"):
        return "Adam's memory (it was saved without)"
    magic, version = cursor.number("I"), cursor.number("I")
    if magic != MAGIC or version not in (FLOATS, CODES):
        return "Adam's memory (a newer version of LichtFeld Studio stores it in a way not known here)"
    return _Reader(resume, cursor, version == CODES).adam()


@dataclass(frozen=True, eq=False)
class _Reader:
    """Reads the groups one after the other."""

    resume: Resume
    cursor: Cursor
    coded: bool

    def adam(self) -> Adam:
        rate = self.cursor.real("f")
        _beta1, _beta2, eps = (self.cursor.real("d") for _ in range(3))
        self.cursor.take(4 + 8)  # how its buffers grow
        rates = {self.cursor.name(LONGEST_NAME): self.cursor.real("d") for _ in range(self._few())}
        groups = [self._group(rates, rate, eps) for _ in range(self._few())]
        return Adam({group.name: group for group in groups if group is not None}, self.coded)

    def _few(self) -> int:
        count = self.cursor.number("I")
        if count > MOST_GROUPS:
            raise UnreadableFile(f"the optimiser in this checkpoint claims {count:,} parameters; {DAMAGED}", self.resume.path)
        return count

    def _group(self, rates: Mapping[str, float], rate: float, eps: float) -> AdamGroup | None:
        """None for a group that is no parameter of a splat."""
        name = self.cursor.name(LONGEST_NAME)
        step = self.cursor.number("q")
        self.cursor.take(8 + 8)  # capacity and size of its buffers
        places = [self.cursor.tensor() for _ in range(4 if self.coded else 2)]
        if name not in GROUPS:
            return None
        first, second = self._moments(name, places)
        return AdamGroup(GROUPS[name], rates.get(name, rate), step, first, second, eps)

    def _moments(self, name: str, places: list[Place]) -> tuple[F32 | None, F32 | None]:
        """Both moments in the shape of the parameter; None where they do not fit it."""
        if name not in self.resume.tensors:
            return None, None
        shape = self.resume.tensors[name].shape
        stored = [self._rows(self._values(place), shape) for place in places[:2]]
        if not self.coded:
            return self._floats(stored[0]), self._floats(stored[1])
        scales = [self._values(place) for place in places[2:]]
        if any(scale.shape != shape[:1] or scale.dtype.kind != "f" for scale in scales):
            return None, None
        return self._signed(stored[0], scales[0]), self._squared(stored[1], scales[1])

    def _values(self, place: Place) -> Array:
        ensure(self.resume.path, place.offset, place.stop)
        return values(self.cursor.data, place)

    def _rows(self, stored: Array, shape: tuple[int, ...]) -> Array | None:
        """The moment in the shape of its parameter; coefficients of colour may be stored interleaved."""
        if stored.shape == shape:
            return stored
        return unwoven(stored, shape) if stored.ndim == 1 and len(shape) == 3 else None

    def _floats(self, rows: Array | None) -> F32 | None:
        return None if rows is None or rows.dtype.kind != "f" else np.asarray(self.resume.drawn(rows), np.float32)

    def _signed(self, codes: Array | None, scale: Array) -> F32 | None:
        """(code - 128) × scale."""
        if codes is None or codes.dtype != np.uint8:
            return None
        return self._scaled(self.resume.drawn(codes).astype(np.float32) - ZERO, scale)

    def _squared(self, codes: Array | None, scale: Array) -> F32 | None:
        """(code × scale)²: the square root of the second moment is what was coded."""
        if codes is None or codes.dtype != np.uint8:
            return None
        with np.errstate(over="ignore"):
            return self._scaled(self.resume.drawn(codes).astype(np.float32), scale) ** 2

    def _scaled(self, codes: F32, scale: Array) -> F32:
        """Codes [N, …] times the scale [rows] of their splat."""
        beside = np.asarray(self.resume.drawn(scale), np.float32).reshape(-1, *([1] * (codes.ndim - 1)))
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(codes * beside, np.float32)


def unwoven(stored: Array, shape: tuple[int, ...]) -> Array | None:
    """[N, K, 3] of coefficients stored as [⌈N/32⌉, ⌈3K/4⌉, 32, 4]; None where the length is another."""
    count, coefficients, channels = shape
    blocks, slots = -(-count // LANES), -(-coefficients * channels // 4)
    if len(stored) != blocks * slots * LANES * 4:
        return None
    rows = stored.reshape(blocks, slots, LANES, 4).transpose(0, 2, 1, 3).reshape(blocks * LANES, slots * 4)
    return rows[:count, : math.prod((coefficients, channels))].reshape(shape)
