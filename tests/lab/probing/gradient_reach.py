"""What the gradient-reach probe should find."""

from diagnostics.probes.bench import Wish
from tests.lab.probing.meant import Meant

FOUND = frozenset({"gradients-do-not-reach"})
MEANT = Meant("gradient-reach", finds=dict.fromkeys(
    ("start-in-a-wide-cube", "cloud-of-another-scale", "cloud-elsewhere", "cameras-look-backwards", "poses-inverted",
     "world-too-small"), FOUND),
    wish=Wish(steps=40, seeds=2))  # the trial decides no finding
