"""Facts that training took in: settings, the trainer, and the points the Gaussians started from."""

from diagnostics.registry import fact
from runs.points import PointCloud
from runs.run import Run, Trainer
from runs.settings import Settings

# How trainers spell where they start: 3dgs-mcmc and gsplat, then 3DGRUT; and as a switch nerfstudio and LichtFeld Studio.
INITIALISATIONS, FROM_MODEL = ("init_type", "initialization.method"), ("sfm", "colmap")
RANDOM_SWITCHES = ("pipeline.model.random_init", "random")


@fact(missing="the trainer's name")
def trainer(run: Run) -> Trainer:
    return run.trainer


@fact(missing="the trainer's settings (cfg_args, opt_args.json or a config file)")
def settings(run: Run) -> Settings | None:
    """At least one setting, stored or known as the trainer's default."""
    return run.settings if len(run.settings) else None


@fact(missing="the points that training started from (input.ply)")
def input_points(run: Run) -> PointCloud | None:
    """At least one point."""
    return run.input_points if run.input_points is not None and len(run.input_points) else None


@fact(missing="the COLMAP model's points (give the data folder with --data)")
def sfm_points(run: Run) -> PointCloud | None:
    """At least one point."""
    return run.sfm_points if run.sfm_points is not None and len(run.sfm_points) else None


@fact(missing="the points that training started from (input.ply, or the COLMAP model with --data)")
def start_points(run: Run, input_points: PointCloud | None = None, sfm_points: PointCloud | None = None) -> PointCloud | None:
    """input.ply where there is one, else the COLMAP model's points, unless the run says that it began from others."""
    if _began_elsewhere(run.settings):
        return input_points
    return sfm_points if input_points is None else input_points


def _began_elsewhere(settings: Settings) -> bool:
    """Whether the run says that it did not start from the points of structure from motion."""
    named = (settings.value(name) for name in INITIALISATIONS)
    switched = (settings.value(name) for name in RANDOM_SWITCHES)
    return any(value not in (None, *FROM_MODEL) for value in named) or any(value is True for value in switched)
