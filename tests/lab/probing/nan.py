"""What the nan probe is made to find in the lab.

Its trainer is sound, so that NaN which a broken step put into a training does not come again: there the answer stays open.
"""

from tests.lab.probing.meant import Meant

MEANT = Meant("nan", finds={
    "illegal-access-after-infinite-scales": frozenset({"non-finite-rows"}),
    "zero-quaternions-exported": frozenset({"zero-quaternions"}),
})
