"""The families of trainers whose folders can be opened; the first that recognises a folder reads it."""

from runs.trainers import gsplat, inria, loose
from runs.trainers.family import Family

TRAINERS: tuple[Family, ...] = (inria.FAMILY, gsplat.FAMILY, loose.FAMILY)
