"""Facts that training took in: settings, the trainer, and the points the Gaussians started from."""

from diagnostics.registry import fact
from runs.points import PointCloud
from runs.run import Run, Trainer
from runs.settings import Settings


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
    if run.settings.value("init_type") not in (None, "sfm"):  # 3dgs-mcmc and gsplat: also "random"
        return input_points
    return sfm_points if input_points is None else input_points
