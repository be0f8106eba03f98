"""Faults of schedules: events that come too often, too late, or never though they were planned."""

from collections.abc import Iterator
from dataclasses import dataclass

from diagnostics.facts.rates import Rate
from diagnostics.facts.schedules import Degrees, Dip
from diagnostics.registry import detects
from diagnostics.schedule import Schedule
from diagnostics.verdict import SEVERITIES, EvidenceRow, Finding, Fix, Severity

BACK_TO_HALF = 4.6  # from logit(0.01) to logit(0.5), in the unit of an opacity step
INTERVAL = "opacity_reset_interval"


@dataclass(frozen=True)
class _Mismatch:
    """One way in which a schedule defeats itself."""

    says: str
    severity: Severity
    iterations: tuple[int, int]
    rows: tuple[EvidenceRow, ...]
    fix: Fix


@detects("schedules-overlap-or-hide")
def schedules_hide(
    schedule: Schedule, span: tuple[int, int], rates: tuple[Rate, ...] | None = None,
    reset_dips: tuple[Dip, ...] | None = None, degrees: Degrees | None = None, planned_iterations: int | None = None,
    *, densifications: float = 2.0, fades: float = 1.3, unfinished: float = 0.99,
) -> Finding | None:
    """Resets that leave no time to recover, resets that never show, and colour degrees that never come."""
    found = [
        *_too_often(schedule, rates or (), densifications),
        *_too_late(schedule, span, planned_iterations, unfinished),
        *_hidden(reset_dips or (), fades),
        *_empty_window(schedule, span),
        *_no_degree(degrees, span),
    ]
    if not found:
        return None
    found.sort(key=lambda mismatch: SEVERITIES.index(mismatch.severity))
    worst = found[0]
    return Finding(
        ". ".join(mismatch.says for mismatch in found), evidence=tuple(row for mismatch in found for row in mismatch.rows),
        iterations=worst.iterations, confidence=0.8, severity=worst.severity, fixes=tuple(mismatch.fix for mismatch in found),
    )


def _too_often(schedule: Schedule, rates: tuple[Rate, ...], limit: float) -> Iterator[_Mismatch]:
    every, densify = schedule.reset_every, schedule.densify_every
    if len(schedule.resets) < 2 or not every or not densify or every >= limit * densify:
        return
    needed = _steps_back(rates)
    yield _Mismatch(
        f"Opacities are reset every {every:,} iterations, {every / densify:.1f} densifications apart; the way back from 0.01 to "
        f"0.5 alone takes {needed:,.0f} steps",
        "major" if every < needed or every <= densify else "minor", (schedule.resets[0], schedule.resets[-1]),
        (EvidenceRow("iterations between resets / between densifications", every / densify, limit, "", schedule.resets[0],
                     schedule.source),
         EvidenceRow("iterations between resets", every, needed, "iterations", None, schedule.source)),
        Fix("Make opacity resets rarer: thirty densifications apart in the reference", "quality is back before each next reset",
            INTERVAL, every, 30 * densify),
    )


def _steps_back(rates: tuple[Rate, ...]) -> float:
    """Adam steps from opacity 0.01 to 0.5 at the rate of the opacities."""
    rate = next((rate.value for rate in rates if rate.group == "opacity"), 0.05)
    return BACK_TO_HALF / rate if rate > 0 else float("inf")


def _too_late(schedule: Schedule, span: tuple[int, int], planned: int | None, unfinished: float) -> Iterator[_Mismatch]:
    """The run ended while a reset was still being made good."""
    last = schedule.resets[-1] if schedule.resets else None
    if last is None or planned is None or span[1] < unfinished * planned or not schedule.is_muted(span[1]):
        return
    yield _Mismatch(
        f"The last opacity reset was {span[1] - last:,} iterations before the end at {span[1]:,}, too late to be made good",
        "minor", (last, span[1]),
        (EvidenceRow("iterations from the last reset to the end", span[1] - last, schedule.recovery, "iterations", last,
                     schedule.source),),
        Fix("End densification and resets earlier, or train longer", "the last reset is followed by a full recovery",
            "densify_until_iter", schedule.densify_until, None),
    )


def _hidden(dips: tuple[Dip, ...], fades: float) -> Iterator[_Mismatch]:
    """A reset takes nearly all opacity away at once: a loss that does not answer was not touched."""
    if not dips or any(dip.rise >= fades for dip in dips):
        return
    worst = max(dips, key=lambda dip: dip.rise)
    yield _Mismatch(
        f"None of {len(dips)} planned opacity resets shows in the loss: L1 rises to {worst.rise:.2f} times its value at most",
        "minor", (dips[0].reset, dips[-1].reset),
        tuple(EvidenceRow("L1 just after a reset / just before", dip.rise, fades, "", dip.reset, dip.source) for dip in dips),
        Fix("Check that the reset writes into the tensor that is trained, and is called at all",
            "L1 jumps to several times its value after a reset, and comes back"),
    )


def _empty_window(schedule: Schedule, span: tuple[int, int]) -> Iterator[_Mismatch]:
    """The settings let densification begin after it has ended; a trainer's defaults never do."""
    start, end = schedule.densify_from, schedule.densify_until
    if start is None or end is None or start < end or span[1] < end:
        return
    yield _Mismatch(
        f"Densification is set to begin after iteration {start:,} and to end before {end:,}: it never happens",
        "minor", (end, max(start, end)),
        (EvidenceRow("start of densification", start, end, "iteration", end, schedule.source),),
        Fix("Let densification begin before it ends; if it is switched off on purpose, ignore this",
            "the count rises at every densification", "densify_from_iter", start, min(500, end // 4)),
    )


def _no_degree(degrees: Degrees | None, span: tuple[int, int]) -> Iterator[_Mismatch]:
    if degrees is None or degrees.reached >= degrees.due or not span[0] <= degrees.at <= span[1]:
        return
    yield _Mismatch(
        f"View-dependent colours stopped at degree {degrees.reached}: at iteration {degrees.at:,} degree {degrees.due} was due, "
        f"and coefficients of degree {degrees.most} are stored",
        "major" if degrees.reached == 0 else "minor", (min(degrees.interval, degrees.at), degrees.at),
        (EvidenceRow("colour degree reached", degrees.reached, degrees.due, "", degrees.at, degrees.source),),
        Fix("Raise the active colour degree by one every so many iterations (1,000 in the reference)",
            "sh_degree rises in the log, highlights move with the view"),
    )
