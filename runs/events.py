"""Typed events of a training log: evaluations, densifications, saves, and every way in which a training dies."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

EventKind = Literal[
    "evaluation", "save", "checkpoint", "densify", "opacity_reset",
    "out_of_memory",  # of the GPU
    "wild_request",  # for more memory than any GPU has: numbers of a kernel that was built for another GPU or CUDA
    "out_of_host_memory", "killed", "disk_error",
    "illegal_access", "device_assert", "no_kernel", "nccl_error", "cuda_error",  # the last: any other of CUDA
    "invalid_gradient",  # fields: index, rows: of the gradient that was got
    "nan", "environment",  # the trainer could not even be loaded
    "traceback",  # any other exception
]

# After these a training has stopped, unless its log goes on.
ERRORS: frozenset[EventKind] = frozenset({
    "out_of_memory", "wild_request", "out_of_host_memory", "killed", "disk_error", "illegal_access", "device_assert", "no_kernel",
    "nccl_error", "cuda_error", "invalid_gradient", "environment", "traceback",
})


@dataclass(frozen=True)
class LogEvent:
    """One thing that happened, as the log tells it."""

    kind: EventKind
    iteration: int | None  # None: the log does not say when
    text: str  # the line(s) as written, at most 2,000 characters
    source: str  # "file:line"
    fields: Mapping[str, float] = field(default_factory=dict)  # e.g. requested_bytes, cloned, split, pruned
    frame: str = ""  # of a traceback: the deepest place in the trainer's own code, "train.py:216 in training"
