"""The families of trainers whose folders can be opened; the first that recognises a folder reads it."""

from runs.trainers.brush.folder import FAMILY as BRUSH
from runs.trainers.grut.folder import FAMILY as GRUT
from runs.trainers.gsplat.driving import FAMILY as GSPLAT_DRIVING
from runs.trainers.gsplat.folder import FAMILY as GSPLAT
from runs.trainers.inria.folder import FAMILY as INRIA
from runs.trainers.inria.grendel import FAMILY as GRENDEL
from runs.trainers.inria.scaffold import FAMILY as SCAFFOLD
from runs.trainers.lichtfeld.folder import FAMILY as LICHTFELD
from runs.trainers.lichtfeld.folder import SPLATS_ALONE as LICHTFELD_SPLATS
from runs.trainers.lightning.folder import FAMILY as LIGHTNING
from runs.trainers.loose.files import FAMILY as LOOSE
from runs.trainers.moving.deformable import FAMILY as DEFORMABLE
from runs.trainers.moving.four_d import FAMILY as FOUR_D
from runs.trainers.nerfbaselines import FAMILY as NERFBASELINES
from runs.trainers.nerfstudio.folder import FAMILY as NERFSTUDIO
from runs.trainers.opensplat import FAMILY as OPENSPLAT
from runs.trainers.physgaussian import FAMILY as PHYSGAUSSIAN
from runs.trainers.shared.family import Family
from runs.trainers.slam.monogs import FAMILY as MONOGS
from runs.trainers.slam.splatam import FAMILY as SPLATAM
from runs.trainers.spirulae import FAMILY as SPIRULAE
from runs.trainers.splat_trainer import FAMILY as SPLAT_TRAINER

TRAINERS: tuple[Family, ...] = (
    NERFBASELINES,
    NERFSTUDIO,
    SPIRULAE,
    GSPLAT_DRIVING,
    GSPLAT,
    GRUT,
    GRENDEL,
    LIGHTNING,
    SPLAT_TRAINER,
    LICHTFELD,
    SCAFFOLD,
    FOUR_D,
    DEFORMABLE,
    SPLATAM,
    MONOGS,
    PHYSGAUSSIAN,
    INRIA,
    BRUSH,
    OPENSPLAT,
    LICHTFELD_SPLATS,
    LOOSE,
)
