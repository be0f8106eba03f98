"""The overfit probe's sentence and table, whatever it found."""

from collections.abc import Iterator

from diagnostics.probes.answer import Judged
from diagnostics.probes.overfit_findings import contradiction_rows, gain_row
from diagnostics.probes.overfit_measured import Bars, Measured
from diagnostics.verdict import EvidenceRow

PROVES = "This shows that points and settings can be optimised here; it does not show that poses and photos are right."


def says(measured: Measured, bars: Bars, found: tuple[Judged, ...]) -> str:
    """One paragraph with the numbers."""
    first = next((each.finding.says for each in found if each.finding is not None), "")
    if measured.trials is not None:
        return f"{first}." if first else (
            f"Views alone gain {measured.gained:.1f} dB over their mean colour (bar: {bars.gained_db:g} dB), and why stays open.")
    reached = f"Views alone gain {measured.gained:.1f} dB over their mean colour (bar: {bars.gained_db:g} dB). {PROVES}"
    return " ".join((reached, *([f"{first}."] if first else (*_joint(measured), *_ahead(measured, bars)))))


def _joint(measured: Measured) -> Iterator[str]:
    if measured.together is not None:
        fitted = measured.together.fitted
        yield (f"{len(fitted.views)} views together reach {fitted.typical:.1f} dB (median), and none of them is at odds with the "
               "others.")


def _ahead(measured: Measured, bars: Bars) -> Iterator[str]:
    """Only where it is more than sound runs show, and the data did not speak first: views that contradict each other spoil a long
    training of all of them more than a short one of ten."""
    ahead = measured.ahead
    if ahead is not None and ahead > bars.ahead_db:
        yield (f"On the same views the run's own last save reaches {measured.own_psnr:.1f} dB, {ahead:.1f} dB less than this "
               "short training of ten views: look at the training's code and schedule first, then at start, settings and data.")


def rows(measured: Measured, bars: Bars) -> tuple[EvidenceRow, ...]:
    """What was measured, beside its limits."""
    return (*_alone(measured, bars), *_together(measured, bars))


def _alone(measured: Measured, bars: Bars) -> Iterator[EvidenceRow]:
    source = f"{measured.steps:,} steps on one view"
    yield gain_row(measured, bars)
    for each in measured.alone:
        yield EvidenceRow(f"{each.camera} alone", each.psnr, None, "dB", source=source)
        yield EvidenceRow(f"{each.camera}, its mean colour", each.flat, None, "dB")
        yield EvidenceRow(f"{each.camera}: start points in its picture", each.lies.inside, None)


def _together(measured: Measured, bars: Bars) -> Iterator[EvidenceRow]:
    if measured.together is not None:
        yield from contradiction_rows(measured.together, bars)
        yield EvidenceRow("the run's own last save on the views fitted alone, median", measured.own_psnr, None, "dB")
        yield EvidenceRow("by which these fits beat it", measured.ahead, bars.ahead_db, "dB")
