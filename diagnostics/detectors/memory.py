"""Faults of GPU memory: what filled it when a training died of it, and what fills it while a training goes on."""

import numpy as np

from diagnostics.facts import memory as memory_facts  # noqa: F401  (the facts named below)
from diagnostics.facts.memory import TOLD, Capacity, MemoryTold
from diagnostics.measures.leaks import rises, steady_stretch
from diagnostics.memory.cause import Crash, expected_bytes
from diagnostics.memory.fits import GIB
from diagnostics.memory.forecast import Course, crossing, peak
from diagnostics.memory.model import Setup, bytes_per_gaussian, fixed_bytes
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, NotEvaluable
from diagnostics.wording import percent
from runs.series import Series

MIB = 2.0**20


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
        f"({crash.first_densification:,}){_amounts(crash)}",
        evidence=(EvidenceRow("iteration of the error", crash.iteration, crash.first_densification + lag, "", crash.iteration,
                              crash.source), *_told(crash)),
        iterations=(crash.iteration, crash.iteration), confidence=0.8, facts=_facts(crash),
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
        f"Out of GPU memory while Gaussians were being added or removed{_when(crash)}{_amounts(crash)}",
        evidence=(*_told(crash), _row(crash, "largest group of parameters (higher SH colours)", _largest_group(crash))),
        iterations=_place(crash), confidence=0.8, facts=_facts(crash),
    )


@detects("memory-fragmented")
def is_fragmented(memory_told: MemoryTold, *, scattered: float = 1.1) -> Finding | None:
    """PyTorch holds enough for the request, and not in one piece."""
    crash = memory_told.crash
    if crash is None or crash.cause != "fragments" or crash.scattered is None or crash.scattered < scattered:
        return None
    unused = (crash.reserved or 0) - (crash.allocated or 0)
    return Finding(
        f"PyTorch holds {_gib(unused)} of the GPU that no tensor uses, more than the {_gib(crash.requested)} that were asked for"
        f"{_when(crash)}, but not in one piece",
        evidence=(EvidenceRow("reserved over allocated memory", crash.scattered, scattered, "", crash.iteration, crash.source),
                  *_told(crash)),
        iterations=_place(crash), confidence=0.8, facts=_facts(crash),
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
        f"{crash.count:,} Gaussians hold {_gib(each * crash.count)} in parameters, gradients and optimiser "
        f"({each:,} bytes each), {percent(crash.gaussians_share)} of what the training held when it ran out of GPU memory"
        f"{_when(crash)}",
        evidence=(EvidenceRow("share of parameters, gradients and optimiser", crash.gaussians_share, share, "share",
                              crash.iteration, crash.source),
                  _row(crash, "expected of all Gaussians by the model", expected_bytes(crash)), *_told(crash)),
        iterations=_place(crash), confidence=0.8, facts=_facts(crash) | {"each": each},
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
        f"{photos.count:,} photos take {_gib(photos.bytes)} of GPU memory ({photos.bytes_per_pixel} bytes per pixel), "
        f"{percent(min(1.0, crash.photos_share))} of what was held when it ran out{_when(crash)}",
        evidence=(EvidenceRow("photos over what was held", crash.photos_share, share, "share", crash.iteration, crash.source),
                  _row(crash, "photos on the GPU", photos.bytes), *_told(crash)),
        iterations=_place(crash), confidence=0.9, facts=_facts(crash) | {"photos_gib": photos.bytes / GIB},
    )


@detects("memory-spilled-to-host")
def spills(
    memory_told: MemoryTold, memory_step_time: Series | None = None, counts: Series | None = None,
    gpu_capacity: Capacity | None = None,
    *, spilled: float = 1.0, slower: float = 10.0, full: float = 0.95, growth: float = 0.1,
) -> Finding | None:
    """More is allocated than the GPU has; or one interval turns ten times slower while the GPU is full and the count stands."""
    crash = memory_told.crash
    if crash is not None and crash.spilled is not None and crash.spilled > spilled:
        return Finding(
            f"{_gib(crash.allocated)} were allocated on a GPU of {_gib(crash.capacity)}{_when(crash)}: the driver had moved "
            "the rest into the computer's own memory",
            evidence=(EvidenceRow("allocated over capacity", crash.spilled, spilled, "", crash.iteration, crash.source),
                      *_told(crash)),
            iterations=_place(crash), facts=_facts(crash),
        )
    if memory_told.vram is None or gpu_capacity is None or memory_step_time is None or len(memory_step_time) < 2:
        return None
    return _slowed(memory_told.vram, memory_step_time, counts, gpu_capacity, slower, full, growth)


