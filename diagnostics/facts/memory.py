"""Facts about GPU memory: what was logged of it, how the training ran out of it, and how large the GPU is."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from diagnostics.facts import cameras, logged, saved  # noqa: F401  (the facts named below)
from diagnostics.facts.logged import logged as series_of
from diagnostics.memory.cause import OVERFLOWED, Crash
from diagnostics.memory.forecast import Course, at
from diagnostics.memory.gpus import gpu_named
from diagnostics.memory.model import Setup
from diagnostics.memory.setup import course_of, setup_of
from diagnostics.memory.tiles import Footprint, widest
from diagnostics.registry import fact
from diagnostics.schedule import Schedule
from render.splats import prepare
from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.errors import RunError
from runs.events import LogEvent
from runs.formats.small_files import read_json
from runs.run import Run
from runs.series import Series

MIB = 2.0**20
TOLD = "the GPU memory in use (series vram), or the text of an out-of-memory error in the log"
MACHINE = "wandb/*/files/wandb-metadata.json"
GPU_NAMES = ("gpu", "gpu_name", "device_name")


@dataclass(frozen=True, eq=False)
class MemoryTold:
    """What the run tells about GPU memory: at least one of the two."""

    vram: Series | None  # peak of what is allocated, MiB
    crash: Crash | None  # the last out-of-memory error of the range


@dataclass(frozen=True)
class Capacity:
    """Memory of the GPU that trained."""

    bytes: float
    source: str


@fact(missing="how the trainer uses memory")
def memory_setup(run: Run) -> Setup:
    """Trainer, SH degree, optimiser and photos, as far as they are known."""
    return setup_of(run)


@fact(missing="series num_gaussians, or a saved point cloud")
def memory_course(run: Run) -> Course | None:
    """The count so far and as far as it can be carried on."""
    return course_of(run)


@fact(missing="series vram (peak of the GPU memory in use)")
def vram(run: Run, span: tuple[int, int]) -> Series | None:
    """MiB; at least one finite value."""
    found = series_of(run, span, "vram")
    return found if found is not None and np.isfinite(found.values).any() else None


@fact(missing="series iter_time or iter_rate (how long an iteration takes)")
def memory_step_time(run: Run, span: tuple[int, int]) -> Series | None:
    """Milliseconds per iteration, as logged or from iterations per second."""
    times, rates = series_of(run, span, "iter_time"), series_of(run, span, "iter_rate")
    if times is not None or rates is None:
        return times
    with np.errstate(divide="ignore", invalid="ignore"):
        return replace(rates, name="iter_time", values=np.where(rates.values > 0, 1000 / rates.values, np.nan), unit="ms")


@fact(missing="the text of an out-of-memory error in the log")
def memory_crash(
    run: Run, span: tuple[int, int], memory_setup: Setup, memory_course: Course | None = None, schedule: Schedule | None = None,
) -> Crash | None:
    """The last one of the range. An error after the last logged number belongs to a range that reaches that number."""
    last = max((*run.iterations, *(int(s.iterations[-1]) for s in run.series.values() if len(s))), default=0)
    found = [e for e in run.events if _out_of_memory(e) and _within(e.iteration, span, last)]
    return _crash(found[-1], memory_setup, memory_course, schedule) if found else None


@fact(missing=TOLD)
def memory_told(vram: Series | None = None, memory_crash: Crash | None = None) -> MemoryTold | None:
    return None if vram is None and memory_crash is None else MemoryTold(vram, memory_crash)


@fact(missing="the memory of the GPU that trained (the text of an out-of-memory error, or its name among the settings)")
def gpu_capacity(run: Run) -> Capacity | None:
    """As an error tells it, else by the name of the card."""
    told = [e for e in run.events if e.fields.get("capacity_bytes")]
    if told:
        return Capacity(told[-1].fields["capacity_bytes"], told[-1].source)
    for name in GPU_NAMES:
        setting = run.settings.get(name)
        gpu = gpu_named(setting.value) if setting is not None and isinstance(setting.value, str) else None
        if gpu is not None and setting is not None:
            return Capacity(gpu.bytes, f"{name} = {setting.value} ({gpu.source})")
    return _of_record(run)


def _of_record(run: Run) -> Capacity | None:
    """From what Weights & Biases keeps of the machine beside the run; newer versions in camel case, as text."""
    for path in sorted(run.path.glob(MACHINE)):
        told = _read(path)
        cards = (told.get("gpu_nvidia") or told.get("gpu_devices") or ()) if isinstance(told, dict) else ()
        for card in cards if isinstance(cards, list) else ():
            sizes = (card.get("memoryTotal"), card.get("memory_total")) if isinstance(card, dict) else ()
            size = next((float(s) for s in sizes if isinstance(s, (int, str)) and str(s).isdigit()), 0.0)
            if size > 0:
                return Capacity(size, path.name)
    return None


@fact(missing="the cameras, and a saved point cloud in the chosen range")
def tile_footprint(
    checkpoint: Checkpoint, train_cameras: tuple[Camera, ...], beat: Callable[[], None],
) -> Footprint | None:
    """Of the last checkpoint of the range, in the widest of a sample of its training views."""
    return widest(prepare(checkpoint.gaussians), train_cameras, beat)


def _read(path: Path) -> Any:
    """What the record holds; a damaged one tells nothing about the GPU."""
    try:
        return read_json(path)
    except RunError:
        return None


def _out_of_memory(event: LogEvent) -> bool:
    return event.kind == "out_of_memory" or bool(OVERFLOWED.search(event.text))


def _within(iteration: int | None, span: tuple[int, int], last: int) -> bool:
    return iteration is None or (iteration >= span[0] and (iteration <= span[1] or span[1] >= last))


def _crash(event: LogEvent, setup: Setup, course: Course | None, schedule: Schedule | None) -> Crash:
    told = event.fields
    count = None if course is None else at(course, min(event.iteration or course.known_until, course.known_until))
    first = schedule.densifications[0] if schedule is not None and schedule.densifications else _planned(schedule)
    return Crash(
        event.text, event.source, event.iteration, setup, told.get("requested_bytes"), told.get("capacity_bytes"),
        told.get("allocated_bytes"), told.get("reserved_bytes"), told.get("free_bytes"), count, event.frame, first,
    )


def _planned(schedule: Schedule | None) -> int | None:
    """The first densification of a plan, where the run died before it."""
    if schedule is None or schedule.densify_from is None or not schedule.densify_every:
        return None
    return (schedule.densify_from // schedule.densify_every + 1) * schedule.densify_every
