"""Faults of GPU memory that a small training can tell of: readings that leak, and deaths whose text names the cause."""

from dataclasses import replace
from functools import partial

from tests.lab.broken import memory
from tests.lab.faults.fault import Fault, codes
from tests.lab.plan import Plan

OTHER_MEMORY = codes("MF-01 MF-02 MF-03 MF-04 MF-05 MF-06 MF-07 N-15 N-16 N-32")


def _leaks(plan: Plan, per_iteration: float) -> Plan:
    return replace(plan, edit=partial(memory.memory_logged, leaked=per_iteration))


def _dies(plan: Plan, _: float, **amounts: str) -> Plan:
    return replace(plan, edit=partial(memory.died_of_memory, **amounts))


FAULTS = (
    Fault(
        "memory-leaks", "memory", _leaks, codes("MF-05"),
        "So many MiB are kept at each iteration. Until densification ends the growth hides that; afterwards it shows.",
        (3.0, 6.0, 4.0), wrong=OTHER_MEMORY - codes("MF-05"),
    ),
    Fault(
        "dies-of-fragmented-memory", "memory",
        partial(_dies, request="512.00 MiB", capacity="11.00 GiB", allocated="7.40 GiB", free="12.00 MiB", reserved="10.20 GiB"),
        codes("MF-02"), "2.8 GiB lie idle within PyTorch, and half a GiB was asked for.", wrong=OTHER_MEMORY - codes("MF-02"),
    ),
    Fault(
        "dies-of-the-list-of-tiles", "memory",
        partial(_dies, request="35.79 GiB", capacity="23.49 GiB", allocated="990.78 MiB", free="21.66 GiB", reserved="1.14 GiB"),
        codes("N-16"), "2d-gaussian-splatting#97 with the Gaussians of this training: megabytes for each in one request.",
        wrong=OTHER_MEMORY - codes("N-16"),
    ),
    Fault(
        "dies-of-memory-that-spilled", "memory",
        partial(_dies, request="42.00 MiB", capacity="24.00 GiB", allocated="53.19 GiB", free="0 bytes", reserved="53.57 GiB"),
        codes("N-32"), "gaussian-splatting#558 without its photos: more is allocated than the GPU has.",
        wrong=OTHER_MEMORY - codes("N-32"),
    ),
    Fault(
        "dies-of-other-programs", "memory",
        partial(_dies, request="26.00 MiB", capacity="23.79 GiB", allocated="1.10 GiB", free="8.38 MiB", reserved="1.20 GiB"),
        codes("MF-07"), "The training held 1.2 of 23.8 GiB, and others the rest.", wrong=OTHER_MEMORY - codes("MF-07"),
    ),
)