@detects("gpu-memory-nearly-full")
def is_nearly_full(
    gpu_capacity: Capacity, memory_setup: Setup, memory_told: MemoryTold | None = None, memory_course: Course | None = None,
    *, full: float = 0.9,
) -> Finding | NotEvaluable | None:
    """The monitor of the GPU's memory, the last word on an error whose cause no other sign tells, and a look ahead."""
    crash, vram = (None, None) if memory_told is None else (memory_told.crash, memory_told.vram)
    if crash is not None:
        return _unexplained(crash, full) if crash.cause is None else None
    logged = None if vram is None else _nearly_full(vram, gpu_capacity, full)
    if logged is None and memory_course is not None:
        return _will_be_full(memory_setup, memory_course, gpu_capacity)
    return logged if vram is not None else NotEvaluable((TOLD,))


def _nearly_full(vram: Series, gpu_capacity: Capacity, full: float) -> Finding | None:
    index = int(np.nanargmax(vram.values))
    most, at = float(vram.values[index]) * MIB, int(vram.iterations[index])
    share = most / gpu_capacity.bytes
    if not share > full:
        return None
    return Finding(
        f"Training allocates {_gib(most)} of the GPU's {_gib(gpu_capacity.bytes)} ({percent(share)}) at iteration {at:,}",
        evidence=(EvidenceRow("allocated over capacity", share, full, "share", at, vram.source),
                  EvidenceRow("capacity", gpu_capacity.bytes / GIB, None, "GiB", None, gpu_capacity.source)),
        iterations=(at, at), severity="minor", facts={"capacity": gpu_capacity.bytes / GIB},
    )


@detects("memory-leak")
def leaks(
    vram: Series, counts: Series, memory_setup: Setup,
    *, values: int = 12, rise_mib: float = 256.0, share: float = 0.1, evenness: float = 0.5, steady: float = 0.01,
) -> Finding | NotEvaluable | None:
    """Memory goes on rising evenly where the count stands still: what the model's line does not explain must be flat."""
    stretch = steady_stretch(counts, vram, steady, values)
    if stretch is None:
        return NotEvaluable((f"at least {values} values of GPU memory (series vram) over a stretch with a steady count",))
    explained = bytes_per_gaussian(memory_setup) / MIB * np.interp(stretch.iterations, counts.iterations, counts.values)
    quarters = rises(stretch.values - explained)
    total, level = float(quarters.sum()), float(stretch.values[0])
    if not (total > rise_mib and total > share * level and quarters.min() > evenness * total / len(quarters)):
        return None
    first, last = int(stretch.iterations[0]), int(stretch.iterations[-1])
    each = total / (0.75 * (last - first)) * 1000
    return Finding(
        f"GPU memory rose by {total:,.0f} MiB from iteration {first:,} to {last:,}, evenly, while the count stood still "
        f"(about {each:,.0f} MiB per 1,000 iterations)",
        evidence=(EvidenceRow("rise that the count does not explain", total, rise_mib, "MiB", last, vram.source),
                  EvidenceRow("the same over the level at the start", total / level, share, "share", first, vram.source),
                  EvidenceRow("slowest quarter over the mean of them", float(quarters.min()) * len(quarters) / total, evenness,
                              "", last, vram.source)),
        iterations=(first, last), confidence=0.8, facts={"rise": round(total)},
    )


def _will_be_full(setup: Setup, course: Course, capacity: Capacity) -> Finding | None:
    """A forecast, and no more: only where this trainer was measured, and only of counts that are still to come."""
    at = crossing(setup, course, capacity.bytes).surely
    if setup.measured.fit is None or at is None or at <= course.known_until:
        return None
    expected = peak(setup, course)
    return Finding(
        f"At {expected.count:,} Gaussians training is expected to allocate {_gib(expected.total)} of the GPU's "
        f"{_gib(capacity.bytes)}, which is passed at about iteration {at:,} (a forecast: {course.basis})",
        evidence=(EvidenceRow("expected at the peak", expected.gib, capacity.bytes / GIB, "GiB", at, capacity.source),
                  EvidenceRow("count that is expected", expected.count, None, "count", int(course.iterations[-1]), course.basis)),
        iterations=(course.known_until, course.known_until), severity="info", confidence=0.5,
        facts={"capacity": capacity.bytes / GIB},
    )


