"""Faults of number: more Gaussians than the photos can pay for, a cap that forbids growth, a cap full of the invisible."""

from diagnostics.facts.budget import Budget
from diagnostics.facts.refinements import Refinement
from diagnostics.facts.regularisers import Deaths
from diagnostics.facts.saved import file_of
from diagnostics.measures.curves import last_finite
from diagnostics.measures.generations import INVISIBLE
from diagnostics.measures.shares import share
from diagnostics.registry import detects
from diagnostics.schedule import Schedule
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace, NotEvaluable
from diagnostics.wording import percent
from runs.arrays import F32
from runs.checkpoints import Checkpoint
from runs.series import Series

FULL = 0.99  # of a cap: counts stop exactly there, but for a last removal


@detects("densification-runs-away")
def runs_away(
    checkpoint: Checkpoint, budget: Budget, start_count: int, grown: tuple[Series, ...] | None = None,
    counts: Series | None = None, train_psnr: Series | None = None, test_psnr: Series | None = None,
    schedule: Schedule | None = None, cap: int | None = None,
    *, unknowns: float = 1.0, unknowns_fast: float = 0.4, rate: float = 0.33, growth: float = 3.0, views: int = 12,
    events: int = 3,
) -> Finding | NotEvaluable | None:
    """Densification, not the start, made more Gaussians than the training photos hold numbers to fix them."""
    if budget.views < views:
        return NotEvaluable((f"at least {views} training photos (few hold too little for any number of Gaussians)",))
    births = _birth_share(grown, counts, events)
    risen = _rise(checkpoint, start_count, schedule, events) if births is None else births
    fast = risen is not None and risen >= rate
    limit = unknowns_fast if fast else unknowns
    if not budget.per_measured > limit or checkpoint.count < growth * start_count:
        return None
    gap = _gap(train_psnr, test_psnr)
    told = "" if risen is None else f"; each densification added {percent(risen)} to what was there, in the mean"
    capped = f", and only the cap of {cap:,} ended it" if cap is not None and checkpoint.count >= FULL * cap else ""
    return Finding(
        f"{checkpoint.count:,} Gaussians, {checkpoint.count / start_count:.1f} times those of the start, hold "
        f"{budget.per_measured:.1f} numbers for each number in the training photos" + told + capped,
        evidence=(
            EvidenceRow("numbers to be learned / numbers in the training photos", budget.per_measured, limit, "",
                        checkpoint.iteration, file_of(checkpoint)),
            EvidenceRow("Gaussians / Gaussians at the start", checkpoint.count / start_count, growth, "", checkpoint.iteration,
                        file_of(checkpoint)),
            EvidenceRow("Gaussians added per densification / Gaussians then, mean", risen, rate, "share", None,
                        grown[0].source if grown and births is not None else file_of(checkpoint)),
            EvidenceRow("PSNR of training views over that of test views", gap, None, "dB", checkpoint.iteration,
                        test_psnr.source if test_psnr is not None else ""),
        ),
        iterations=_growing(counts, checkpoint), confidence=0.8, facts={"count": f"{checkpoint.count:,}"},
    )


@detects("cap-below-initial-count")
def cap_below_start(cap: int, start_count: int, counts: Series) -> Finding | None:
    """The trainer may not have more Gaussians than it started with, so it never adds one."""
    most = float(counts.values.max())
    if start_count <= cap or most > start_count:
        return None
    first, last = int(counts.iterations[0]), int(counts.iterations[-1])
    return Finding(
        f"The cap of {cap:,} lies below the {start_count:,} Gaussians of the start, and none was added until iteration {last:,}",
        evidence=(
            EvidenceRow("Gaussians at the start", start_count, cap, "count", first, counts.source),
            EvidenceRow("most Gaussians", most, None, "count", last, counts.source),
        ),
        iterations=(first, last), confidence=0.95,
        facts={"start": f"{start_count:,}", "cap": f"{cap:,}", "room": 3 * start_count},
    )


