"""The families of trainers whose folders can be opened; the first that recognises a folder reads it (formats.md C.2)."""

from runs.trainers import nerfbaselines, opensplat, physgaussian, spirulae, splat_trainer
from runs.trainers.brush import folder as brush
from runs.trainers.grut import folder as grut
from runs.trainers.gsplat import driving as gsplat_av
from runs.trainers.gsplat import folder as gsplat
from runs.trainers.inria import folder as inria
from runs.trainers.inria import grendel, scaffold
from runs.trainers.lichtfeld import folder as lichtfeld
from runs.trainers.lightning import folder as lightning
from runs.trainers.loose import files as loose
from runs.trainers.moving import deformable, four_d
from runs.trainers.nerfstudio import folder as nerfstudio
from runs.trainers.shared.family import Family
from runs.trainers.slam import monogs, splatam

TRAINERS: tuple[Family, ...] = (
    nerfbaselines.FAMILY,
    nerfstudio.FAMILY,
    spirulae.FAMILY,
    gsplat_av.FAMILY,
    gsplat.FAMILY,
    grut.FAMILY,
    grendel.FAMILY,
    lightning.FAMILY,
    splat_trainer.FAMILY,
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
