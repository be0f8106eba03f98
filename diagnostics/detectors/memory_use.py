"""Faults of GPU memory in use: leaks, memory that spills into the computer's, and a GPU that is nearly full."""

import numpy as np

from diagnostics.facts import memory as memory_facts  # noqa: F401  (the facts named below)
from diagnostics.facts.memory import TOLD, Capacity, MemoryTold
from diagnostics.measures.leaks import rises, steady_stretch
from diagnostics.memory.cause import Crash
from diagnostics.memory.fits import GIB
from diagnostics.memory.forecast import Course, crossing, peak
from diagnostics.memory.model import Setup, bytes_per_gaussian
from diagnostics.memory.sizes import MIB, size_text
from diagnostics.memory.telling import amounts, place_of, quotable, told_rows, when
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding, NotEvaluable
from diagnostics.wording import percent
from runs.series import Series


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
            f"{size_text(crash.allocated)} were allocated on a GPU of {size_text(crash.capacity)}{when(crash)}: the driver had "
            "moved the rest into the computer's own memory",
            evidence=(EvidenceRow("allocated over capacity", crash.spilled, spilled, "", crash.iteration, crash.source),
                      *told_rows(crash)),
            iterations=place_of(crash), facts=quotable(crash),
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
        f"Training allocates {size_text(most)} of the GPU's {size_text(gpu_capacity.bytes)} ({percent(share)}) "
        f"at iteration {at:,}",
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
        f"At {expected.count:,} Gaussians training is expected to allocate {size_text(expected.total)} of the GPU's "
        f"{size_text(capacity.bytes)}, which is passed at about iteration {at:,} (a forecast: {course.basis})",
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
    by_others = f"; {size_text(others)} of it by other programs or outside PyTorch" if others > GIB else ""
    return Finding(
        f"Out of GPU memory{when(crash)}{amounts(crash)}; {percent(min(1.0, crash.filled))} of the GPU was in use{by_others}",
        evidence=(EvidenceRow("in use over capacity", crash.filled, full, "share", crash.iteration, crash.source),
                  *told_rows(crash)),
        iterations=place_of(crash), confidence=0.6, severity="critical", facts=quotable(crash),
    )
