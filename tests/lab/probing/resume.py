"""What the resume probe is made to find in the lab."""

from tests.lab.probing.meant import Meant

LOST = frozenset({"optimiser-state-missing"})
MEANT = Meant("resume", finds={
    "resumed-without-moments": LOST, "resumed-without-schedule": LOST,
    "moments-of-another-count": frozenset({"resume-does-not-continue"}),
})
