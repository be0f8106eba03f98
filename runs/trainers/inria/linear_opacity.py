"""Opacities that were stored as such, 0..1, where logits are expected: Taming-3DGS from its `ho_iteration` on (15,000).

There the trainer replaces the logits by |sigmoid(o)|, which it no longer trains (its `modify_functions`).
No file names the iteration, so the values decide: trained logits are never all within 0..1, for a fresh Gaussian has -2.2.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from runs.arrays import F32, Array
from runs.errors import RunError
from runs.formats.ply import ReadPly
from runs.formats.ply.activated import FEWEST_ROWS, are_opacities, first_rows
from runs.formats.ply.body import read_properties
from runs.formats.splat_file import SplatFile
from runs.gaussians import Gaussians
from runs.notes import NoteBook

TAMING = "taming"
USUAL_START = 15_000  # Taming's default ho_iteration
LARGEST = 1 - 2.0**-24  # the largest float32 below 1; an opacity of 1 has no logit

Saved = tuple[int, SplatFile]  # iteration, file


def with_logits(saved: Sequence[Saved], *, taming: bool, book: NoteBook) -> tuple[list[Saved], bool]:
    """The saves, those with linear opacities read as logits, and whether there are any.

    They are the last ones, without a gap. Where the trainer is not known to be Taming's, only saves after its usual
    start are suspected. Each suspected file costs one look at its first rows.
    """
    ordered = sorted(saved, key=lambda pair: pair[0])
    first = len(ordered)
    while first and _is_linear(*ordered[first - 1], 0 if taming else USUAL_START):
        first -= 1
    linear = [(iteration, replace(file, read=ReadLinear(file.read))) for iteration, file in ordered[first:]]
    if linear:
        book.add(str(linear[0][1].path), f"stores opacities of 0..1 where logits are usual, as Taming-3DGS does from iteration "
                 f"{USUAL_START:,} on; from this save on they are converted, check them if another trainer wrote this run")
    return [*ordered[:first], *linear], bool(linear)


def _is_linear(iteration: int, file: SplatFile, start: int) -> bool:
    if iteration <= start or not isinstance(file.read, ReadPly) or file.count < FEWEST_ROWS:
        return False
    try:
        return are_opacities(read_properties(first_rows(file.read.header), ("opacity",)))
    except RunError:
        return False  # reading the file later says what is wrong


def logits(opacities: Array) -> F32:
    """float32 [N]: what sigmoid takes back to the opacities. Their sign has no meaning, as where they are drawn (`abs`)."""
    shown = np.clip(np.abs(opacities.astype(np.float64)), 0, LARGEST)
    with np.errstate(divide="ignore"):  # nothing at all: -inf
        return np.asarray(np.log(shown) - np.log1p(-shown), np.float32)


@dataclass(frozen=True)
class ReadLinear:
    """Reads Gaussians whose opacities were stored as such; equal to another one that would read the same unchanged file."""

    read: Callable[[], Gaussians]

    def __call__(self) -> Gaussians:
        """Raises UnreadableFile or RefusedFile."""
        return from_linear(self.read())


def from_linear(stored: Gaussians) -> Gaussians:
    """The same Gaussians, their stored opacities as logits."""
    kept: dict[str, F32] = {}

    def load(name: str) -> F32:
        if name != "logit_opacities":
            return stored.load(name)
        if name not in kept:
            kept[name] = logits(stored.logit_opacities)
        return kept[name]

    return Gaussians(stored.count, stored.sh_degree, load, stored.extra_names)
