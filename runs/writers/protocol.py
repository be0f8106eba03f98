"""What every writer of a training run can do, whatever the layout of its folder."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from runs.cameras import Camera
from runs.checkpoints import TrainingState
from runs.gaussians import Gaussians
from runs.points import PointCloud


class RunWriter(Protocol):
    """Writes one run, file by file, while it trains; a reader never meets half a file."""

    def begin(self, cameras: Sequence[Camera], points: PointCloud, settings: Mapping[str, Any]) -> None:
        """What is known before the first iteration. `settings` are named as INRIA's trainer names them."""

    def log(self, iteration: int, values: Mapping[str, Any]) -> None:
        """What was measured at `iteration`, under the keys of metrics.jsonl; keys that a layout has no place for are left out."""

    def save(self, iteration: int, gaussians: Gaussians) -> None:
        """The Gaussians after `iteration` steps."""

    def save_state(self, state: TrainingState) -> None:
        """What a resume starts from; a layout without such a file writes nothing."""

    def finish(self) -> None:
        """Everything logged is on disk; call once, also after a failed training."""
