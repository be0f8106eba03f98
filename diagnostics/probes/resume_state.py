"""What a resume would start from: the training state or, where there is none, the last point cloud; and what is not in it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from diagnostics.optimiser.step import INRIA_NAMES
from diagnostics.probes.bench import Bench
from diagnostics.probes.material import checkpoint_of
from diagnostics.registry import DETECTORS
from diagnostics.verdict import Finding, NotEvaluable, Verdict
from runs.checkpoints import AdamGroup, StateFile, TrainingState

LOST = "optimiser-state-missing"
STATISTICS = ("xyz_gradient_accum", "denom", "max_radii2D")
POINT_CLOUD = "point cloud"
ABSENT = "Adam group {}"  # as the readers of states say what a whole one would hold


@dataclass(frozen=True, eq=False)
class Left:
    """One save to continue from, and what files say about the moments of this run."""

    state: TrainingState  # of a point cloud: without Adam's groups
    verdict: Verdict  # of the pattern LOST, from files alone
    restarted: int | None  # iteration at which Adam was started anew by an earlier resume, as its step counters tell

    @property
    def is_state(self) -> bool:
        return self.state.kind != POINT_CLOUD

    @property
    def source(self) -> str:
        return self.state.path.name if self.is_state else f"{self.state.path.parent.name}/{self.state.path.name}"

    @property
    def lacking(self) -> tuple[str, ...]:
        """Groups (INRIA's names) that would start with no memory: none stored, one of other rows, or zeros that never stepped."""
        return tuple(name for name in self._trained if _is_empty(self.state.adam.get(name)))

    @property
    def holds(self) -> Mapping[str, int | float | None]:
        """What a resume needs and how much of it is there; None for what the file does not hold."""
        steps = [group.step for group in self.state.adam.values() if group.step is not None]
        rate = self.state.adam.get("xyz")
        return {
            f"parameter groups with Adam's moments, of {len(self._trained)}": len(self._trained) - len(self.lacking),
            "most steps that Adam counts": max(steps, default=None),
            f"densification statistics, of {len(STATISTICS)}": sum(name in self.state.statistics for name in STATISTICS),
            "SH degree trained so far": self.state.active_sh_degree,
            "cameras extent, which scales the rate of the means": self.state.spatial_lr_scale,
            "learning rate of the means": None if rate is None else rate.learning_rate,
        }

    @property
    def _trained(self) -> tuple[str, ...]:
        """Groups that a whole state has moments of: not of SH that are not there, nor of what this trainer does not train."""
        state = self.state
        due = [name for name in INRIA_NAMES.values()
               if not state.adam or name in state.adam or ABSENT.format(name) in state.missing]
        return tuple(name for name in INRIA_NAMES.values() if name in due and (name != "f_rest" or state.gaussians.sh_degree > 0))


def left_by(bench: Bench) -> Left:
    """The save that was asked for; else the state at which an earlier resume lost its moments, the last state of the range, or
    its last point cloud. Raises OutOfReach and UnreadableFile."""
    files: tuple[StateFile, ...] = bench.fact_or_none("state_files") or ()
    verdict = _of_files(bench)
    restarted = _restart(verdict)
    if not files:
        return Left(_from_point_cloud(bench), verdict, None)
    wanted = restarted if bench.wish.iteration is None else bench.wish.iteration
    nearest = files[-1] if wanted is None else min(files, key=lambda file: (abs(file.iteration - wanted), -file.iteration))
    if bench.wish.iteration is None and nearest.iteration != restarted:
        nearest = files[-1]
    return Left(_usable(nearest.state), verdict, restarted)


def bare(state: TrainingState, groups: tuple[str, ...] = tuple(INRIA_NAMES.values())) -> TrainingState:
    """The state without the moments and step counters of `groups`."""
    left = {name: replace(group, step=None, exp_avg=None, exp_avg_sq=None) if name in groups else group
            for name, group in state.adam.items()}
    return replace(state, adam=left)


def with_moments(state: TrainingState, other: TrainingState, groups: tuple[str, ...]) -> TrainingState:
    """The state with the moments and step counters of `groups` from another one of the same rows."""
    return replace(state, adam={**state.adam, **{name: other.adam[name] for name in groups}})


def _of_files(bench: Bench) -> Verdict:
    """What the detector says; the probe measures what it costs."""
    detector = DETECTORS[LOST]
    facts = bench.evidence.gather(detector.needs, detector.optional)
    if isinstance(facts, NotEvaluable):
        return facts
    verdict: Verdict = detector.judge(**facts)
    return verdict


def _restart(verdict: Verdict) -> int | None:
    """The detector's finding spans from the restart to the state; without a restart both are the state's iteration."""
    if not isinstance(verdict, Finding) or verdict.iterations is None or verdict.iterations[0] >= verdict.iterations[1]:
        return None
    return verdict.iterations[0]


def _from_point_cloud(bench: Bench) -> TrainingState:
    """What a trainer has that is given a point cloud: the parameters, and nothing else."""
    save = checkpoint_of(bench)
    lost = ("everything but the parameters",)
    return TrainingState(save.iteration, save.path, POINT_CLOUD, None, save.gaussians, {}, {}, None, lost)


def _usable(state: TrainingState) -> TrainingState:
    """Without moments of another number of rows, which a trainer could not load."""
    count = state.gaussians.count
    return bare(state, tuple(group.name for group in state.adam.values() for moments in (group.exp_avg, group.exp_avg_sq)
                             if moments is not None and len(moments) != count))


def _is_empty(group: AdamGroup | None) -> bool:
    if group is None or group.exp_avg is None or group.exp_avg_sq is None:
        return True
    return not group.step and not np.any(group.exp_avg_sq)