def _slowed(
    vram: Series, times: Series, counts: Series | None, capacity: Capacity, slower: float, full: float, growth: float,
) -> Finding | None:
    ratio = times.values[1:] / np.where(times.values[:-1] > 0, times.values[:-1], np.nan)
    index = int(np.nanargmax(ratio)) if np.isfinite(ratio).any() else 0
    before, after = int(times.iterations[index]), int(times.iterations[index + 1])
    held = float(np.interp(after, vram.iterations, vram.values)) * MIB / capacity.bytes
    grown = 1.0 if counts is None else float(np.divide(*np.interp([after, before], counts.iterations, counts.values))) - 1
    if not (ratio[index] > slower and held > full and grown < growth):
        return None
    return Finding(
        f"An iteration takes {ratio[index]:.0f} times as long from {before:,} to {after:,}, with {percent(held)} of the GPU's "
        f"memory in use and {percent(max(0.0, grown))} more Gaussians: the driver moves memory between the GPU and the computer",
        evidence=(EvidenceRow("time of an iteration over the one before", float(ratio[index]), slower, "", after, times.source),
                  EvidenceRow("allocated over capacity", held, full, "share", after, vram.source),
                  EvidenceRow("growth of the count", grown, growth, "share", after, counts.source if counts else "")),
        iterations=(before, after), confidence=0.7, facts={"capacity": capacity.bytes / GIB},
    )


def _unexplained(crash: Crash, full: float) -> Finding | NotEvaluable:
    if crash.filled is None:
        return NotEvaluable(("how much of the GPU's memory was in use (the error's text gives no amounts)",))
    others = (crash.filled * (crash.capacity or 0)) - (crash.reserved or crash.allocated or 0)
    by_others = f"; {_gib(others)} of it by other programs or outside PyTorch" if others > GIB else ""
    return Finding(
        f"Out of GPU memory{_when(crash)}{_amounts(crash)}; {percent(min(1.0, crash.filled))} of the GPU was in use{by_others}",
        evidence=(EvidenceRow("in use over capacity", crash.filled, full, "share", crash.iteration, crash.source), *_told(crash)),
        iterations=_place(crash), confidence=0.6, severity="critical", facts=_facts(crash),
    )


def _told(crash: Crash) -> tuple[EvidenceRow, ...]:
    """The amounts of the error's text."""
    amounts = (("requested", crash.requested), ("allocated", crash.allocated), ("reserved", crash.reserved),
               ("capacity", crash.capacity))
    return tuple(_row(crash, what, amount) for what, amount in amounts)


def _row(crash: Crash, what: str, amount: float | None) -> EvidenceRow:
    return EvidenceRow(what, None if amount is None else amount / GIB, None, "GiB", crash.iteration, crash.source)


def _facts(crash: Crash) -> dict[str, object]:
    return {"count": crash.count, "capacity": None if crash.capacity is None else crash.capacity / GIB}


def _place(crash: Crash) -> tuple[int, int] | None:
    return None if crash.iteration is None else (crash.iteration, crash.iteration)


def _when(crash: Crash) -> str:
    return "" if crash.iteration is None else f" at iteration {crash.iteration:,}"


def _amounts(crash: Crash) -> str:
    if crash.requested is None:
        return ""
    held = "" if crash.allocated is None else f" with {_gib(crash.allocated)} allocated"
    return f": {_gib(crash.requested)} were asked for{held}" + ("" if crash.capacity is None else f" of {_gib(crash.capacity)}")


def _largest_group(crash: Crash) -> float | None:
    """Bytes of the higher colour terms of all Gaussians: one group is copied at a time (science: F.4, derived)."""
    return None if crash.count is None else crash.count * 12.0 * ((crash.setup.sh_degree + 1) ** 2 - 1)


def _gib(amount: float | None) -> str:
    if amount is None:
        return "an unknown amount"
    return f"{amount / GIB:,.2f} GiB" if amount >= 0.1 * GIB else f"{amount / MIB:,.0f} MiB"
