"""Faults of growth: densification that does nothing or never ends, and resets that are not made good."""

from dataclasses import dataclass

import numpy as np

from diagnostics.facts.saved import file_of
from diagnostics.facts.settled import kept_faint
from diagnostics.measures.curves import best, last_finite, since, until
from diagnostics.practice.practice import Practice
from diagnostics.registry import detects
from diagnostics.schedule import Schedule
from diagnostics.verdict import EvidenceRow, Finding, GaussianPlace, NotEvaluable
from diagnostics.wording import percent
from runs.arrays import I64, Mask
from runs.checkpoints import Checkpoint
from runs.series import Series
from runs.settings import NOT_STORED


@detects("densification-never-triggers")
def never_grows(
    counts: Series, schedule: Schedule, grown: tuple[Series, ...] | None = None, cap: int | None = None,
    *, events: int = 3, growth: float = 0.002, full: float = 0.99,
) -> Finding | NotEvaluable | None:
    """Several densifications went by, and next to no Gaussian was born. Who starts at a cap has no room to grow."""
    first, last = int(counts.iterations[0]), int(counts.iterations[-1])
    passed = [event for event in schedule.densifications if first <= event < last]
    if cap is not None and counts.values[0] >= full * cap:
        return None
    if len(passed) < events:
        return NotEvaluable((f"a range that covers at least {events} densifications",))
    start, most = float(counts.values[0]), float(np.nanmax(counts.values))
    born = _rises(counts) if grown is None else sum(float(np.nansum(series.values)) for series in grown)
    if born > growth * start:
        return None
    if grown is None and np.nanmin(counts.values) < (1 - growth) * start and len(counts) < len(passed):
        return NotEvaluable(("series densify/cloned and densify/split (a few falling counts cannot tell births from removals)",))
    assumed = grown is None and NOT_STORED in schedule.source
    return Finding(
        f"{born:,.0f} Gaussians were born in {len(passed)} densifications; "
        f"the count started at {start:,.0f} and never passed {most:,.0f}"
        + (" (densifications by the trainer's defaults: this run may have switched them off)" if assumed else ""),
        evidence=(
            EvidenceRow("Gaussians born / Gaussians at the start", born / start, growth, "share", passed[-1], counts.source),
            EvidenceRow("densifications passed", len(passed), events, "count", passed[-1], schedule.source),
            EvidenceRow("most Gaussians", most, None, "count", None, counts.source),
        ),
        iterations=(passed[0], passed[-1]), confidence=0.4 if assumed else 0.9, severity="info" if assumed else None,
        facts={"count": f"{start:,.0f}", **({"densifications": len(passed)} if assumed else {})},
    )


@detects("opacity-reset-regression")
def reset_not_made_good(
    checkpoints: tuple[Checkpoint, ...], schedule: Schedule, quality: Series | None = None,
    practice: Practice | None = None,
    *, stuck: float = 0.1, drop_db: float = 1.5, reset_opacity: float = 0.01, logit_tolerance: float = 1e-3,
    faint: float = 0.5, faint_opacity: float = 0.02,
) -> Finding | NotEvaluable | None:
    """Long after a reset many Gaussians still have the reset opacity, or most are hardly above it and quality stays down.

    A dip that is made good is how a reset should look.
    """
    if not schedule.resets:
        return None if schedule.resets_known else NotEvaluable(("when opacities are reset (settings or log)",))
    checkpoint = _after_recovery(checkpoints, schedule)
    if checkpoint is None:
        return NotEvaluable((f"a checkpoint saved more than {schedule.recovery} iterations after a reset, in the chosen range",))
    iteration, source, reset = checkpoint.iteration, file_of(checkpoint), _last_reset(schedule, checkpoint)
    onset = _onset(quality, schedule, reset, drop_db)
    drop = _drop_across(quality, onset, schedule)
    learning = ~_unreached(checkpoints, checkpoint, reset)
    unmoved = _stuck(checkpoint, learning, reset_opacity, logit_tolerance)
    low = _faint(checkpoint, learning, faint_opacity)
    if unmoved.share < stuck and not (low.share >= faint and drop is not None and drop >= drop_db):
        return None
    shown, limit = (unmoved, stuck) if unmoved.share >= stuck else (low, faint)
    harmless = shown.share < faint if drop is None else drop < drop_db  # unlogged, the median Gaussian speaks for the picture
    if harmless and (why := kept_faint(practice, iteration)) is not None:
        return why
    told = f", and {quality.name} stayed {drop:.1f} dB below what it was before" if quality and drop and drop > 0 else ""
    return Finding(
        f"{percent(shown.share)} of {checkpoint.count:,} Gaussians still have {shown.what}, "
        f"{iteration - reset:,} iterations after the reset at {reset:,}{told}",
        evidence=(
            EvidenceRow(f"Gaussians with {shown.what}", shown.share, limit, "share", iteration, source),
            EvidenceRow("median opacity", float(np.median(checkpoint.gaussians.opacities)), None, "", iteration, source),
            EvidenceRow("drop of quality across resets", drop, drop_db, "dB", onset, quality.source if quality else ""),
        ),
        iterations=(onset, iteration), gaussians=GaussianPlace(shown.rows, iteration, checkpoint.count),
        confidence=0.7 if drop is None else 0.9, severity="minor" if harmless else None,
        colour_by="opacity", facts={"reset": reset},
    )


