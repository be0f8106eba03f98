"""The chapters of the PDF: summary, the run, each finding, what was clear or not evaluable, how it was made."""

from collections.abc import Iterator, Sequence

from reportlab.platypus import CondPageBreak, Flowable, KeepTogether, PageBreak, Table

from diagnostics.accuracy import measured_on, sentence_of, track_record
from diagnostics.catalogue import Pattern
from diagnostics.report import pdf_style as style
from diagnostics.report.finding_words import beginning, change, doubts, prospects, resemblance
from diagnostics.report.pdf_parts import (
    HALF,
    Bookmark,
    Chip,
    Pages,
    labelled,
    link,
    pictures,
    plain_grid,
    room,
    side_by_side,
    source_line,
    table,
    text,
    with_code,
)
from diagnostics.report.pdf_plots import PlotBox, plot_key
from diagnostics.report.plots import Plot
from diagnostics.report.report import FindingPage, Report
from diagnostics.report.undecided import Reason, groups, what_settles
from diagnostics.report.wording import capitalised, count, iterations, listed, number, percent, setting, shortened
from diagnostics.verdict import NOT_AVAILABLE

SECTION_NEEDS = 110.0  # points below which a heading goes to the next page
LABEL_NEEDS = 64.0
PLOT_HEIGHT, OVERVIEW_HEIGHT = 74.0, 118.0  # points, of the axes
HOW_DECIDED: dict[Reason, str] = {"missing": "What is missing", "probe": "Which probe", "manual": "How to see it"}
TITLE_CHARACTERS = 110  # about three lines; the whole path stands in the table below
FINDING_NEEDS = 0.55 * style.HEIGHT  # a finding starts on a new page where less is left


def chapters(report: Report, pages: Pages) -> list[Flowable]:
    """Everything in order; `pages` holds the page numbers of the pass before."""
    told = [*summary(report, pages), *the_run(report, pages), *findings(report, pages),
            *explained_away(report, pages), *verdicts(report, pages)]
    return [*told, *provenance(report, pages)]


def section(title: str, key: str, pages: Pages, level: int = 0) -> list[Flowable]:
    """A heading in the outline. Room is asked for and not keepWithNext, which would push a whole table to the next page."""
    return [CondPageBreak(SECTION_NEEDS), Bookmark(key, title, level, pages), text(title, style.SECTION)]


def label(title: str) -> list[Flowable]:
    """A small heading with room for the first lines below it."""
    return [CondPageBreak(LABEL_NEEDS), text(title, style.LABEL)]


def summary(report: Report, pages: Pages) -> Iterator[Flowable]:
    yield text("Diagnosis of a 3D Gaussian Splatting training run", style.OVERLINE)
    yield Bookmark("summary", "Summary", 0, pages)
    yield text(shortened(report.run_name, TITLE_CHARACTERS), style.TITLE)
    yield text(f"{iterations(report.span).capitalize()} · {report.made_at:%Y-%m-%d %H:%M %Z}", style.OVERLINE)
    yield room(8)
    for paragraph in report.story:
        yield text(paragraph, style.LEAD)
    if report.findings:
        yield from label("Findings, root causes first")
        yield table(
            ["", "Code", "Finding", "Iterations", "Confidence", "Page"],
            [_finding_row(page, pages) for page in report.findings], [13, 11, 44, 20, 14, 8])


def _finding_row(page: FindingPage, pages: Pages) -> list[Flowable | str]:
    reported, key = page.reported, finding_key(page)
    first, last = reported.iterations
    return [
        Chip(reported.severity), _code(reported.pattern), link(reported.pattern.title, f"#{key}"),
        f"{first:,}–{last:,}" if first != last else f"{first:,}", percent(reported.finding.confidence),
        link(f"{pages.before[key]:,}" if key in pages.before else "–", f"#{key}"),
    ]


def finding_key(page: FindingPage) -> str:
    return f"finding-{page.number}"


def the_run(report: Report, pages: Pages) -> Iterator[Flowable]:
    yield from section("The run", "run", pages)
    yield table([], [[text(name, style.CELL_MUTED), _fact(name, told)] for name, told in report.facts], [24, 86])
    if report.overview:
        boxes = [PlotBox(plot, style.WIDTH, OVERVIEW_HEIGHT) for plot in report.overview]
        heading = text("Over the whole training", style.LABEL)
        yield KeepTogether([heading, room(3), *boxes, text(plot_key(report.overview), style.CAPTION)])
    else:
        yield text(f"Plots {NOT_AVAILABLE}: the run logged no quality, loss or number of Gaussians.", style.CAPTION)


def _fact(name: str, told: str) -> Flowable:
    return text(told, style.CELL_MONO if name in ("Folder", "Photos and camera model") else style.CELL)


def findings(report: Report, pages: Pages) -> Iterator[Flowable]:
    if not report.findings:
        return
    yield PageBreak()
    yield from section("Findings", "findings", pages)
    for page in report.findings:
        yield from finding(page, report, pages)


def finding(page: FindingPage, report: Report, pages: Pages) -> Iterator[Flowable]:
    reported = page.reported
    yield CondPageBreak(FINDING_NEEDS)
    yield Bookmark(finding_key(page), f"{reported.pattern.code} {reported.pattern.title}", 1, pages)
    yield _finding_heading(page)
    yield text(reported.finding.says, style.LEAD)
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
    rows: list[list[Flowable | str]] = [
        [row.what, text(number(row.value, row.unit), style.CELL_BOLD), "–" if row.limit is None else number(row.limit, row.unit),
         "–" if row.iteration is None else f"{row.iteration:,}", text(row.source or "–", style.CELL_MUTED)]
        for row in page.reported.finding.evidence]
    yield table(["What", "Measured", "Limit", "Iteration", "From"], rows, [41, 20, 15, 13, 31])
    if page.limits:
        yield room(5)
        limits: list[list[Flowable | str]] = [
            [_mono(limit.name), text(setting(limit.value), style.CELL_BOLD), limit.reason]
            for limit in page.limits]
        yield table(["Limit", "Value", "Why this number"], limits, [22, 18, 80])


