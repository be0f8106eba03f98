"""Facts about what was saved at one iteration in several ways: counts in files and log, degrees of colour, further modules."""

from dataclasses import dataclass

import numpy as np

from diagnostics.facts import logged, saved, taken  # noqa: F401  (checkpoint, training_state, count_series, schedule)
from diagnostics.facts.alike import POSES, is_rounded, told
from diagnostics.facts.habits import OF_INRIA
from diagnostics.facts.saved import file_of
from diagnostics.registry import fact
from diagnostics.schedule import Schedule
from diagnostics.verdict import NotEvaluable
from runs.checkpoints import Checkpoint, TrainingState
from runs.motion import MOVING_TRAINERS
from runs.run import Run
from runs.series import Series
from runs.strategy import keeps_order

# They store every coefficient from the start; LightGaussian distils to fewer, others write those that are active or are unread.
STORES_ALL_DEGREES = (OF_INRIA - {"lightgaussian"}) | {"gsplat", "gsplat-2dgs", "splatfacto", "deformable-3dgs"}
DEGREES = ("sh_degree", "pipeline.model.sh_degree")
WHOLE = "a save with every row, in the order of training (this format drops or joins rows)"
USUAL_INTERVAL = 100  # iterations between densifications where no schedule is known
KEEPS_POSES = frozenset({"gsplat", "splatfacto"})  # in their checkpoints, where they refine them
COARSE = "coarse"  # how saves are labelled that are drawn before anything moves


@dataclass(frozen=True)
class CountClaim:
    """What something else says about the number of Gaussians of one save."""

    what: str
    lowest: int
    highest: int
    source: str

    def off(self, count: int) -> float:
        """By which share of the claimed number `count` lies outside; 0 within."""
        if self.lowest <= count <= self.highest:
            return 0.0
        nearest = self.lowest if count < self.lowest else self.highest
        return abs(count - nearest) / max(1, nearest)


@fact(missing="a logged count, or a resumable state, of an iteration at which splats were saved too")
def count_claims(
    run: Run, checkpoint: Checkpoint, schedule: Schedule | None = None, count_series: Series | None = None,
    training_state: TrainingState | None = None,
) -> tuple[CountClaim, ...] | NotEvaluable | None:
    """About the last save of the range.

    A save of the iteration of a densification may have been written before it and the state after it, by design.
    """
    if is_rounded(checkpoint) or not keeps_order(run) or not _is_whole(checkpoint):
        return NotEvaluable((WHOLE,))
    densifies = schedule is None or checkpoint.iteration in schedule.densifications
    claims = []
    if count_series is not None and (claim := _of_log(checkpoint.iteration, count_series, schedule, densifies)) is not None:
        claims.append(claim)
    if training_state is not None and training_state.iteration == checkpoint.iteration and not densifies:
        count = training_state.gaussians.count
        claims.append(CountClaim("the resumable state of the same iteration", count, count, training_state.path.name))
    return tuple(claims) or None


def _is_whole(checkpoint: Checkpoint) -> bool:
    return checkpoint.shards is None or checkpoint.shards[0] == checkpoint.shards[1]


def _of_log(iteration: int, counts: Series, schedule: Schedule | None, densifies: bool) -> CountClaim | None:
    """From one densification before to one after; None where the log is too sparse to tell."""
    reach = USUAL_INTERVAL if schedule is None or not schedule.densify_every else schedule.densify_every
    near = counts.between(iteration - reach, iteration + reach)
    known = np.isfinite(near.values)
    iterations, values = near.iterations[known], near.values[known]
    if not len(values) or (densifies and not iterations[0] < iteration < iterations[-1]):
        return None
    if not densifies and not (iteration in iterations or iterations[0] < iteration < iterations[-1]):
        return None
    return CountClaim("the log around it", int(values.min()), int(values.max()), counts.source)


@dataclass(frozen=True)
class Degrees:
    """Degrees of colour that files and settings tell of one run."""

    saved: int
    saved_in: str
    iteration: int
    claims: tuple[tuple[str, int, str], ...]  # what, degree, source; each must be the saved one
    active: tuple[int, str] | None  # that of the state, which must not be above the saved one


@fact(missing="a save of a trainer that always stores every harmonic, beside its settings or another save")
def saved_degrees(
    run: Run, checkpoints: tuple[Checkpoint, ...], training_state: TrainingState | None = None,
) -> Degrees | NotEvaluable | None:
    """Of the last save of the range."""
    exact = [c for c in checkpoints if not is_rounded(c)]
    if run.trainer.name not in STORES_ALL_DEGREES or not exact:
        return NotEvaluable((f"a save with every harmonic (what {run.trainer.name} stores of them is not known)",))
    last = exact[-1]
    stored = next((s for name in DEGREES if (s := run.settings.get(name)) is not None and s.stored), None)
    claims = [(f"the setting {stored.name}", stored.value, stored.source)] if stored and isinstance(stored.value, int) else []
    claims += [(f"the save of iteration {c.iteration:,}", c.sh_degree, file_of(c)) for c in exact[:-1]]
    active = None
    if training_state is not None:
        claims.append(("the resumable state", training_state.gaussians.sh_degree, training_state.path.name))
        if training_state.active_sh_degree is not None:
            active = training_state.active_sh_degree, training_state.path.name
    return Degrees(last.sh_degree, file_of(last), last.iteration, tuple(claims), active) if claims else None


@dataclass(frozen=True)
class Module:
    """Something that was trained beside the Gaussians, and whether its file is there."""

    what: str
    why: str  # what says that it was trained
    where: str  # where it should be
    saves: int  # saves that should have it
    missing: int  # those that lack it


@fact(missing="which modules the trainer trains beside the Gaussians")
def extra_modules(run: Run, checkpoints: tuple[Checkpoint, ...]) -> tuple[Module, ...] | NotEvaluable:
    """Those of which the trainer is known to write a file with each save, or once; none is an answer too."""
    if run.trainer.name not in OF_INRIA | MOVING_TRAINERS | KEEPS_POSES:
        return NotEvaluable((f"which modules the trainer ({run.trainer.name}) trains beside the Gaussians",))
    return tuple(module for module in (_exposures(run), _deformation(run, checkpoints), _poses(run)) if module)


def _exposures(run: Run) -> Module | None:
    """INRIA's trainer writes them with every save since it learns them."""
    setting = run.settings.get("train_test_exp")
    if run.trainer.name not in OF_INRIA or setting is None or not setting.stored or setting.value is not True:
        return None
    return Module("exposures of the photos", "train_test_exp = True", "exposure.json", 1, int(not run.exposures))


def _deformation(run: Run, checkpoints: tuple[Checkpoint, ...]) -> Module | None:
    if run.trainer.name not in MOVING_TRAINERS:
        return None
    moving = [c for c in checkpoints if not (c.label or "").startswith(COARSE)]
    where = "deform/iteration_N/deform.pth" if run.trainer.name == "deformable-3dgs" else "deformation.pth"
    lost = sum(c.motion is None for c in moving)
    return Module("deformation network", f"the method ({run.trainer.name})", where, len(moving), lost) if moving else None


def _poses(run: Run) -> Module | None:
    setting = told(run.settings, POSES)
    if setting is None or not setting.stored or run.trainer.name not in KEEPS_POSES or not run.state_files:
        return None
    return Module("refined poses of the cameras", f"{setting.name} = {setting.value}", "the last checkpoint", 1,
                  int(not run.pose_deltas))
