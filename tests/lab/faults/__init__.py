"""The faults of the lab by name, one file per family."""

from collections.abc import Mapping
from types import MappingProxyType

from tests.lab.faults import (
    continued,
    courses,
    crashes,
    files,
    growth,
    joined,
    losses,
    mcmc,
    memory,
    off_schedule,
    photos,
    poses,
    rates,
    saves,
    start,
    start_points,
)
from tests.lab.faults.fault import Fault

# A fault's place decides on which scenes it is tried: what is added stands at the end, so that the others keep theirs.
FAMILIES = (
    poses, start, rates, growth, losses, photos, continued, mcmc, files, start_points, off_schedule, memory, saves, courses,
    joined, crashes,
)
FAULTS: Mapping[str, Fault] = MappingProxyType({fault.name: fault for family in FAMILIES for fault in family.FAULTS})
