"""Facts about habits in which trainers differ: what their steps are measured by, whom they prune, what lies behind their renders.

Only what was read in a trainer's source is told of it; of every other the fact is missing, with the trainer's name.
"""

from typing import Any

from diagnostics.measures.backgrounds import BLACK, WHITE
from diagnostics.measures.generations import FAINT
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from runs.run import Run
from runs.settings import Settings

# Forks of INRIA's trainer that took over its optimiser and its loader of backgrounds.
OF_INRIA = frozenset({
    "inria", "taming", "absgs", "efa-gs", "pixel-gs", "fastgs", "lightgaussian", "speedy-splat", "3dgs-mcmc", "mip-splatting",
    "2dgs", "grendel", "yindaheng98", "truncgradgs",
})
# The rate of the means and the sizes at which is split and pruned are multiples of 1.1 x the largest distance of a camera from
# the mean. nerfstudio multiplies by nothing, LichtFeld Studio by the distance of points, Brush by the bounds of the splats.
BY_EXTENT = OF_INRIA | {"gsplat", "gsplat-2dgs", "3dgrut", "gs-lightning"}
# Prune below an opacity of 0.005, or above a tenth of the extent, and by nothing else. 2DGS prunes below 0.05, splatfacto below
# 0.1, the others of INRIA's family by scores of their own too.
PRUNES_PLAINLY = frozenset({"inria", "pixel-gs", "mip-splatting", "grendel", "gsplat", "gs-lightning", "deformable-3dgs"})
# Trainers whose numbers are not those of an optimiser's iterations: frames of a recording or of a simulation.
COUNTS_FRAMES = frozenset({"monogs", "splatam", "physgaussian"})
DOWNSCALES = {"splatfacto": (2, 3_000), "opensplat": (2, 3_000)}  # halvings at the start, iterations from one to the next
LEVEL = "LOD "  # how a save is labelled that is numbered by its level of detail
# Neither reads a folder masks/: gsplat masks only what a fisheye lens leaves black, 3DGRUT reads NAME_mask.png beside the photo.
WITHOUT_MASK_FOLDER = frozenset({"gsplat", "gsplat-2dgs", "3dgrut"})
BACKGROUND = "the colour behind this trainer's renders (random, or not stored)"


@fact(missing="what the trainer scales its steps by")
def scaled_by_extent(run: Run) -> bool | NotEvaluable:
    """The cameras' extent is part of the rate of the means and of every size threshold."""
    if run.trainer.name in BY_EXTENT:
        return True
    return NotEvaluable((f"whether the trainer ({run.trainer.name}) scales its steps by the cameras' extent",))


@fact(missing="how the trainer prunes")
def prunes_plainly(run: Run) -> bool | NotEvaluable:
    """Who is visible and not huge is never pruned: by the trainer's recipe and by the threshold that is set."""
    threshold = run.settings.value("opacity_cull")
    usual = not _is_number(threshold) or threshold < FAINT[0]
    if run.trainer.name in PRUNES_PLAINLY and usual:
        return True
    return NotEvaluable((f"a trainer that prunes by the reference's thresholds ({run.trainer.name} may not)",))


@fact(missing=BACKGROUND)
def trained_background(run: Run) -> str | None:
    """"black" or "white", where training laid its renders over one of them, and always the same."""
    settings = run.settings
    if settings.value("random_background") is True or settings.value("random_bkgd") is True:
        return None
    if run.trainer.name in OF_INRIA or isinstance(settings.value("white_background"), bool):
        return WHITE if settings.value("white_background") is True else BLACK
    if run.trainer.name == "gsplat" and settings.value("random_bkgd") is False:
        return BLACK
    named = (settings.value(name) for name in ("pipeline.model.background_color", "model.background.color"))
    return next((str(name) for name in named if name in (BLACK, WHITE)), None)


@fact(missing="iterations of an optimiser (these numbers count something else, or stand only in the names of files)")
def counts_iterations(run: Run) -> bool | None:
    """What saves are numbered by are iterations of this training."""
    numbered_otherwise = any((checkpoint.label or "").startswith(LEVEL) for checkpoint in run.checkpoints)
    return None if run.trainer.name in COUNTS_FRAMES or files_alone(run) or numbered_otherwise else True


def files_alone(run: Run) -> bool:
    """Splat files without a trainer's folder: they need not be of one training, and their numbers may be anything."""
    return run.trainer.confidence == 0


def full_size_from(run: Run) -> int:
    """First iteration that trains on pictures of full size; the loss and PSNR of earlier ones are those of smaller pictures."""
    halvings, every = (_ending(run.settings, name) for name in ("num_downscales", "resolution_schedule"))
    usual = DOWNSCALES.get(run.trainer.name, (0, 0))
    return (usual[0] if halvings is None else halvings) * (usual[1] if every is None else every)


def _ending(settings: Settings, last: str) -> int | None:
    found = (s.value for name, s in settings.items() if name.replace("-", "_").rpartition(".")[2] == last)
    return next((int(value) for value in found if _is_number(value)), None)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
