"""Writes a run as gsplat's example trainer 1.5.3 leaves it: cfg.yml, ckpts/, stats/, tb/ and, if asked for, ply/."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from runs.arrays import Array
from runs.cameras import Camera
from runs.checkpoints import TrainingState
from runs.gaussians import Gaussians
from runs.points import PointCloud
from runs.trainers.shared.splits import held_out_every
from runs.writers.atomic import write_text
from runs.writers.events import EventFile, free_event_file
from runs.writers.gsplat_config import cfg_yml, config
from runs.writers.metrics_log import to_json
from runs.writers.ply import write_splats
from runs.writers.torch_zip import write_torch_file

TAGS = {"loss": "train/loss", "l1": "train/l1loss"}


class GsplatWriter:
    """A `RunWriter`. Its steps count from 0, and cameras, points and training states have no place in this layout.

    `ranks`: processes among which the Gaussians are shared out, each with its own files; `ply`: also write splat files.
    Nothing is measured here: statistics hold what `log` was told of the same iteration.
    """

    def __init__(
        self, folder: Path, source_path: str, *, ranks: int = 1, ply: bool = False, clock: Callable[[], float] = time.time,
    ) -> None:
        self.folder, self.source_path, self.ranks, self.ply = folder, source_path, ranks, ply
        self._clock, self._started, self._every = clock, 0.0, 1
        self._events: EventFile | None = None

    def begin(self, cameras: Sequence[Camera], points: PointCloud, settings: Mapping[str, Any]) -> None:  # noqa: ARG002
        """`settings` may be spelled as INRIA's trainer or as gsplat's; `normalize_world_space` is False unless given.

        Raises ValueError where the test views are not every n-th by name, the first among them: this trainer has no other
        rule (`runs.trainers.shared.splits.held_out_every` makes such a split).
        """
        given = {"data_factor": 1, "normalize_world_space": False, "save_ply": self.ply, **settings}
        place = {"data_dir": self.source_path, "result_dir": str(self.folder), "test_every": _held_out_every(cameras)}
        values = config({**given, **place})
        write_text(self.folder / "cfg.yml", cfg_yml(values))
        self._every = int(values["tb_every"])
        self._started = self._clock()
        self._events = EventFile(free_event_file(self.folder / "tb", self._started), self._started)

    def log(self, iteration: int, values: Mapping[str, Any]) -> None:
        """To TensorBoard at every `tb_every`-th step (a setting), and where the test views were evaluated also to stats/.

        Of several ranks the first writes both, and counts its own Gaussians alone.
        """
        own = {"n": -(-int(values["n"]) // self.ranks)} if "n" in values else {}
        step, scores = iteration - 1, _scores({**values, **own})
        training = dict(_scalars({**values, **own})) if step % self._every == 0 else {}
        self._opened().add(step, self._clock(), training | {f"val/{name}": value for name, value in scores.items()})
        if scores:
            write_text(self.folder / "stats" / f"val_step{step:04d}.json", to_json(scores))

    def save(self, iteration: int, gaussians: Gaussians) -> None:
        """Rank r gets every `ranks`-th Gaussian from the r-th on, as the trainer shares out its points."""
        step, passed = iteration - 1, self._clock() - self._started
        for rank in range(self.ranks):
            part = gaussians.take(np.arange(rank, gaussians.count, self.ranks)) if self.ranks > 1 else gaussians
            stats = to_json({"ellipse_time": passed, "num_GS": part.count})
            write_text(self.folder / "stats" / f"train_step{step:04d}_rank{rank}.json", stats)
            saved = {"step": step, "splats": splats(part)}
            write_torch_file(self.folder / "ckpts" / f"ckpt_{step}_rank{rank}.pt", saved)
        if self.ply:
            write_splats(self.folder / "ply" / f"point_cloud_{step}.ply", gaussians, normals=False)
        self._opened().flush()

    def save_state(self, state: TrainingState) -> None:
        """Nothing: this trainer keeps neither Adam's moments nor densification statistics."""

    def finish(self) -> None:
        """May be called again."""
        if self._events is not None:
            self._events.close()
            self._events = None

    def _opened(self) -> EventFile:
        if self._events is None:
            raise RuntimeError("a run is written between begin() and finish()")
        return self._events


def splats(gaussians: Gaussians) -> dict[str, Array]:
    """The model's state_dict, float32: means, scales (log), quats wxyz, opacities [N] (logit), sh0 [N,1,3], shN [N,K-1,3]."""
    return {
        "means": gaussians.means, "scales": gaussians.log_scales, "quats": gaussians.quats_wxyz,
        "opacities": gaussians.logit_opacities, "sh0": gaussians.sh0[:, None], "shN": gaussians.sh_rest,
    }


def _held_out_every(cameras: Sequence[Camera]) -> int:
    """The setting `test_every` that gives the cameras' split; 8, its default, where there are no cameras."""
    test = {camera.name for camera in cameras if camera.split == "test"}
    rules: list[int] = [8, *range(1, len(cameras) + 1)]
    for every in rules:
        if {camera.name for camera in held_out_every(cameras, every) if camera.split == "test"} == test:
            return every
    raise ValueError("gsplat's trainer tests every n-th view by name, the first among them; these cameras are split otherwise")


def _scalars(values: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    yield from ((tag, float(values[key])) for key, tag in TAGS.items() if key in values)
    if "ssim" in values:
        yield "train/ssimloss", 1 - float(values["ssim"])
    if "n" in values:
        yield "train/num_GS", float(values["n"])


def _scores(values: Mapping[str, Any]) -> dict[str, float]:
    """What an evaluation of the test views gave."""
    evaluated: Mapping[str, float] = values.get("eval") or {}
    if "test" not in evaluated:
        return {}
    count = {"num_GS": int(values["n"])} if "n" in values else {}
    return {"psnr": float(evaluated["test"]), **count}
