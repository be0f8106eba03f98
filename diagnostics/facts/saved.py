"""Facts in saved files: checkpoints of the range, their Gaussians, and resumable training states."""

from collections.abc import Sequence
from itertools import pairwise

from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from runs.arrays import F32
from runs.checkpoints import Checkpoint, StateFile, TrainingState
from runs.gaussians import Gaussians
from runs.run import Run

IN_ORDER = "saved point clouds whose format keeps the order of rows, written by one process"
CHECKPOINT = "a saved point cloud in the chosen range (point_cloud/iteration_N/point_cloud.ply)"
STEADY = "two saved point clouds with the same number of Gaussians, one after the other, in the chosen range"
WITHOUT_SPLATS = {
    "anchors": "saved Gaussians (these files hold anchors, which become Gaussians by networks that are not run here)",
    "points": "saved Gaussians (these files hold points, of which only the positions are the trainer's)",
}
STATE = "a resumable training state in the chosen range (chkpntN.pth)"


def file_of(checkpoint: Checkpoint) -> str:
    """The file's name as evidence rows show it: the folder tells the iteration."""
    return f"{checkpoint.path.parent.name}/{checkpoint.path.name}"


def has_splats(checkpoint: Checkpoint) -> bool:
    """Whether there is a Gaussian to judge: of anchors and plain points only the positions are the trainer's."""
    return checkpoint.count > 0 and checkpoint.holds == "splats"


def row_by_row(earlier: Checkpoint, later: Checkpoint) -> bool:
    """Whether a row may be compared with that of the same number: files sorted anew, and parts joined by rank, tell nothing."""
    return earlier.keeps_rows and later.keeps_rows


@fact(missing=CHECKPOINT)
def checkpoints(run: Run, span: tuple[int, int]) -> tuple[Checkpoint, ...] | NotEvaluable | None:
    """Those with Gaussians, saved within the range, by iteration; at least one."""
    within = [c for c in run.checkpoints if span[0] <= c.iteration <= span[1]]
    return tuple(filter(has_splats, within)) or _no_splats(within)


def _no_splats(within: Sequence[Checkpoint]) -> NotEvaluable | None:
    """What the saved files hold instead."""
    held = next((WITHOUT_SPLATS[c.holds] for c in within if c.holds in WITHOUT_SPLATS), None)
    return None if held is None else NotEvaluable((held,))


@fact(missing=CHECKPOINT)
def checkpoint(checkpoints: tuple[Checkpoint, ...]) -> Checkpoint:
    """The last one of the range: per-Gaussian facts are about it."""
    return checkpoints[-1]


@fact(missing="a saved point cloud (point_cloud/iteration_N/point_cloud.ply)")
def first_checkpoint(run: Run) -> Checkpoint | NotEvaluable | None:
    """The earliest of the whole run, whatever the range: the nearest thing to the initial state."""
    return next((c for c in run.checkpoints if has_splats(c)), None) or _no_splats(run.checkpoints)


@fact(missing="two saved point clouds in the chosen range")
def checkpoint_pairs(checkpoints: tuple[Checkpoint, ...]) -> tuple[tuple[Checkpoint, Checkpoint], ...] | None:
    """Neighbours in time: (earlier, later)."""
    return tuple(pairwise(checkpoints)) or None


@fact(missing=STEADY)
def steady_pair(
    checkpoint_pairs: tuple[tuple[Checkpoint, Checkpoint], ...],
) -> tuple[Checkpoint, Checkpoint] | NotEvaluable | None:
    """The last neighbours in time with equal counts: trainers keep row order where nothing was born or removed."""
    equal = [(earlier, later) for earlier, later in reversed(checkpoint_pairs) if earlier.count == later.count]
    kept = next((pair for pair in equal if row_by_row(*pair)), None)
    return NotEvaluable((IN_ORDER,)) if equal and kept is None else kept


@fact(missing=CHECKPOINT)
def gaussians(checkpoint: Checkpoint) -> Gaussians:
    """Gaussians of the last checkpoint of the range."""
    return checkpoint.gaussians


@fact(missing="a saved point cloud (point_cloud/iteration_N/point_cloud.ply)")
def first_gaussians(first_checkpoint: Checkpoint) -> Gaussians:
    """Gaussians of the earliest checkpoint of the run."""
    return first_checkpoint.gaussians


@fact(missing=CHECKPOINT)
def opacities(gaussians: Gaussians) -> F32:
    """float32 [N], 0..1, of the last checkpoint of the range."""
    return gaussians.opacities


@fact(missing=CHECKPOINT)
def scales(gaussians: Gaussians) -> F32:
    """float32 [N, 3], standard deviations in world units, of the last checkpoint of the range."""
    return gaussians.scales


@fact(missing=STATE)
def state_files(run: Run, span: tuple[int, int]) -> tuple[StateFile, ...] | None:
    """Resumable files of the range, by iteration; at least one."""
    return tuple(s for s in run.state_files if span[0] <= s.iteration <= span[1]) or None


@fact(missing=STATE)
def training_state(state_files: tuple[StateFile, ...]) -> TrainingState:
    """The last one of the range."""
    return state_files[-1].state
