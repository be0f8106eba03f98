"""The fix trial settles no pattern: what it says about right fixes and about changes that cure nothing is tested by itself."""

from tests.lab.probing.meant import Meant

MEANT = Meant("fix-trial", finds={}, healthy=False)
