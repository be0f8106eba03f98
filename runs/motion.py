"""Moving scenes: Gaussians that a trainer stored once, and what moves them to a moment of the recording."""

from typing import Protocol

from runs.gaussians import Gaussians


class Motion(Protocol):
    """Takes the Gaussians of one checkpoint to any moment of its scene."""

    span: tuple[float, float]  # first and last moment, in the trainer's own unit (usually 0 and 1)

    def at(self, canonical: Gaussians, time: float) -> Gaussians:
        """Those Gaussians, row by row, at `time` within `span`. Raises UnreadableFile or RefusedFile."""
        ...
