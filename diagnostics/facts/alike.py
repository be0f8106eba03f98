"""Whether what is drawn and compared here is what the trainer drew and compared: all that renders or asks photos goes through it.

Pictures are drawn here as INRIA's rasteriser draws them: splats projected to ellipses, each widened by 0.3 px², centres at the
pinhole camera's pixels. What a trainer drew in another way was never optimised to look right so.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from diagnostics.facts import cameras as camera_facts
from diagnostics.facts import registration, saved  # noqa: F401  (checkpoint, colmap_model, lens_told)
from diagnostics.facts.moving import moves
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from runs.cameras import Camera
from runs.checkpoints import Checkpoint
from runs.formats.cameras.colmap import ColmapModel
from runs.formats.ply.columns import FLAT_LOG_SCALE
from runs.run import Run
from runs.settings import Setting, Settings
from runs.trainers.gsplat.saved import APPEARANCE, POST_PROCESSED

OTHER_RENDERERS: Mapping[str, str] = {
    "2dgs": "2DGS draws flat discs, hit by the ray of each pixel",
    "gsplat-2dgs": "gsplat's 2DGS trainer draws flat discs, hit by the ray of each pixel",
    "mip-splatting": "Mip-Splatting widens splats by 0.1 px² and keeps their opacity",
    "3dgrut": "3DGRUT takes its particles along the ray of each pixel",
    "spirulae-splat": "how spirulae-splat draws is not known here",
    "splat-trainer": "how splat-trainer draws is not known here",
}
KEEPS_OPACITY = "it was trained with a filter that keeps the opacity of widened splats ({})"
UNTOLD_MODE = "Brush draws with or without a filter that keeps opacity, and this file does not say which"
FLAT = "its splats are flat discs"
RAYS, LENS = "it takes splats along the rays of pixels ({})", "it draws through another lens than a pinhole ({})"
# Last parts of the names of settings, in whichever trainer; each is a switch.
FILTERS = frozenset({"antialiased", "anti_aliased", "antialiasing", "mip_filter", "mip_splatting"})
ALONG_RAYS = frozenset({"gut", "with_ut", "with_eval3d"})
CORRECTIONS = frozenset({
    "app_opt", "use_bilateral_grid", "use_bilagrid", "bilateral_grid", "post_processing", "post_processing.method", "ppisp",
    "use_ppisp",
})
POSES = frozenset({"pose_opt", "pose_optimization", "optimize_poses", "camera_optimizer.mode"})
OFF = (None, False, 0, "", "off", "none", "null")
SLAM = frozenset({"monogs", "splatam"})
FLAT_LOG = FLAT_LOG_SCALE + 0.1  # one third scale for every splat, as small as that, is the filler of a reader or converter
DISTORTED_LENS = "its lens is distorted"  # what readers note of a data set whose photos a trainer undistorts, or draws through
AS_DRAWN = "pictures as this trainer drew them (here they are drawn as INRIA's rasteriser draws: {})"
AS_STORED = "views as the trainer compared them ({})"
STRAIGHT = "photos without the distortion of their lens (undistort them with COLMAP)"
ROUNDED = "a save with the training's own numbers (this format stores rounded values)"


@fact(missing="how the trainer drew")
def renders_alike(run: Run, checkpoint: Checkpoint | None = None) -> bool | NotEvaluable:
    """Whether the Gaussians of the last checkpoint of the range look, drawn here, as they did to their trainer."""
    if (why := moves(run)) is not None:
        return why
    why_not = _renderer(run) or _mode(run.settings) or (None if checkpoint is None else _kind(checkpoint))
    return True if why_not is None else NotEvaluable((AS_DRAWN.format(why_not),))


@fact(missing="how the trainer compared its views")
def views_as_stored(run: Run) -> bool | NotEvaluable:
    """Whether training used the cameras and colours that are stored, for every view: nothing was learned per view beside them."""
    found = _learned_per_view(run)
    return True if found is None else NotEvaluable((AS_STORED.format(found),))


@fact(missing=camera_facts.CAMERAS)
def undistorted(run: Run, cameras: tuple[Camera, ...], colmap_model: ColmapModel | None = None) -> bool | NotEvaluable:  # noqa: ARG001  (reading cameras notes their lens)
    """Whether the photos are those of pinhole cameras; photos of other lenses fit a drawing only near their middle."""
    bent = (colmap_model is not None and colmap_model.is_distorted) or any(
        note.says.startswith(DISTORTED_LENS) for note in run.notes)
    return NotEvaluable((STRAIGHT,)) if bent else True


@fact(missing="how the trainer compared its views")
def photos_alike(renders_alike: bool, views_as_stored: bool, undistorted: bool, lens_told: bool) -> bool:
    """Whether a picture drawn here may be held against its photo, or against a score that the trainer logged."""
    return renders_alike and views_as_stored and undistorted and lens_told


def is_rounded(checkpoint: Checkpoint) -> bool:
    """Whether its format stores rounded values: it looks like the trained model, and gives none of its exact numbers again.

    Of other files without their own rows, shards are exact, and so are checkpoints from which deleted rows were dropped.
    """
    return not checkpoint.keeps_rows and checkpoint.shards is None and checkpoint.path.suffix != ".resume"


def told(settings: Settings, names: frozenset[str]) -> Setting | None:
    """The first setting that is switched on and whose name ends in one of these, whatever parts stand before them."""
    return next((s for name, s in settings.items() if not _is_off(s.value) and _ends_in(name, names)), None)


def _is_off(value: Any) -> bool:
    return value in OFF or (isinstance(value, str) and value.lower() in OFF)


def _ends_in(name: str, names: frozenset[str]) -> bool:
    parts = name.replace("-", "_").split(".")
    return parts[-1] in names or ".".join(parts[-2:]) in names


def _renderer(run: Run) -> str | None:
    if run.trainer.name == "brush" and "antialiasing" not in run.settings and not _says_mode(run):
        return UNTOLD_MODE
    return OTHER_RENDERERS.get(run.trainer.name)


def _says_mode(run: Run) -> bool:
    return any(checkpoint.antialiased is not None for checkpoint in run.checkpoints)


def _mode(settings: Settings) -> str | None:
    found: tuple[tuple[str, Callable[[], Setting | None]], ...] = (
        (KEEPS_OPACITY, lambda: told(settings, FILTERS) or valued(settings, "rasterize_mode", ("classic",))),
        (RAYS, lambda: told(settings, ALONG_RAYS)),
        (LENS, lambda: valued(settings, "camera_model", ("pinhole",))),
    )
    return next((says.format(f"{s.name} = {s.value}") for says, find in found if (s := find()) is not None), None)


def valued(settings: Settings, last: str, usual: tuple[str, ...]) -> Setting | None:
    """A setting of this name that holds a word, and not a usual one."""
    setting = told(settings, frozenset({last}))
    return setting if setting is not None and isinstance(setting.value, str) and setting.value.lower() not in usual else None


def _kind(checkpoint: Checkpoint) -> str | None:
    if checkpoint.antialiased:
        return KEEPS_OPACITY.format(checkpoint.path.name)
    third = checkpoint.gaussians.log_scales[:, 2]
    return FLAT if len(third) > 1 and third[0] < FLAT_LOG and np.all(third == third[0]) else None


def _learned_per_view(run: Run) -> str | None:
    if run.trainer.name in SLAM:
        return f"{run.trainer.name} estimates poses while it maps, and counts only pixels whose depth it knows"
    moved = told(run.settings, POSES)
    if moved is not None or any(np.any(delta != 0) for delta in run.pose_deltas.values()):
        return f"poses were refined while it trained{'' if moved is None else f': {moved.name} = {moved.value}'}"
    corrected = told(run.settings, CORRECTIONS)
    if corrected is not None:
        return f"colours were corrected per view by what is not run here: {corrected.name} = {corrected.value}"
    noted = any(note.says.startswith(text) for note in run.notes for text in (APPEARANCE, POST_PROCESSED))
    return "colours were corrected per view by networks, which are not run here" if noted else None
