"""What the overfit probe should find."""

from tests.lab.probing.meant import Meant

# A start in a wide cube is not among them: what is in view of it still learns one photo, more slowly.
CANNOT = frozenset({"one-view-cannot-be-fitted"})
CONTRADICT = frozenset({"views-contradict-each-other"})
EITHER = CANNOT | CONTRADICT  # whichever comes first: a camera that sees nothing fits neither alone nor with others
MEANT = Meant("overfit", finds={
    **dict.fromkeys(("all-rates-too-low", "adam-epsilon-too-large", "cloud-elsewhere", "too-few-points",
                     "cameras-look-backwards", "world-too-small"), CANNOT),
    **dict.fromkeys(("poses-slightly-off", "poses-far-off", "few-poses-off", "photos-under-wrong-names", "exposure-drifts",
                     "white-balance-drifts", "principal-point-ignored"), CONTRADICT),
    "cameras-far-outside": EITHER,
})
