"""Facts about errors in logs: which one came first, what followed from it, and whether the training went on."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from diagnostics.facts import logged, states  # noqa: F401  (count_series, planned_iterations)
from diagnostics.registry import fact
from runs.events import ERRORS, EventKind, LogEvent
from runs.run import Run
from runs.series import Series

LOG = "a text log of the training (what the terminal showed, e.g. train.log, in the run's folder)"
# Errors that other errors end in: the other one, if it stands in the same breath, is the cause.
ENDS_OF_OTHERS: frozenset[EventKind] = frozenset({"nccl_error", "traceback", "killed"})
SLACK = 100  # iterations: bars are printed every ten, tables are flushed late; what comes later was trained after the error
UNFINISHED = 0.99
STOPPED_BY_HAND = "KeyboardInterrupt"
# Words of PyTorch and NumPy about sizes that do not fit.
ABOUT_SHAPES = (
    "must match the size of tensor", "shapes cannot be multiplied", "shape mismatch", "could not be broadcast",
    "size mismatch for", "is invalid for input of size", "must match the existing size", "does not match the shape",
    "Sizes of tensors must match",
)


@dataclass(frozen=True, eq=False)
class Failure:
    """One error of a log with everything that came of it."""

    event: LogEvent  # the cause
    others: tuple[LogEvent, ...]  # errors in the same breath, before any sign of training: follow-on, or ends of the same
    goes_on: bool  # the training did: by the same log, by other logs or by later saves

    @property
    def file(self) -> str:
        return place_of(self.event)[0]

    @property
    def line(self) -> int:
        return place_of(self.event)[1]

    @property
    def says(self) -> str:
        """The last line of what was printed: of a traceback it names the error."""
        return self.event.text.strip().splitlines()[-1].strip() if self.event.text.strip() else ""


@fact(missing=LOG)
def failures(run: Run, span: tuple[int, int], planned_iterations: int | None = None) -> tuple[Failure, ...] | None:
    """Errors of the range and of no told iteration, in the order of the logs; none where a log tells of other events only."""
    if not run.events:
        return None
    last = _last_trained(run)
    found = (_failure(breath, later, last, planned_iterations) for breath, later in _breaths(run.events))
    return tuple(f for f in found if f.event.iteration is None or span[0] <= f.event.iteration <= span[1])


@dataclass(frozen=True, eq=False)
class Remaining:
    """How many Gaussians were there at the end."""

    count: int
    iteration: int | None  # from which on there were no more
    before: int | None  # the most there were before; None where nothing tells
    source: str
    failure: Failure | None = None  # the error that says so


@fact(missing="series num_gaussians, a saved point cloud, or a text log of the training")
def remaining(
    run: Run, span: tuple[int, int], count_series: Series | None = None, failures: tuple[Failure, ...] | None = None,
) -> Remaining | None:
    """By a gradient without rows in the log, else by the logged and saved counts of the range."""
    saved = [(c.iteration, c.count, f"{c.path.parent.name}/{c.path.name}") for c in run.checkpoints
             if span[0] <= c.iteration <= span[1]]
    known = [] if count_series is None else [
        (int(i), int(n), count_series.source) for i, n in zip(count_series.iterations, count_series.values, strict=True)
        if np.isfinite(n)]
    counts = sorted([*saved, *known])
    empty = next((f for f in failures or () if f.event.kind == "invalid_gradient" and f.event.fields.get("rows") == 0
                  and not f.goes_on), None)
    if empty is not None:
        return Remaining(0, empty.event.iteration, max((n for _, n, _ in counts), default=None), empty.file, empty)
    if not counts:
        return None
    _, count, source = counts[-1]
    more = [(i, n) for i, n, _ in counts if n > count]
    since = min(i for i, _, _ in counts if not more or i > more[-1][0])
    return Remaining(count, since, max((n for _, n in more), default=None), source)


def place_of(event: LogEvent) -> tuple[str, int]:
    """File and line of an event; line 0 where it names none."""
    file, _, line = event.source.rpartition(":")
    return (file, int(line)) if file and line.isdecimal() else (event.source, 0)


def final(failures: Iterable[Failure], kinds: Collection[EventKind]) -> Failure | None:
    """The last failure of these kinds after which nothing was trained; None where there is none."""
    ended = [failure for failure in failures if failure.event.kind in kinds and not failure.goes_on]
    return ended[-1] if ended else None


def _breaths(events: Iterable[LogEvent]) -> Iterator[tuple[list[LogEvent], list[LogEvent]]]:
    """Errors of one file with no other event and no other iteration between them, and the events of the file after them."""
    ordered = sorted(events, key=place_of)
    for _, in_file in groupby(ordered, key=lambda event: place_of(event)[0]):
        lines = list(in_file)
        for start, breath in _runs_of_errors(lines):
            yield breath, lines[start + len(breath):]


def _runs_of_errors(lines: list[LogEvent]) -> Iterator[tuple[int, list[LogEvent]]]:
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and _is_error(lines[end]) and lines[end].iteration == lines[start].iteration:
            end += 1
        if end > start:
            yield start, lines[start:end]
        start = max(end, start + 1)


def _is_error(event: LogEvent) -> bool:
    return event.kind in ERRORS and STOPPED_BY_HAND not in event.text[-200:]


def _failure(breath: list[LogEvent], later: list[LogEvent], last: int, planned: int | None) -> Failure:
    cause = next((event for event in breath if event.kind not in ENDS_OF_OTHERS), breath[0])
    others = tuple(event for event in breath if event is not cause)
    went_on = any(event.kind not in ERRORS for event in later)
    if cause.iteration is None:  # before the first line that tells one; then what was trained was trained by another start
        finished = planned is None or last >= UNFINISHED * planned
        return Failure(cause, others, went_on or (last > 0 and finished))
    return Failure(cause, others, went_on or last > cause.iteration + SLACK)


def _last_trained(run: Run) -> int:
    """The last iteration of which anything was logged or saved; 0 where nothing was."""
    ends = [int(series.iterations[-1]) for name, series in run.series.items() if len(series) and name != "opacity_reset"]
    return max((*ends, *run.iterations, *(state.iteration for state in run.state_files)), default=0)
