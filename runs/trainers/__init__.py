"""The families of trainers whose folders can be opened; the first that recognises a folder reads it (formats.md C.2)."""

from runs.trainers import deformable, four_d, gsplat, inria, loose
from runs.trainers.family import Family

TRAINERS: tuple[Family, ...] = (
    gsplat.FAMILY,
    four_d.FAMILY,
    deformable.FAMILY,
    inria.FAMILY,
    loose.FAMILY,
)
