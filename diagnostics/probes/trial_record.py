"""A training kept in memory as a run: what a writer would have put into its folder, for detectors to look at."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from diagnostics.optimiser.settings import OptimiserSettings
from runs.arrays import F32
from runs.cameras import Camera
from runs.checkpoints import Checkpoint, StateFile, TrainingState
from runs.formats.logs.metrics import JsonLines
from runs.gaussians import Gaussians
from runs.notes import NoteBook
from runs.photos import Photo
from runs.points import PointCloud
from runs.run import Run, Sources, Trainer
from runs.series import Series
from runs.settings import Setting, Settings
from runs.writers.metrics_log import to_json

LOG = "the log of the short training"
SETTINGS = "the settings of the short training"
FOLDER = Path("short training")  # of a run that lies nowhere
BYTES_PER_FLOAT = 4
SET = ("lr_xyz", "sh")  # keys of the log that tell what was set


@dataclass(frozen=True, eq=False)
class HeldPhoto(Photo):
    """A photo whose pixels are at hand already, at the size that is trained on."""

    values: F32 = field(default_factory=lambda: np.zeros((1, 1, 3), np.float32))  # float32 [H, W, 3 or 4], 0..1

    @property
    def size_px(self) -> tuple[int, int]:
        return self.values.shape[1], self.values.shape[0]

    @property
    def exif_orientation(self) -> int:
        return 1

    @property
    def has_alpha(self) -> bool:
        return bool(self.values.shape[2] == 4)

    def pixels(self, size_px: tuple[int, int] | None = None) -> F32:
        if size_px is None or size_px == self.size_px:
            return self.values
        image = Image.fromarray(np.rint(self.values * 255).astype(np.uint8))
        return np.asarray(image.resize(size_px, Image.Resampling.BOX), np.float32) / np.float32(255)


@dataclass(frozen=True, eq=False)
class Told:
    """What a training is said to have been: not what it did, which its recording holds."""

    settings: OptimiserSettings
    cameras: tuple[Camera, ...]
    photos: Mapping[str, F32]  # by camera, with alpha where the photo has it
    points: PointCloud


@dataclass(eq=False)
class Recording:
    """A `RunWriter` that keeps everything."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    saves: dict[int, Gaussians] = field(default_factory=dict)
    states: list[TrainingState] = field(default_factory=list)

    def begin(self, cameras: Sequence[Camera], points: PointCloud, settings: Mapping[str, Any]) -> None:
        """Nothing: whoever makes a run of it tells these."""

    def log(self, iteration: int, values: Mapping[str, Any]) -> None:
        self.rows.append({"it": iteration, **values})

    def save(self, iteration: int, gaussians: Gaussians) -> None:
        self.saves[iteration] = gaussians

    def save_state(self, state: TrainingState) -> None:
        self.states.append(replace(state, path=FOLDER / f"chkpnt{state.iteration}.pth"))

    def finish(self) -> None:
        """Nothing is open."""

    def as_run(self, told: Told, original: Run) -> Run:
        """The recording as a run of INRIA's trainer, or of 3dgs-mcmc, on the data of the original."""
        photos = {name: HeldPhoto(name, FOLDER / name, values) for name, values in told.photos.items()}
        sources = Sources(
            cameras=lambda: told.cameras, settings=lambda: _settings(told.settings), series=self._series, events=lambda: (),
            input_points=lambda: told.points, sfm_points=lambda: original.sfm_points, photos=lambda: photos, exposures=dict,
        )
        saves = tuple(_checkpoint(iteration, gaussians) for iteration, gaussians in sorted(self.saves.items()))
        states = tuple(StateFile(state.iteration, state.path, lambda kept=state: kept) for state in self.states)  # type: ignore[misc]
        return Run(FOLDER, _trainer(told.settings), saves, states, original.data, sources, NoteBook(), original.data_was_named)

    def _series(self) -> Mapping[str, Series]:
        lines, reader = "".join(f"{to_json(row)}\n" for row in self.rows).encode(), JsonLines(LOG)
        reader.advance(io.BytesIO(lines), len(lines))
        return reader.result().series


def relabelled(result: Recording, set_as: Recording) -> Recording:
    """What came of one training, with the rates and degrees that another one of the same length was set to."""
    rows = [{**row, **{key: other[key] for key in SET if key in other}}
            for row, other in zip(result.rows, set_as.rows, strict=True)]
    states = [_at_rates_of(state, other) for state, other in zip(result.states, set_as.states, strict=True)]
    return Recording(rows, result.saves, states)


def _at_rates_of(state: TrainingState, other: TrainingState) -> TrainingState:
    groups = {name: replace(group, learning_rate=other.adam[name].learning_rate, eps=other.adam[name].eps)
              for name, group in state.adam.items()}
    return replace(state, adam=groups, active_sh_degree=other.active_sh_degree, spatial_lr_scale=other.spatial_lr_scale)


def _trainer(settings: OptimiserSettings) -> Trainer:
    name = "3dgs-mcmc" if settings.strategy == "mcmc" else "inria"
    return Trainer(name, 1.0, "the compact trainer works by its rules")


def _settings(settings: OptimiserSettings) -> Settings:
    """As that trainer would store them."""
    values = {**settings.as_mapping(), "eval": True}
    return Settings({name: Setting(name, value, SETTINGS) for name, value in values.items()})


def _checkpoint(iteration: int, gaussians: Gaussians) -> Checkpoint:
    path = FOLDER / "point_cloud" / f"iteration_{iteration}" / "point_cloud.ply"
    count, degree = gaussians.count, gaussians.sh_degree
    floats = 11 + 3 * (degree + 1) ** 2
    return Checkpoint(iteration, path, count, degree, BYTES_PER_FLOAT * floats * count, lambda: gaussians)
