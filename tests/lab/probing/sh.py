"""What the SH probe should find: nothing that the lab holds.

Trainings with three or four views learn their harmonics by heart and lose nothing by it on held-out views: up to 4 dB on the
ones, within 0.1 dB on the others. Their fall has other reasons, and the probe must not claim it.
"""

from tests.lab.probing.meant import Meant

MEANT = Meant("sh", finds={})
