"""Writes a run as INRIA's trainer leaves it: settings, cameras, points, a series of PLYs, states, events and metrics."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from runs.cameras import Camera
from runs.checkpoints import TrainingState
from runs.gaussians import Gaussians
from runs.points import PointCloud
from runs.writers.atomic import write_text
from runs.writers.inria_state import captured
from runs.writers.metrics_log import MetricsLog, to_json
from runs.writers.ply import write_points, write_splats
from runs.writers.torch_zip import write_torch_file

# The model settings of cfg_args with INRIA's defaults, in its order; the others are stored in opt_args.json, which
# INRIA's trainer lacks and several forks write.
MODEL_BEFORE_EVAL: Mapping[str, Any] = {
    "images": "images", "depths": "", "resolution": -1, "white_background": False, "train_test_exp": False, "data_device": "cpu",
}
MCMC_BEFORE_EVAL: Mapping[str, Any] = {"images": "images", "resolution": -1, "white_background": False, "data_device": "cpu"}
MCMC_AFTER_EVAL: Mapping[str, Any] = {"cap_max": -1, "init_type": "sfm"}  # 3dgs-mcmc `arguments/__init__.py`


class InriaWriter:
    """A `RunWriter`. `source_path` is what cfg_args records as the data folder, `model_path` as the run's own."""

    def __init__(
        self, folder: Path, source_path: str, *, model_path: str | None = None, clock: Callable[[], float] = time.time,
    ) -> None:
        self.folder, self.source_path, self.model_path = folder, source_path, model_path or str(folder)
        self._log = MetricsLog(folder, clock)

    def begin(self, cameras: Sequence[Camera], points: PointCloud, settings: Mapping[str, Any]) -> None:
        """Cameras with `split` "test" are the held-out ones. Writes the four files that do not change."""
        tested = any(camera.split == "test" for camera in cameras)
        model = self._model_settings(settings, tested)
        named = ", ".join(f"{name}={value!r}" for name, value in model.items())
        write_text(self.folder / "cfg_args", f"Namespace({named})")
        others = {name: value for name, value in settings.items() if name not in model or name == "sh_degree"}
        write_text(self.folder / "opt_args.json", to_json(others))
        write_text(self.folder / "cameras.json", json.dumps([_entry(i, camera) for i, camera in enumerate(_in_order(cameras))]))
        write_points(self.folder / "input.ply", points)
        self._log.open()

    def log(self, iteration: int, values: Mapping[str, Any]) -> None:
        self._log.write(iteration, values, dict(_scalars(values)))

    def save(self, iteration: int, gaussians: Gaussians) -> None:
        write_splats(self.folder / "point_cloud" / f"iteration_{iteration}" / "point_cloud.ply", gaussians)
        self._log.flush()

    def save_state(self, state: TrainingState) -> None:
        write_torch_file(self.folder / f"chkpnt{state.iteration}.pth", captured(state))
        self._log.flush()

    def finish(self) -> None:
        self._log.close()

    def _model_settings(self, settings: Mapping[str, Any], tested: bool) -> dict[str, Any]:
        """Those of cfg_args: of 3dgs-mcmc where the strategy is "mcmc", else of INRIA's trainer."""
        mcmc = settings.get("strategy") == "mcmc"
        before, after = (MCMC_BEFORE_EVAL, MCMC_AFTER_EVAL) if mcmc else (MODEL_BEFORE_EVAL, {})
        given = {name: settings.get(name, default) for name, default in before.items()}
        last = {name: settings.get(name, default) for name, default in after.items()}
        start = {"sh_degree": settings.get("sh_degree", 3), "source_path": self.source_path, "model_path": self.model_path}
        return {**start, **given, "eval": tested, **last}


def _in_order(cameras: Sequence[Camera]) -> list[Camera]:
    """Test cameras first, each part by name (INRIA `scene/__init__.py`); readers tell the split by it."""
    return sorted(cameras, key=lambda camera: (camera.split != "test", camera.name))


def _entry(index: int, camera: Camera) -> dict[str, Any]:
    """Camera to world, OpenCV axes; there is no place for a principal point (INRIA `utils/camera_utils.py`)."""
    width, height = camera.size_px
    return {
        "id": index, "img_name": camera.name, "width": width, "height": height, "position": camera.centre.tolist(),
        "rotation": camera.world_from_camera[:3, :3].tolist(), "fy": camera.fy, "fx": camera.fx,
    }


def _scalars(values: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The tags of INRIA's `training_report` with their values."""
    tags = {"l1": "train_loss_patches/l1_loss", "loss": "train_loss_patches/total_loss", "ms": "iter_time"}
    yield from ((tag, float(values[key])) for key, tag in tags.items() if key in values)
    evaluated: Mapping[str, float] = values.get("eval") or {}
    yield from ((f"{split}/loss_viewpoint - psnr", float(psnr)) for split, psnr in evaluated.items())
    if evaluated and "n" in values:
        yield "total_points", float(values["n"])
