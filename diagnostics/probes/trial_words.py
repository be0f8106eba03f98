"""A trial in words: what was tried, whether the finding went, and the difference with its noise."""

from collections.abc import Iterator

import numpy as np

from diagnostics.diagnosis import Reported
from diagnostics.probes.trial_changes import Change
from diagnostics.probes.trial_outcome import ENOUGH, Difference, Summary, main_row, mean_of, value_of
from diagnostics.probes.trial_pairs import Trained, found
from diagnostics.report.wording import number
from diagnostics.verdict import EvidenceRow, NotEvaluable
from diagnostics.wording import percent


def says(reported: Reported, change: Change, summary: Summary) -> str:
    """The whole difference, in one sentence without its end."""
    return (f"{named(change)}: {symptom(reported, summary)}; {quality(summary)}; {cost(summary)} "
            f"({len(summary.pairs)} {'pair' if len(summary.pairs) == 1 else 'pairs'} of short trainings)")


def named(change: Change) -> str:
    """"densify_grad_threshold 0.0004", "training views without the 5 named"."""
    return f"{change.label} {number(change.proposed) if isinstance(change.proposed, int | float) else change.proposed}"


def symptom(reported: Reported, summary: Summary) -> str:
    """Where the finding shows, and how much of it."""
    n = len(summary.pairs)
    told = (f"{reported.pattern.code} shows in {summary.controls_with} of {n} trainings without the change and in "
            f"{summary.trials_with} of {n} with it")
    measured = "; ".join(_amounts(summary))
    only = " (it speaks of what was set, so that alone proves nothing)" if summary.set_only and not summary.trials_with else ""
    return f"{told}{f' ({measured})' if measured else ''}{only}"


def _amounts(summary: Summary) -> Iterator[str]:
    before = [each for pair in summary.pairs if (each := found(pair.control)) is not None]
    after = [each for pair in summary.pairs if (each := found(pair.trial)) is not None]
    row = next((row for each in before if (row := main_row(each)) is not None), None)
    if row is not None:
        was, now = ([value_of(main) for each in part if (main := main_row(each)) is not None] for part in (before, after))
        shown = number(float(np.mean(was)), row.unit)
        yield (f"{row.what} {shown} → {number(float(np.mean(now)), row.unit)}" if now
               else f"{row.what} {shown} without it, limit {number(row.limit, row.unit)}")
    rows = [[each.gaussians.count for each in part if each.gaussians is not None] for part in (before, after)]
    if rows[0]:
        fewer = 1 - np.mean(rows[1] or [0]) * (len(rows[1]) / max(1, len(rows[0]))) / np.mean(rows[0])
        yield f"{percent(abs(float(fewer)))} {'fewer' if fewer >= 0 else 'more'} of its Gaussians"


def quality(summary: Summary) -> str:
    on = "held-out views" if summary.held_out else "training views (there are no held-out ones)"
    return f"PSNR of {on} {difference(summary.psnr, 2)} dB, SSIM {difference(summary.ssim, 3)}"


def difference(values: Difference, digits: int) -> str:
    """"+0.62 ± 0.21"; of a single seed without noise."""
    noise = f" ± {values.deviation:.{digits}f}" if len(values.each) > 1 else ""
    return f"{values.mean:+.{digits}f}{noise}"


def cost(summary: Summary) -> str:
    controls, trials = sides(summary)
    counts, seconds = ([mean_of(side, name) for side in (controls, trials)] for name in ("count", "seconds"))
    return f"Gaussians {counts[0]:,.0f} → {counts[1]:,.0f}, {seconds[0]:.1f} → {seconds[1]:.1f} s per training"


def sides(summary: Summary) -> tuple[tuple[Trained, ...], tuple[Trained, ...]]:
    """Controls and trials, seed by seed."""
    return tuple(pair.control for pair in summary.pairs), tuple(pair.trial for pair in summary.pairs)


def verdict(helped: bool | None, summary: Summary, wanted: int, smaller: float, least_db: float) -> str:
    """The answer to the question, in front of the numbers; the last two as in `Summary.helped`."""
    if len(summary.pairs) < ENOUGH:
        short = f" (of {wanted} that were meant: time ran out)" if len(summary.pairs) < wanted else ""
        return f"Not validated, for want of seeds: {len(summary.pairs)} of at least {ENOUGH} pairs{short}"
    if helped is not None:
        return "Validated in short trainings" if helped else "It makes short trainings worse"
    if summary.controls_with < len(summary.pairs):
        return "Not validated: not every short training without the change shows the trouble"
    gone = "the finding goes" if summary.is_smaller(smaller) else "the finding stays"
    if summary.psnr.is_better(least_db):
        return f"Not validated: the picture is better, but {gone}"
    return f"Not validated: {gone}, and the picture is no better beyond the noise"


def rows(reported: Reported, summary: Summary) -> tuple[EvidenceRow, ...]:
    """Both sides' numbers, means over seeds."""
    controls, trials = sides(summary)
    source, shown = "short trainings", (("without", summary.controls_with), ("with", summary.trials_with))
    told = [EvidenceRow(f"trainings {which} the change that show {reported.pattern.code}", amount, None,
                        f"of {len(summary.pairs)}", None, source) for which, amount in shown]
    for which, side in (("without", controls), ("with", trials)):
        told += [EvidenceRow(f"{what} {which} the change", mean_of(side, name), None, unit, None, source)
                 for what, name, unit in (("PSNR", "psnr", "dB"), ("SSIM", "ssim", ""), ("Gaussians", "count", "count"),
                                          ("time", "seconds", "s"))]
    told += [EvidenceRow(f"PSNR gained, seed {pair.seed}", pair.trial.psnr - pair.control.psnr, None, "dB", None, source)
             for pair in summary.pairs]
    return tuple(told)


def unshown(reported: Reported, control: Trained) -> str:
    """Why the trial cannot tell: the control does not show what the fix is meant for."""
    if isinstance(control.verdict, NotEvaluable):
        return (f"a short training in which {reported.pattern.code} can be judged (here it cannot: "
                f"{'; '.join(control.verdict.missing)})")
    return (f"a short training that shows the trouble: without any change {reported.pattern.code} does not show "
            f"(PSNR {control.psnr:.1f} dB, {control.count:,} Gaussians), so it cannot tell whether the fix helps. Either the "
            "trainer does something else than its settings say, or the trouble needs the full length or size")


