"""What the exposure probe should find."""

from tests.lab.probing.meant import Meant

FOUND = frozenset({"exposure-varies"})
MEANT = Meant("exposure", finds={"exposure-drifts": FOUND, "white-balance-drifts": FOUND})
