"""Scaffold-GS and its kin (INRIA's layout): anchors in each point_cloud.ply, and networks beside it that are never loaded."""

from pathlib import Path

from runs.run import Trainer
from runs.trainers.inria.folder import read
from runs.trainers.shared.family import Family

# TorchScript programs, which only run (trap T19), or all of them in one file.
NETWORKS = ("opacity_mlp.pt", "color_mlp.pt", "cov_mlp.pt", "checkpoints.pth")


def recognise(folder: Path) -> Trainer | None:
    """By the networks beside any save; a run that has not saved yet is told by its cfg_args (`inria_forks`)."""
    saved = (folder / "point_cloud").glob("iteration_*")
    if any((save / name).is_file() for save in saved for name in NETWORKS):
        return Trainer("scaffold-gs", 0.8, "networks (opacity_mlp.pt, …) lie beside its saves; Octree-GS and others share them")
    return None


FAMILY = Family("scaffold", recognise, read)
