"""A run writer that keeps everything in memory, for tests of what a training records."""

from collections.abc import Mapping, Sequence
from typing import Any

from runs.cameras import Camera
from runs.checkpoints import TrainingState
from runs.gaussians import Gaussians
from runs.points import PointCloud


class Recorder:
    """A `RunWriter`; `calls` has the names of the calls in order."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.rows: dict[int, dict[str, Any]] = {}
        self.saves: dict[int, Gaussians] = {}
        self.states: dict[int, TrainingState] = {}
        self.settings: dict[str, Any] = {}
        self.cameras: list[str] = []
        self.points: PointCloud | None = None

    def begin(self, cameras: Sequence[Camera], points: PointCloud, settings: Mapping[str, Any]) -> None:
        self.calls.append("begin")
        self.cameras, self.points, self.settings = [camera.name for camera in cameras], points, dict(settings)

    def log(self, iteration: int, values: Mapping[str, Any]) -> None:
        self.calls.append("log")
        self.rows[iteration] = dict(values)

    def save(self, iteration: int, gaussians: Gaussians) -> None:
        self.calls.append("save")
        self.saves[iteration] = gaussians

    def save_state(self, state: TrainingState) -> None:
        self.calls.append("save_state")
        self.states[state.iteration] = state

    def finish(self) -> None:
        self.calls.append("finish")
