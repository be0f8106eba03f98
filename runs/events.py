"""Typed events of a training log: evaluations, resets, out-of-memory texts, tracebacks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

EventKind = Literal[
    "evaluation", "save", "checkpoint", "densify", "opacity_reset", "out_of_memory", "cuda_error", "traceback", "nan", "killed",
]


@dataclass(frozen=True)
class LogEvent:
    """One thing that happened, as the log tells it."""

    kind: EventKind
    iteration: int | None  # None: the log does not say when
    text: str  # the line(s) as written, at most 2,000 characters
    source: str  # "file:line"
    fields: Mapping[str, float] = field(default_factory=dict)  # e.g. requested_bytes, cloned, split, pruned
