"""The families of trainers whose folders can be opened; the first that recognises a folder reads it (formats.md C.2)."""

from runs.trainers import (
    brush,
    deformable,
    four_d,
    grendel,
    gsplat,
    inria,
    lichtfeld,
    loose,
    monogs,
    nerfbaselines,
    nerfstudio,
    opensplat,
    physgaussian,
    scaffold,
    splatam,
)
from runs.trainers.family import Family

TRAINERS: tuple[Family, ...] = (
    nerfbaselines.FAMILY,
    nerfstudio.FAMILY,
    gsplat.FAMILY,
    grendel.FAMILY,
    lichtfeld.FAMILY,
    scaffold.FAMILY,
    four_d.FAMILY,
    deformable.FAMILY,
    splatam.FAMILY,
    monogs.FAMILY,
    physgaussian.FAMILY,
    inria.FAMILY,
    brush.FAMILY,
    opensplat.FAMILY,
    lichtfeld.SPLATS_ALONE,
    loose.FAMILY,
)
