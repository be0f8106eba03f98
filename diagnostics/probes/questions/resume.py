"""The resume probe: go on from what the run left, with and without what it lacks, and measure the first steps."""

from dataclasses import dataclass

import numpy as np

from diagnostics.probes import resume_findings as findings
from diagnostics.probes.answer import Answer
from diagnostics.probes.bench import Bench, OutOfReach
from diagnostics.probes.engines import chosen_engine
from diagnostics.probes.own_settings import own_settings
from diagnostics.probes.registry import Workload, probe
from diagnostics.probes.resume_measured import FIRST, agreement, followed
from diagnostics.probes.resume_state import Left, bare, left_by, with_moments
from diagnostics.probes.resume_views import Shown, shown
from diagnostics.probes.resume_ways import Desk, Told, continued, gathered
from render.raster.parameters import GROUPS
from runs.checkpoints import TrainingState

LONGEST_PX, STEPS, MOST_VIEWS = 320, 60, 24
PASSES = 4  # as stored, without moments, gathering, and with what was gathered
HIGHEST_DEGREE = 3
MANY = 50_000  # Gaussians, from which on a few steps are timed before
TIME_SHARE = 0.7


def _workload(bench: Bench) -> Workload:
    left = left_by(bench)
    looked = _shown(bench, left)
    return Workload(PASSES * _steps(bench), 0, left.state.gaussians.count, looked.data.train[0].camera.size_px)


@probe("resume", _workload)
def resume(bench: Bench, *, first_update: float = 2.0, agreement_least: float = 0.2) -> Answer:
    """Raises OutOfReach where nothing is left to continue from, or nothing to look at."""
    left = left_by(bench)
    _refuse(left)
    looked = _shown(bench, left)
    desk, usual = _desk(bench, left, looked)
    measured = _measured(bench, left, desk, looked)
    judged = (findings.does_not_continue(measured, first_update, agreement_least), findings.lost(measured))
    return Answer(
        findings.says(measured), judged, findings.rows(measured), missing=() if left.is_state else (findings.NO_STATE,),
        iteration=left.state.iteration, done={
            "continued from": f"{left.source}, iteration {left.state.iteration:,}", "iterations": len(measured.stored.psnr),
            "views": len(looked.data.train), "pictures": looked.told, "Gaussians": left.state.gaussians.count,
            "left out": "densification, opacity resets and MCMC's noise, so that Adam alone moves the Gaussians",
            "settings of the reference, where the run tells none": ", ".join(usual) or "none",
        },
    )


def _steps(bench: Bench) -> int:
    return max(bench.wish.steps or STEPS, 2 * FIRST)


def _shown(bench: Bench, left: Left) -> Shown:
    first = left.state.iteration + 1
    return shown(bench, bench.wish.longest_px or LONGEST_PX, MOST_VIEWS, (first, first + _steps(bench)))


def _refuse(left: Left) -> None:
    gaussians = left.state.gaussians
    if not gaussians.count:
        raise OutOfReach(f"Gaussians in {left.source}")
    bad = np.zeros(gaussians.count, bool)
    for name in GROUPS:
        bad |= ~np.isfinite(gaussians.load(name)).reshape(gaussians.count, -1).all(axis=1)
    if bad.any():
        raise OutOfReach(f"a save that is finite: {int(bad.sum()):,} rows of {left.source} are not (ask the nan probe)")
    if gaussians.sh_degree > HIGHEST_DEGREE:
        raise OutOfReach(f"Gaussians of SH degree {HIGHEST_DEGREE} or less, not {gaussians.sh_degree}")


def _desk(bench: Bench, left: Left, looked: Shown) -> tuple[Desk, tuple[str, ...]]:
    """And the names of settings that the run does not tell."""
    own = own_settings(bench.evidence.run, sh_degree=left.state.gaussians.sh_degree, dilation_px2=looked.dilation_px2,
                       white_background=looked.source.background == "white", seed=bench.wish.seed)
    spread = bench.fact_or_none("cameras_spread")
    extent = left.state.spatial_lr_scale or (looked.data.extent if spread is None else spread.extent)
    return Desk(looked, own.values, chosen_engine(bench.wish.engine).render, extent), own.usual


@dataclass
class _Counter:
    """Progress over all passes."""

    bench: Bench
    whole: int
    doing: str = ""
    before: int = 0

    def of(self, doing: str, steps: int) -> Told:
        self.doing, start = doing, self.before
        self.before += steps
        return lambda number: self.bench.progress((start + number) / self.whole, self.doing)


def _affordable(bench: Bench, left: Left, desk: Desk) -> int:
    """The steps that were asked for, or as many as there is time for, which is measured where Gaussians are many."""
    wanted, timed = _steps(bench), 3
    if left.state.gaussians.count < MANY:
        return wanted
    before = bench.seconds
    gathered(desk, left.state, timed, lambda _: bench.beat())
    each = (bench.seconds - before) / timed
    return int(min(wanted, max(TIME_SHARE * bench.seconds_left / (PASSES * each), 2 * FIRST)))


def _measured(bench: Bench, left: Left, desk: Desk, looked: Shown) -> findings.Measured:
    """The state as a trainer would load it, without its moments, and with moments gathered before anything moves."""
    steps, state = _affordable(bench, left, desk), left.state
    count = _Counter(bench, PASSES * steps)
    name = "as stored" if left.is_state else "from the point cloud alone"
    stored = continued(bench, desk, state, steps, name, count.of("Going on as stored", steps))
    anew = stored if len(left.lacking) >= len(stored.updates) else continued(
        bench, desk, bare(state), steps, "without Adam's moments", count.of("Going on without Adam's moments", steps))
    still = gathered(desk, state, steps, count.of("Gathering moments while nothing moves", steps))
    warm = continued(bench, desk, _warmed(state, still, left.lacking), steps, "with gathered moments",
                     count.of("Going on with gathered moments", steps))
    schedule = bench.fact_or_none("schedule")
    return findings.Measured(
        left, stored, anew, warm, agreement(state, still),
        None if left.restarted != state.iteration else followed(bench, looked, stored, anew, state.iteration),
        None if schedule is None else schedule.since_reset(state.iteration), looked.shrunk,
    )


def _warmed(state: TrainingState, still: TrainingState, lacking: tuple[str, ...]) -> TrainingState:
    """Gathered moments stand in for those that lack; for all of them where none does, to see what gathering is worth."""
    return with_moments(state, still, lacking or tuple(still.adam))

