"""A scene of the lab: what a training gets, what made it, and the folder that a user would have."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from diagnostics.optimiser.views import TrainingData, View
from runs.arrays import F32
from runs.formats.cameras.colmap import Observations
from tests.lab.scenes import writing
from tests.lab.scenes.tracks import mean_errors_px, restricted, track_lengths
from tests.lab.scenes.world import World


@dataclass(frozen=True, eq=False)
class Scene:
    """Photos, cameras and points, with what only the lab knows."""

    name: str
    data: TrainingData
    tracks: Observations | None  # of data.points, over all views; None where the points have none
    alphas: Mapping[str, F32] = field(default_factory=dict)  # float32 [H, W] by view; empty where the photos have none
    world: World | None = None  # None for a real capture
    arguments: Mapping[str, Any] = field(default_factory=dict)  # what `build` was called with, to build a variant

    @property
    def views(self) -> tuple[View, ...]:
        """All views, training first."""
        return (*self.data.train, *self.data.test)

    def write(self, folder: Path) -> None:
        """Write images/*.png (RGBA where there is alpha), masks/*.png where there are any, and a COLMAP text model with
        the test views listed in sparse/0/test.txt."""
        writing.write_photos(self.views, self.alphas, folder)
        writing.write_model(self.data, self.tracks, folder / "sparse" / "0")


def reprojected(scene: Scene) -> Scene:
    """Tracks of the scene's own views only, with lengths and errors computed anew from its cameras and points."""
    if scene.tracks is None:
        return scene
    seen = restricted(scene.tracks, [view.name for view in scene.views])
    points = scene.data.points
    errors_px = mean_errors_px([view.camera for view in scene.views], points.xyz, seen)
    fresh = replace(points, error_px=errors_px, track_lengths=track_lengths(seen, len(points)))
    return replace(scene, tracks=seen, data=replace(scene.data, points=fresh))
