"""Facts of methods that log more than a picture: how experts share the work, how far a camera has drifted."""

import re
from dataclasses import dataclass

import numpy as np

from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from runs.arrays import F64, I64
from runs.notes import NoteBook
from runs.run import Run
from runs.trainers.slam.monogs import MonoGSFolder
from runs.trainers.slam.poses import Trajectory
from runs.trainers.slam.splatam import SplatamFolder

EXPERT = re.compile(
    r"(?:.*[/_.-])?(?:expert|gate|router)s?[/_.-](?:.*[/_.-])?(?:utili[sz]ation|util|usage|load|share|probs?)[/_.-]?(\d{1,3})")
FEWEST_LOGGED = 10
EXPERTS = f"series of how much each expert is used, at {FEWEST_LOGGED} common iterations (mixture-of-experts methods)"
TRAJECTORY = "a trajectory with the true poses beside it (MonoGS, SplaTAM)"
PARTS = 4  # of the trajectory: errors of its first quarter, half, three quarters, whole


@dataclass(frozen=True, eq=False)
class ExpertUse:
    """How T logged steps share the work among E experts; each row sums to one."""

    iterations: I64  # int64 [T]
    shares: F64  # float64 [T, E]
    source: str

    @property
    def late(self) -> F64:
        """The second half."""
        return self.shares[len(self.shares) // 2:]


@fact(missing=EXPERTS)
def expert_use(run: Run, span: tuple[int, int]) -> ExpertUse | None:
    """Two experts or more."""
    named = {int(match[1]): series for name, series in run.series.items()
             if (match := EXPERT.fullmatch(name.removeprefix("raw/"))) is not None}
    series = [named[index].between(*span) for index in sorted(named)]
    if len(series) < 2:
        return None
    common = series[0].iterations
    for one in series[1:]:
        common = np.intersect1d(common, one.iterations)
    table = np.stack([one.values[np.isin(one.iterations, common)] for one in series], axis=1)
    used = np.isfinite(table).all(axis=1) & (table >= 0).all(axis=1) & (table.sum(axis=1) > 0)
    if used.sum() < FEWEST_LOGGED:
        return None
    return ExpertUse(common[used], table[used] / table[used].sum(axis=1, keepdims=True), series[0].source)


@dataclass(frozen=True)
class Drift:
    """Errors of the estimated camera places, aligned anew for each part of the trajectory; world units."""

    errors: tuple[float, ...]  # root mean square over the first quarter, half, … of the frames
    length: float  # of the true path
    frames: int
    source: str


@fact(missing=TRAJECTORY)
def drift(run: Run) -> Drift | NotEvaluable | None:
    """Of the last trajectory that was written."""
    trajectory, any_scale, source = _trajectory(run)
    if trajectory is None or trajectory.true is None:
        return NotEvaluable((TRAJECTORY,))
    true = trajectory.true[:, :3, 3]
    steps = np.linalg.norm(np.diff(true, axis=0), axis=1)
    count = len(true)
    ends = [round(count * part / PARTS) for part in range(1, PARTS + 1)]
    errors = [_first(trajectory, end).position_error(any_scale=any_scale) for end in ends]
    if any(error is None for error in errors) or not np.isfinite(steps).all() or not steps.sum() > 0:
        return None
    return Drift(tuple(float(error or 0) for error in errors), float(steps.sum()), count, source)


def _trajectory(run: Run) -> tuple[Trajectory | None, bool, str]:
    """What their readers find; a note about it was told when the run was opened."""
    if run.trainer.name == "monogs":
        folder = MonoGSFolder(run.path, NoteBook())
        return folder.trajectory, folder.settings.value("Dataset.sensor_type") == "monocular", "plot/trj_*.json"
    if run.trainer.name == "splatam":
        return SplatamFolder(run.path, NoteBook()).trajectory, False, "params.npz"
    return None, False, ""


def _first(trajectory: Trajectory, count: int) -> Trajectory:
    true = None if trajectory.true is None else trajectory.true[:count]
    return Trajectory(trajectory.frames[:count], trajectory.estimated[:count], true)
