"""Fixes that are known to be right, one per fault; what cures nothing is tested by itself, and healthy runs have no fix."""

from diagnostics.probes.answer import Result
from diagnostics.probes.bench import Wish
from tests.lab.probing.meant import Meant

# Fault -> the finding and the number of its fix that undoes the fault.
RIGHT = {
    "all-rates-too-low": ("OF-02", 3), "cameras-far-outside": ("N-01", 1), "cap-below-start": ("N-37", 1),
    "colour-rate-too-high": ("OF-01", 1), "densification-window-is-empty": ("N-24", 1), "few-poses-off": ("IF-04", 2),
    "focal-length-wrong": ("N-04", 2), "opacity-rate-too-high": ("OF-01", 1), "opacity-regulariser-too-strong": ("OF-06", 1),
    "position-rate-too-low": ("OF-02", 1), "principal-point-ignored": ("N-03", 2), "rotation-rate-too-high": ("OF-01", 1),
    "scale-rate-too-high": ("OF-01", 1), "scale-regulariser-too-strong": ("OF-06", 1), "start-in-a-wide-cube": ("TG-03", 1),
    "start-without-colours": ("N-30", 1),
}


def validates(result: Result, _: frozenset[str]) -> bool:
    """Whether the trial says that the fix helps."""
    return any(each.helped is True for each in result.answer.tried)


MEANT = Meant(
    "fix-trial", finds=dict.fromkeys(RIGHT, frozenset[str]()), healthy=False, hit=validates,
    wishes={fault: Wish(finding=code, fix=number) for fault, (code, number) in RIGHT.items()},
)
