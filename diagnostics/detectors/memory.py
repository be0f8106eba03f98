"""Deaths by lack of GPU memory: what filled it, by the text of the error, the count and the photos."""

from diagnostics.facts import memory as memory_facts  # noqa: F401  (the facts named below)
from diagnostics.facts.memory import MemoryTold
from diagnostics.memory.cause import Crash, expected_bytes
from diagnostics.memory.fits import GIB
from diagnostics.memory.model import fixed_bytes
from diagnostics.memory.sizes import size_text
from diagnostics.memory.telling import amount_row, amounts, place_of, quotable, told_rows, when
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, NotEvaluable
from diagnostics.wording import percent


@detects("oom-at-first-densification")
def dies_at_first_densification(memory_told: MemoryTold, *, lag: int = 10) -> Finding | NotEvaluable | None:
    """The memory was used up by the time of the first densification, and by nothing that has a name of its own."""
    crash = memory_told.crash
    if crash is None or crash.cause not in (None, "densification", "gaussians"):
        return None
    if crash.iteration is None or crash.first_densification is None:
        return NotEvaluable(("the iteration of the out-of-memory error, and when densification begins (settings)",))
    if crash.iteration > crash.first_densification + lag:
        return None
    before = crash.iteration < crash.first_densification - lag
    return Finding(
        f"Out of GPU memory at iteration {crash.iteration:,}, {'before' if before else 'at'} the first densification "
        f"({crash.first_densification:,}){amounts(crash)}",
        evidence=(EvidenceRow("iteration of the error", crash.iteration, crash.first_densification + lag, "", crash.iteration,
                              crash.source), *told_rows(crash)),
        iterations=(crash.iteration, crash.iteration), confidence=0.8, facts=quotable(crash),
        cause="" if not before else "The Gaussians of the start, the photos and what a step works in are too large together.",
    )


@detects("densification-memory-spike")
def spikes_at_densification(memory_told: MemoryTold, *, lag: int = 10) -> Finding | None:
    """The error came out of the code that adds Gaussians, after the first densification."""
    crash = memory_told.crash
    if crash is None or crash.cause != "densification":
        return None
    if crash.iteration is not None and crash.first_densification and crash.iteration <= crash.first_densification + lag:
        return None
    return Finding(
        f"Out of GPU memory while Gaussians were being added or removed{when(crash)}{amounts(crash)}",
        evidence=(*told_rows(crash), amount_row(crash, "largest group of parameters (higher SH colours)", _largest_group(crash))),
        iterations=place_of(crash), confidence=0.8, facts=quotable(crash),
    )


@detects("memory-fragmented")
def is_fragmented(memory_told: MemoryTold, *, scattered: float = 1.1) -> Finding | None:
    """PyTorch holds enough for the request, and not in one piece."""
    crash = memory_told.crash
    if crash is None or crash.cause != "fragments" or crash.scattered is None or crash.scattered < scattered:
        return None
    unused = (crash.reserved or 0) - (crash.allocated or 0)
    return Finding(
        f"PyTorch holds {size_text(unused)} that no tensor uses, more than the {size_text(crash.requested)} that were asked for"
        f"{when(crash)}, but not in one piece",
        evidence=(EvidenceRow("reserved over allocated memory", crash.scattered, scattered, "", crash.iteration, crash.source),
                  *told_rows(crash)),
        iterations=place_of(crash), confidence=0.8, facts=quotable(crash),
    )


@detects("optimiser-state-too-large")
def optimiser_fills(memory_told: MemoryTold, *, share: float = 0.5) -> Finding | NotEvaluable | None:
    """Parameters, gradients and Adam's moments of the Gaussians are the bulk of what was held."""
    crash = memory_told.crash
    if crash is None or crash.cause not in (None, "gaussians"):
        return None
    if crash.gaussians_share is None:
        return NotEvaluable(("how much was allocated (the text of the error), and the number of Gaussians",))
    if crash.gaussians_share < share or crash.count is None:
        return None
    each = fixed_bytes(crash.setup.sh_degree, crash.setup.optimiser)
    return Finding(
        f"{crash.count:,} Gaussians hold {size_text(each * crash.count)} in parameters, gradients and optimiser "
        f"({each:,} bytes each), {percent(crash.gaussians_share)} of what the training held when it ran out of GPU memory"
        f"{when(crash)}",
        evidence=(EvidenceRow("share of parameters, gradients and optimiser", crash.gaussians_share, share, "share",
                              crash.iteration, crash.source),
                  amount_row(crash, "expected of all Gaussians by the model", expected_bytes(crash)), *told_rows(crash)),
        iterations=place_of(crash), confidence=0.8, facts=quotable(crash) | {"each": each},
    )


@detects("images-fill-the-gpu")
def photos_fill(memory_told: MemoryTold, *, share: float = 0.5) -> Finding | NotEvaluable | None:
    """The photos that the trainer keeps on the GPU are the bulk of what was allocated when memory ran out."""
    crash = memory_told.crash
    if crash is None or crash.cause not in (None, "photos", "spill", "gaussians", "densification"):
        return None
    photos = crash.setup.photos
    if crash.photos_share is None:
        kept_off = photos.count and not photos.bytes
        return None if kept_off else NotEvaluable(
            ("how many photos of which size the trainer keeps on the GPU (cameras and settings), and how much was allocated",))
    if crash.photos_share < share:
        return None
    return Finding(
        f"{photos.count:,} photos take {size_text(photos.bytes)} of GPU memory ({photos.bytes_per_pixel} bytes per pixel), "
        f"{percent(min(1.0, crash.photos_share))} of what was held when it ran out{when(crash)}",
        evidence=(EvidenceRow("photos over what was held", crash.photos_share, share, "share", crash.iteration, crash.source),
                  amount_row(crash, "photos on the GPU", photos.bytes), *told_rows(crash)),
        iterations=place_of(crash), confidence=0.9, facts=quotable(crash) | {"photos_gib": photos.bytes / GIB},
    )


def _largest_group(crash: Crash) -> float | None:
    """Bytes of the higher colour terms of all Gaussians: one group is copied at a time (derived from the torch.cat)."""
    return None if crash.count is None else crash.count * 12.0 * ((crash.setup.sh_degree + 1) ** 2 - 1)
