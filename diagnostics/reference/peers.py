"""Peers: runs that another one may be compared with, as their settings and series; and what keeps two from being alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diagnostics.measures.courses import VIEWS
from diagnostics.measures.curves import running_median
from diagnostics.reference.scene import fingerprint
from runs.run import Run
from runs.series import Series

COMPARED = ("test/psnr", "train/psnr", "num_gaussians", "loss/l1", "loss/total")
PER_VIEW = frozenset({"loss/l1", "loss/total"})  # logged of the one view of each iteration
# Settings that change where things lie, what is written or which random numbers come, but nothing that is meant.
INDIFFERENT = frozenset({
    "model_path", "source_path", "data_dir", "path", "result_dir", "out_dir", "experiment_name", "timestamp", "ckpt",
    "start_checkpoint", "seed", "ip", "port", "quiet", "data_device", "debug", "debug_from", "detect_anomaly", "websockets",
    "disable_viewer", "disable_video", "render_traj_path", "save_iterations", "test_iterations", "checkpoint_iterations",
    "eval_steps", "save_steps", "ply_steps", "save_ply", "tb_every", "tb_save_image",
})


@dataclass(frozen=True, eq=False)
class Peer:
    """What is kept of a run to compare others with."""

    name: str
    path: str  # where it lies, or lay when it was recorded
    trainer: str
    scene: str | None  # fingerprint of its cameras; None where they are not known
    settings: Mapping[str, Any]  # those that are stored and mean something
    series: Mapping[str, Series]  # of COMPARED, as far as logged; losses as running medians over single views


def peer_of(run: Run) -> Peer:
    """A run that is open."""
    stored = {name: setting.value for name, setting in run.settings.items() if setting.stored}
    settings = {name: value for name, value in stored.items() if _last(name) not in INDIFFERENT}
    series = {name: _levelled(run.series[name]) for name in COMPARED if name in run.series and len(run.series[name])}
    return Peer(run.name, str(run.path), run.trainer.name, fingerprint(run), settings, series)


def differences(run: Peer, other: Peer) -> tuple[str, ...]:
    """What keeps two runs from being alike, in words; () where they trained the same scene in the same way.

    A setting that only one of them stores is no difference: most trainers store a part of them.
    """
    found = []
    if run.trainer != other.trainer:
        found.append(f"trainer {run.trainer} and {other.trainer}")
    if run.scene is None or other.scene is None:
        found.append("cameras that are not known")
    elif run.scene != other.scene:
        found.append("other cameras or photo sizes")
    both = sorted(run.settings.keys() & other.settings.keys())
    found += [f"{name} {run.settings[name]} and {other.settings[name]}" for name in both
              if run.settings[name] != other.settings[name]]
    return tuple(found)


def _levelled(series: Series) -> Series:
    """Losses of single views as their running median: views differ too much to be compared one by one."""
    if series.name not in PER_VIEW:
        return series
    return Series(series.name, series.iterations, running_median(series.values, VIEWS), series.unit, series.source)


def _last(name: str) -> str:
    return name.rpartition(".")[2]