@detects("grows-after-densification-ended")
def grows_too_long(counts: Series, schedule: Schedule, *, growth: float = 0.01) -> Finding | NotEvaluable | None:
    """The count still rises after the iteration at which densification is meant to end. A frozen count is by design."""
    end = schedule.densify_until
    if end is None:
        return NotEvaluable(("when densification is meant to end (setting densify_until_iter)",))
    late = since(counts, end + 1)
    if len(late) < 2:
        return NotEvaluable((f"counts after iteration {end}, where densification ends",))
    at, most = best(late) or (end, float("nan"))
    start = float(late.values[0])
    risen = most / start - 1 if start else 0.0
    if not risen > growth:
        return None
    not_stored = NOT_STORED in schedule.source
    return Finding(
        f"The count rose by {percent(risen)}, from {start:,.0f} to {most:,.0f}, after the end of densification at iteration "
        f"{end:,}"
        + (" (the trainer's default: this run may have been given another end)" if not_stored else ""),
        evidence=(
            EvidenceRow("growth after the end of densification", risen, growth, "share", at, counts.source),
            EvidenceRow("end of densification", end, None, "iteration", end, schedule.source),
            EvidenceRow("Gaussians", most, None, "count", at, counts.source),
        ),
        iterations=(end, at), confidence=0.4 if not_stored else 0.9, severity="info" if not_stored else None,
        facts={"until": end, "most": round(most)},
    )


def _rises(counts: Series) -> float:
    """Gaussians that must have been born: every rise from one count to the next."""
    steps = np.diff(counts.values[np.isfinite(counts.values)])
    return float(steps[steps > 0].sum())


def _settled_end(series: Series, schedule: Schedule | None) -> tuple[int, float] | None:
    """The last value that no reset excuses."""
    return last_finite(series if schedule is None else schedule.outside_resets(series))


def _after_recovery(checkpoints: tuple[Checkpoint, ...], schedule: Schedule) -> Checkpoint | None:
    """The last checkpoint that follows a reset and lies outside the time that its recovery may take."""
    for checkpoint in reversed(checkpoints):
        if schedule.since_reset(checkpoint.iteration) is not None and not schedule.is_muted(checkpoint.iteration):
            return checkpoint
    return None


def _last_reset(schedule: Schedule, checkpoint: Checkpoint) -> int:
    return checkpoint.iteration - (schedule.since_reset(checkpoint.iteration) or 0)


@dataclass(frozen=True, eq=False)
class _Low:
    """Gaussians whose opacity a reset may have left behind."""

    what: str  # "opacity …", for the user
    rows: I64
    share: float  # 0..1, of the checkpoint's Gaussians


def _unreached(checkpoints: tuple[Checkpoint, ...], checkpoint: Checkpoint, reset: int) -> Mask:
    """bool [N]: whose colours and places did not change either since an earlier save after the reset; False where none tells.

    No gradient at all reaches them, because no camera sees them or a mask hides them: that is no fault of the reset.
    """
    earlier = next((c for c in checkpoints if reset <= c.iteration < checkpoint.iteration and c.count == checkpoint.count), None)
    if earlier is None:
        return np.zeros(checkpoint.count, bool)
    before, after = earlier.gaussians, checkpoint.gaussians
    return np.asarray((before.sh0 == after.sh0).all(axis=1) & (before.means == after.means).all(axis=1))


def _stuck(checkpoint: Checkpoint, learning: Mask, reset_opacity: float, tolerance: float) -> _Low:
    """Exactly the opacity of a reset: not one step since."""
    logit = np.log(reset_opacity / (1 - reset_opacity))
    rows = np.flatnonzero(learning & (np.abs(checkpoint.gaussians.logit_opacities - logit) < tolerance))
    return _Low(f"opacity {reset_opacity:g}", rows, len(rows) / checkpoint.count)


def _faint(checkpoint: Checkpoint, learning: Mask, highest: float) -> _Low:
    """Steps that are too short leave a reset only slowly; no value is then exactly the reset's."""
    rows = np.flatnonzero(learning & (checkpoint.gaussians.opacities <= highest))
    return _Low(f"an opacity of at most {highest:g}", rows, len(rows) / checkpoint.count)


def _onset(quality: Series | None, schedule: Schedule, last: int, drop_db: float) -> int:
    """The first reset, not after `last`, from which quality never came back; `last` where quality does not tell."""
    if quality is not None:
        for reset in (reset for reset in schedule.resets if reset <= last):
            before, after = best(until(quality, reset)), best(since(quality, reset + 1))
            if before is not None and after is not None and before[1] - after[1] >= drop_db:
                return reset
    return last


def _drop_across(quality: Series | None, reset: int, schedule: Schedule) -> float | None:
    """dB lost from the best until `reset` to the settled end after it; None where one is not known."""
    if quality is None:
        return None
    before, after = best(until(quality, reset)), _settled_end(since(quality, reset + 1), schedule)
    return None if before is None or after is None else before[1] - after[1]
