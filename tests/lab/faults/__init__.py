"""The faults of the lab by name, one file per family."""

from collections.abc import Mapping
from types import MappingProxyType

from tests.lab.faults import continued, files, growth, losses, mcmc, photos, poses, rates, start
from tests.lab.faults.fault import Fault

FAMILIES = (poses, start, rates, growth, losses, photos, continued, mcmc, files)
FAULTS: Mapping[str, Fault] = MappingProxyType({fault.name: fault for family in FAMILIES for fault in family.FAULTS})
