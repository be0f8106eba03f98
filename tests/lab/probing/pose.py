"""What the pose probe should find."""

from tests.lab.probing.meant import Meant

POSES = frozenset({"wrong-camera-poses"})
LENS = frozenset({"intrinsics-do-not-fit-photos"})
MEANT = Meant("pose", finds={
    "poses-slightly-off": POSES, "poses-far-off": POSES, "few-poses-off": POSES, "photos-under-wrong-names": POSES,
    "focal-length-of-another-size": LENS, "principal-point-ignored": frozenset({"principal-point-ignored"}) | LENS,
})