@detects("dead-mass-at-cap")
def dead_at_cap(
    checkpoint: Checkpoint, opacities: F32, cap: int, schedule: Schedule | None = None,
    refinements: tuple[Refinement, ...] | None = None, deaths: Deaths | None = None,
    *, full: float = FULL, dead: float = 0.3, serious: float = 0.5, idle: float = 0.005, kept: float = 0.5, rows: int = 10,
) -> Finding | None:
    """The cap is reached, and much of what fills it cannot be drawn; or nobody who cannot be drawn is ever moved."""
    if checkpoint.count < full * cap:
        return None
    invisible = opacities < INVISIBLE
    dead_share = share(invisible)
    ended = schedule is not None and schedule.planned_end is not None and checkpoint.iteration >= schedule.planned_end
    before, after = sum(r.dead for r in refinements or ()), sum(r.kept_dead for r in refinements or ())
    unmoved = before >= rows and after > kept * before and dead_share > idle
    if not unmoved and not (ended and dead_share > dead):
        return None
    alive = None if deaths is None else int((opacities > deaths.threshold).sum())
    told = "" if deaths is None else f"; {alive:,} are above the opacity that MCMC takes for dead ({deaths.threshold:g})"
    told += f"; {percent(after / before)} of those outlived the refinements that should have moved them" if unmoved else ""
    return Finding(
        f"{percent(dead_share)} of the {checkpoint.count:,} Gaussians under the cap of {cap:,} cannot be drawn "
        f"(opacity below 1/255): {int((~invisible).sum()):,} make the picture{told}",
        evidence=(
            EvidenceRow("Gaussians with an opacity below 1/255", dead_share, idle if unmoved else dead, "share",
                        checkpoint.iteration, file_of(checkpoint)),
            EvidenceRow("Gaussians above the opacity that MCMC takes for dead", alive, None, "Gaussians", checkpoint.iteration,
                        file_of(checkpoint)),
            EvidenceRow("Gaussians / cap", checkpoint.count / cap, full, "", checkpoint.iteration, file_of(checkpoint)),
            EvidenceRow("invisible Gaussians that outlived a refinement / all of them", after / before if before else None, kept,
                        "share", refinements[-1].last if refinements else None),
        ),
        iterations=(checkpoint.iteration, checkpoint.iteration), confidence=0.9,
        gaussians=GaussianPlace(invisible.nonzero()[0], checkpoint.iteration, checkpoint.count),
        severity="major" if dead_share > serious else None, colour_by="opacity",
        facts={"drawn": f"{int((~invisible).sum()):,}", "alive": int((~invisible).sum())},
    )


def _gap(train: Series | None, test: Series | None) -> float | None:
    """dB at the end; None where one of the two is not logged."""
    known = (last_finite(train) if train is not None else None, last_finite(test) if test is not None else None)
    return None if known[0] is None or known[1] is None else known[0][1] - known[1][1]


def _birth_share(grown: tuple[Series, ...] | None, counts: Series | None, events: int) -> float | None:
    """Mean over the logged densifications of born / there before."""
    if grown is None or counts is None:
        return None
    shares = [sum(float(series.at(int(event)) or 0) for series in grown) / before
              for event in grown[0].iterations if (before := counts.at(int(event)))]
    return sum(shares) / len(shares) if len(shares) >= events else None


def _rise(checkpoint: Checkpoint, start: int, schedule: Schedule | None, events: int) -> float | None:
    """Where births are not logged: the constant rate at which so many densifications lead from the start to this count."""
    passed = sum(event < checkpoint.iteration for event in schedule.densifications) if schedule is not None else 0
    return float((checkpoint.count / start) ** (1 / passed) - 1) if passed >= events and start else None


def _growing(counts: Series | None, checkpoint: Checkpoint) -> tuple[int, int]:
    """From the first to the last rise of the count."""
    if counts is None or not (counts.values[1:] > counts.values[:-1]).any():
        return checkpoint.iteration, checkpoint.iteration
    rises = (counts.values[1:] > counts.values[:-1]).nonzero()[0]
    return int(counts.iterations[rises[0]]), int(counts.iterations[rises[-1] + 1])
