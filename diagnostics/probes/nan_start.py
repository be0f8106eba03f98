"""Where the nan probe begins: what the run shows of values that are not finite, and the last save before them that holds none."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from diagnostics.facts.nan_inputs import Inputs
from diagnostics.facts.nan_losses import Losses
from diagnostics.facts.rows import ZeroRows
from diagnostics.measures.nonfinite import Flaws
from diagnostics.probes.bench import Bench
from diagnostics.probes.nan_watch import Broken, look_at_moments, unsafe
from diagnostics.probes.resume_state import POINT_CLOUD
from render.raster.parameters import GROUPS, Parameters
from runs.checkpoints import Checkpoint, StateFile, TrainingState

INITIAL = "the initial points"


@dataclass(frozen=True)
class Shown:
    """Values that are not finite in the files of the run; None where these files are not there."""

    rows: int | None  # iteration of the first save that holds some; 0: none does
    loss: int | None  # iteration of the first such loss; 0: none is
    inputs: Inputs | None
    quats: int | None  # zero quaternions in the last point cloud
    spike: bool = False  # a single loss stands out, which is no question of numbers

    @property
    def first(self) -> int | None:
        """The first iteration that is known to be bad."""
        return min((at for at in (self.rows, self.loss) if at), default=None)


@dataclass(frozen=True, eq=False)
class Start:
    """What to train on from."""

    state: TrainingState | None  # None: the initial points
    shown: Shown

    @property
    def iteration(self) -> int:
        return 0 if self.state is None else self.state.iteration

    @property
    def source(self) -> str:
        if self.state is None:
            return INITIAL
        path = self.state.path
        return f"{path.parent.name}/{path.name}" if self.state.kind == POINT_CLOUD else path.name


def start_of(bench: Bench) -> Start:
    """The last save with finite values alone before the run's first bad one; the one that was asked for, where none is bad."""
    shown = shown_by(bench)
    last = _limit(bench, shown)
    state = next((state for state in _newest(bench, last) if _is_finite(state)), None)
    return Start(state, shown)


def shown_by(bench: Bench) -> Shown:
    """Raises OutOfReach where neither saves nor inputs are there."""
    flaws: tuple[Flaws, ...] | None = bench.fact_or_none("flaws")
    losses: Losses | None = bench.fact_or_none("losses")
    bad = next((flaw.iteration for flaw in flaws or () if any(column.total > column.overflowing for column in flaw.columns)), 0)
    first = None if losses is None or losses.first_bad is None else losses.first_bad.iteration
    spike = losses is not None and losses.spike is not None
    zero: ZeroRows | None = bench.fact_or_none("zero_rows")
    return Shown(None if flaws is None else bad, None if losses is None else first or 0, bench.fact_or_none("inputs"),
                 None if zero is None else len(zero.rows), spike)


def _limit(bench: Bench, shown: Shown) -> float:
    """Iteration after which no save is asked for."""
    before = float("inf") if shown.first is None else shown.first - 1
    return before if bench.wish.iteration is None else min(before, bench.wish.iteration)


def _newest(bench: Bench, last: float) -> Iterator[TrainingState]:
    """Saves up to `last`, newest first.

    Of one iteration the state comes first, unless rows of the point cloud are unsafe: then the question is what they do.
    """
    files: tuple[StateFile, ...] = bench.fact_or_none("state_files") or ()
    saves: tuple[Checkpoint, ...] = bench.fact_or_none("checkpoints") or ()
    at = {file.iteration for file in files} | {save.iteration for save in saves}
    for iteration in sorted((each for each in at if each <= last), reverse=True):
        bench.beat()
        state = next((file.state for file in files if file.iteration == iteration), None)
        save = next((_of_save(save) for save in saves if save.iteration == iteration), None)
        found = [each for each in (state, save) if each is not None]
        yield from reversed(found) if save is not None and is_unsafe(save) else found


def is_unsafe(state: TrainingState) -> bool:
    """Whether a row is finite as stored, and not once it is used."""
    return any(bad.any() for _, bad in unsafe(Parameters.of(state.gaussians)))


def _of_save(save: Checkpoint) -> TrainingState:
    return TrainingState(save.iteration, save.path, POINT_CLOUD, None, save.gaussians, {}, {}, None, ("all but the parameters",))


def _is_finite(state: TrainingState) -> bool:
    if not all(np.isfinite(state.gaussians.load(name)).all() for name in GROUPS):
        return False
    try:
        for group in state.adam.values():
            if group.exp_avg is not None and group.exp_avg_sq is not None:
                look_at_moments("means", group.exp_avg, group.exp_avg_sq)
    except Broken:
        return False
    return True