def _began(page: FindingPage) -> Iterator[Flowable]:
    told = beginning(page.reported)
    if told:
        yield from label("When it began")
        yield text(" ".join(told))


def _fixes(page: FindingPage) -> Iterator[Flowable]:
    yield from label("What to do, in this order")
    rows: list[list[Flowable | str]] = [
        [f"{index}", with_code(fix.do, "\n".join(line for line in (change(fix), fix.flag) if line)), labelled(prospects(fix))]
        for index, fix in enumerate(page.reported.fixes, 1)]
    yield table(["", "Do", "What then"], rows or [["", NOT_AVAILABLE, ""]], [5, 60, 55])


def _look_alikes(page: FindingPage) -> Iterator[Flowable]:
    """What this may be taken for."""
    if page.reported.resembles:
        yield from label("What it looks like, and what tells them apart")
        yield table([], [[text(told.label, style.CELL_BOLD), told.text]
                         for told in map(resemblance, page.reported.resembles)], [36, 84])


def _often_said(page: FindingPage) -> Iterator[Flowable]:
    """Advice that is around and that we found wrong."""
    pattern = page.reported.pattern
    if pattern.seed_says and pattern.we_say:
        yield from label("Often said, and what we found instead")
        yield table(["Often said", "What we found"], [[pattern.seed_says, pattern.we_say]], [60, 60])


def _places(page: FindingPage) -> Iterator[Flowable]:
    """Which Gaussians and which cameras; the iterations stand in the heading."""
    place, cameras = page.reported.finding.gaussians, page.reported.finding.cameras
    told = []
    if place is not None:
        named = f"{count(place.count, 'Gaussian')} of {place.of:,} ({percent(place.fraction)})"
        told.append(f"{named} at iteration {place.iteration:,}")
    if cameras:
        told.append(f"{count(len(cameras), 'camera')}: {listed(cameras)}")
    if told:
        yield text(" · ".join(told), style.PLACES)


def _sources(page: FindingPage) -> Iterator[Flowable]:
    if page.reported.pattern.sources:
        yield from label("Sources")
        for source in page.reported.pattern.sources:
            yield source_line(source)


def verdicts(report: Report, pages: Pages) -> Iterator[Flowable]:
    """What was looked for and not found, and what could not be judged."""
    if report.clear:
        yield from section("Looked for and not found", "clear", pages)
        yield table(["Code", "Pattern", "Found in our lab"],
                    [[_code(pattern), pattern.title, _found_before(pattern)] for pattern in report.clear], [14, 74, 22])
    for group in groups(report.not_evaluable):
        yield from section(group.title, f"undecided-{group.reason}", pages)
        yield text(group.lead)
        yield table(
            ["Code", "Pattern", HOW_DECIDED[group.reason]],
            [[_code(one.pattern), one.pattern.title, what_settles(one) or NOT_AVAILABLE] for one in group.entries], [14, 40, 56])


def explained_away(report: Report, pages: Pages) -> Iterator[Flowable]:
    """Findings that another one's evidence excludes, with the reason."""
    if report.explained_away:
        yield from section("Explained away", "explained-away", pages)
        yield text("These were measured too, but are no faults of their own: the evidence of another finding excludes them.")
        yield table(["Code", "Pattern", "Why not"],
                    [[_code(one.reported.pattern), one.reported.pattern.title, f"{one.reported.finding.says}. {one.why}."]
                     for one in report.explained_away], [14, 30, 76])


def _found_before(pattern: Pattern) -> str:
    """How many of the faults it should name the pattern found: how far a clear verdict can be trusted."""
    record = track_record(pattern.code)
    return f"{record.found} of {record.expected}" if record is not None and record.expected else "not tried"


def _code(pattern: Pattern) -> Flowable:
    return text(pattern.code, style.CELL_MUTED)


def provenance(report: Report, pages: Pages) -> Iterator[Flowable]:
    """Notes, settings, software and file hashes."""
    if report.notes:
        yield from section("Notes on reading the run", "notes", pages)
        yield table(["File", "Note"], [[_mono(note.file), note.says] for note in report.notes], [44, 66])
    if report.settings:
        yield from section("Settings", "settings", pages)
        yield table(
            ["Setting", "Value", "From"],
            [[_mono(entry.name), _mono(setting(entry.value)), text(entry.source, style.CELL_MUTED)]
             for entry in report.settings], [40, 40, 30])
    yield from section("How this report was made", "provenance", pages)
    yield table([], [[text(name, style.CELL_MUTED), told] for name, told in report.software], [24, 86])
    if measured_on():
        yield text(measured_on(), style.CAPTION)
    yield from label("Files read, as they were when this report was made")
    yield table(
        ["File", "Bytes", "SHA-256 of the whole file"],
        [[_mono(file.name), number(file.size_bytes), _mono(file.sha256)] for file in report.files],
        [32, 13, 67])
    if report.files_left_out:
        yield text(f"{count(report.files_left_out, 'further file')} of the folder not hashed, for number or size.", style.CAPTION)


def _mono(content: str) -> Flowable:
    return text(content, style.CELL_MONO)
