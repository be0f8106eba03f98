"""Moving scenes: Gaussians that a trainer stored once, and what moves them to a moment of the recording."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from runs.arrays import F32
from runs.gaussians import COLUMNS, Gaussians

ROWS = 8192  # evaluated at once: 8 MB for each layer of 256 numbers, whatever the size of the scene
# Their photos show one scene at many moments: no saved set of Gaussians looks like any of them.
MOVING_TRAINERS = frozenset({"deformable-3dgs", "4dgaussians"})


class Motion(Protocol):
    """Takes the Gaussians of one checkpoint to any moment of its scene; equal to another one of the same unchanged files."""

    @property
    def span(self) -> tuple[float, float]:
        """First and last moment, in the trainer's own unit (usually 0 and 1)."""
        ...

    def at(self, canonical: Gaussians, time: float) -> Gaussians:
        """Those Gaussians, row by row, at `time` within `span`. Raises UnreadableFile or RefusedFile."""
        ...


def chunks(count: int) -> Iterator[slice]:
    """Rows that are evaluated together, so that memory does not grow with the scene."""
    return (slice(start, min(start + ROWS, count)) for start in range(0, count, ROWS))


def moved(canonical: Gaussians, columns: Mapping[str, F32]) -> Gaussians:
    """The same Gaussians with some columns at their moment; the others are read from the canonical set."""
    own = {*COLUMNS, "sh_rest"}

    def load(name: str) -> F32:
        if name in columns:
            return columns[name]
        kept: F32 = getattr(canonical, name) if name in own else canonical.extra(name)
        return kept

    return Gaussians(canonical.count, canonical.sh_degree, load, canonical.extra_names)
