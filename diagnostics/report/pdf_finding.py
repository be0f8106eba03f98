"""One finding in the PDF: what was measured, when it began, why, what to do, what it looks like."""

from collections.abc import Iterator, Sequence

from reportlab.platypus import CondPageBreak, Flowable, KeepTogether, Table

from diagnostics.accuracy import sentence_of
from diagnostics.catalogue import Pattern
from diagnostics.report import pdf_style as style
from diagnostics.report.finding_words import beginning, doubts, prospects, resemblance, typed
from diagnostics.report.pdf_parts import (
    HALF,
    Bookmark,
    Chip,
    Pages,
    evidence,
    label,
    labelled,
    limits,
    link,
    pairs,
    pictures,
    plain_grid,
    room,
    side_by_side,
    source_line,
    table,
    text,
    with_code,
)
from diagnostics.report.pdf_plots import PlotBox
from diagnostics.report.plots import Plot, plot_key
from diagnostics.report.report import FindingPage, Report
from diagnostics.report.wording import capitalised, iterations, percent, places
from diagnostics.verdict import NOT_AVAILABLE

PLOT_HEIGHT = 74.0  # points, of the axes
FINDING_NEEDS = 0.55 * style.HEIGHT  # a finding starts on a new page where less is left


def finding_key(page: FindingPage) -> str:
    return f"finding-{page.number}"


def finding(page: FindingPage, report: Report, pages: Pages) -> Iterator[Flowable]:
    reported = page.reported
    yield CondPageBreak(FINDING_NEEDS)
    yield Bookmark(finding_key(page), f"{reported.pattern.code} {reported.pattern.title}", 1, pages)
    yield _finding_heading(page)
    yield text(reported.finding.says, style.LEAD)
    if reported.harmless:
        yield text(reported.harmless)
    if page.found_by:
        yield text(page.found_by)
    yield from _places(page)
    yield from _record(reported.pattern)
    yield from _explained(page, report)
    yield from _seen(page)
    yield from _measured(page)
    yield from _began(page)
    yield from label("Cause")
    yield text(reported.cause or NOT_AVAILABLE)
    yield from _fixes(page)
    yield from _look_alikes(page)
    yield from _often_said(page)
    yield from _sources(page)
    yield room(10)


def _finding_heading(page: FindingPage) -> Flowable:
    reported = page.reported
    chip = Chip(reported.severity)
    parts = (reported.pattern.code, reported.pattern.kind, iterations(reported.iterations),
             f"confidence {percent(reported.finding.confidence)}", doubts(reported))
    about = " · ".join(part for part in parts if part)
    meta = Table([[chip, text(about, style.CELL_MUTED)]], colWidths=[chip.width + 8, style.WIDTH - chip.width - 8],
                 style=plain_grid(bottom=2, align="MIDDLE"), hAlign="LEFT")
    return KeepTogether([room(8), meta, text(f"{page.number}. {reported.pattern.title}", style.FINDING)])


def _record(pattern: Pattern) -> Iterator[Flowable]:
    """How often the pattern was right in our lab."""
    record = sentence_of(pattern.code)
    if record:
        yield text(f"{capitalised(record)}.", style.CAPTION)


def _explained(page: FindingPage, report: Report) -> Iterator[Flowable]:
    """Which findings explain this one."""
    for other in report.findings:
        if other.reported.pattern.code in page.reported.consequence_of:
            title = f"A consequence of {other.reported.pattern.code} {other.reported.pattern.title}"
            yield link(title, f"#{finding_key(other)}", style.BODY)


def _seen(page: FindingPage) -> Iterator[Flowable]:
    """The pictures and the plots."""
    if page.strip.pictures:
        yield KeepTogether([pictures(page.strip.pictures), text(page.strip.caption, style.CAPTION)])
    else:
        yield text(page.strip.caption, style.CAPTION)
    if not page.plots:
        return
    yield KeepTogether([room(4), *plot_rows(page.plots), text(plot_key(page.plots), style.CAPTION)])


def plot_rows(plots: Sequence[Plot]) -> list[Flowable]:
    """Plots in pairs; of an odd number the first, which matters most, has the whole width."""
    alone = len(plots) % 2
    wide: list[Flowable] = [PlotBox(plot, style.WIDTH, PLOT_HEIGHT) for plot in plots[:alone]]
    boxes = [PlotBox(plot, HALF, PLOT_HEIGHT) for plot in plots[alone:]]
    return wide + [side_by_side(left, right) for left, right in zip(boxes[::2], boxes[1::2], strict=True)]


def _measured(page: FindingPage) -> Iterator[Flowable]:
    """Evidence rows, and the limits they were held against with their reasons."""
    yield from label("Evidence")
    yield evidence(page.reported.finding.evidence)
    if page.limits:
        yield room(5)
        yield limits(page.limits)


def _began(page: FindingPage) -> Iterator[Flowable]:
    told = beginning(page.reported)
    if told:
        yield from label("When it began")
        yield text(" ".join(told))


def _fixes(page: FindingPage) -> Iterator[Flowable]:
    yield from label("What to do, in this order")
    rows: list[list[Flowable | str]] = [
        [f"{index}", with_code(fix.do, "\n".join(typed(fix))), labelled(prospects(fix))]
        for index, fix in enumerate(page.reported.fixes, 1)]
    yield table(["", "Do", "What then"], rows or [["", NOT_AVAILABLE, ""]], [5, 60, 55])


def _look_alikes(page: FindingPage) -> Iterator[Flowable]:
    """What this may be taken for."""
    if page.reported.resembles:
        yield from label("What it looks like, and what tells them apart")
        yield pairs(map(resemblance, page.reported.resembles))


def _often_said(page: FindingPage) -> Iterator[Flowable]:
    """Advice that is around and that we found wrong."""
    pattern = page.reported.pattern
    if pattern.seed_says and pattern.we_say:
        yield from label("Often said, and what we found instead")
        yield table(["Often said", "What we found"], [[pattern.seed_says, pattern.we_say]], [60, 60])


def _places(page: FindingPage) -> Iterator[Flowable]:
    """Which Gaussians and which cameras; the iterations stand in the heading."""
    told = places(page.reported.finding)
    if told:
        yield text(told, style.PLACES)


def _sources(page: FindingPage) -> Iterator[Flowable]:
    if page.reported.pattern.sources:
        yield from label("Sources")
        for source in page.reported.pattern.sources:
            yield source_line(source)
