"""Why a training ran out of GPU memory, as far as the text of the error, the count and the photos tell."""

import re
from dataclasses import dataclass
from typing import Literal

from diagnostics.memory.model import Setup, bytes_per_gaussian, fixed_bytes

Cause = Literal["buffer", "spill", "pairs", "fragments", "photos", "densification", "gaussians"]

# Signs, from the most specific to the least; each number has its reason in the catalogue, where the pattern is.
BUFFER_BYTES = 2.0**31  # one buffer, or one signed 32-bit index
IN_USE = 0.8  # share of the capacity: below, a request that would fit was refused by a limit and not for lack of memory
PAIRS_PER_GAUSSIAN = 16 * 1024.0  # bytes requested in one piece, per Gaussian
PAIRS_LEAST = 2.0**31  # bytes of that request: a smaller one may be a picture
SCATTERED = 1.1  # reserved over allocated
HALF = 0.5  # share of what is in use that one kind of data must hold to be called the bulk
OVERFLOWED = re.compile(r"BufferTooBig|Storage size calculation overflowed")
DENSIFIES = re.compile(
    r"densif|cat_tensors|prune_optimizer|prune_points|replace_tensor|\bduplicate\b|\bsample_add\b|\brelocate|_grow_gs|_prune_gs|refinement_after|strategy/ops",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Crash:
    """One out-of-memory error; amounts in bytes, None where the text does not say."""

    text: str
    source: str  # "file:line"
    iteration: int | None
    setup: Setup
    requested: float | None = None
    capacity: float | None = None
    allocated: float | None = None
    reserved: float | None = None
    free: float | None = None
    count: int | None = None  # Gaussians at that time
    frame: str = ""
    first_densification: int | None = None

    @property
    def in_use(self) -> float | None:
        """What the training held of the GPU, never more than the GPU has."""
        held = self.allocated if self.allocated is not None else self.capacity
        return held if held is None or self.capacity is None else min(held, self.capacity)

    @property
    def filled(self) -> float | None:
        """Share of the capacity that was taken, by whomever; more than 1 where it spilled into the computer's memory."""
        if not self.capacity:
            return None
        if self.allocated is not None and self.allocated > self.capacity:
            return self.allocated / self.capacity
        return None if self.free is None else 1 - self.free / self.capacity

    @property
    def spilled(self) -> float | None:
        """Allocated over capacity."""
        return None if self.allocated is None or not self.capacity else self.allocated / self.capacity

    @property
    def requested_per_gaussian(self) -> float | None:
        return None if self.requested is None or not self.count else self.requested / self.count

    @property
    def scattered(self) -> float | None:
        """Reserved over allocated, where the unused part would have held the request; else None."""
        if self.reserved is None or not self.allocated or self.requested is None:
            return None
        return self.reserved / self.allocated if self.reserved - self.allocated >= self.requested else None

    @property
    def photos_share(self) -> float | None:
        """Bytes of photos over what was held; of a training that spilled, over all that was allocated."""
        held = self.allocated if self.allocated is not None else self.capacity
        return None if not held or not self.setup.photos.bytes else self.setup.photos.bytes / held

    @property
    def gaussians_share(self) -> float | None:
        """Parameters, gradients and optimiser of the Gaussians over what was held."""
        if not self.in_use or self.count is None:
            return None
        return self.count * fixed_bytes(self.setup.sh_degree, self.setup.optimiser) / self.in_use

    @property
    def densifying(self) -> bool:
        """The error came out of code that adds or removes Gaussians."""
        return bool(DENSIFIES.search(self.frame) or DENSIFIES.search(self.text))

    @property
    def cause(self) -> Cause | None:
        """The most specific sign; None where the text, the count and the photos do not tell."""
        signs: tuple[tuple[Cause, bool], ...] = (
            ("buffer", self._hits_a_limit()), ("spill", self.spilled is not None and self.spilled > 1),
            ("pairs", self._wants_pairs()), ("fragments", (self.scattered or 0) >= SCATTERED),
            ("photos", (self.photos_share or 0) >= HALF), ("densification", self.densifying),
            ("gaussians", (self.gaussians_share or 0) >= HALF),
        )
        return next((cause for cause, found in signs if found), None)

    def _hits_a_limit(self) -> bool:
        if OVERFLOWED.search(self.text):
            return True
        room = self.free if self.free is not None else None
        return (self.requested is not None and self.requested >= BUFFER_BYTES and room is not None and self.requested <= room
                and self.filled is not None and self.filled < IN_USE)

    def _wants_pairs(self) -> bool:
        """No tensor of the model is that large per Gaussian, or larger than the whole GPU that held the training until then."""
        if self.requested_per_gaussian is not None:
            return self.requested_per_gaussian > PAIRS_PER_GAUSSIAN and (self.requested or 0) > PAIRS_LEAST
        beyond = self.requested is not None and self.capacity is not None and self.requested > self.capacity
        return beyond and self.allocated is not None and self.allocated < HALF * (self.capacity or 0)


def expected_bytes(crash: Crash) -> float | None:
    """What the model gives all Gaussians of that time."""
    return None if crash.count is None else crash.count * bytes_per_gaussian(crash.setup)
