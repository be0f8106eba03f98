"""The chapters of the PDF: summary, the run, each finding, what was clear or not evaluable, how it was made."""

from collections.abc import Iterator

from reportlab.platypus import CondPageBreak, Flowable, KeepTogether, PageBreak

from diagnostics.accuracy import measured_on
from diagnostics.catalogue import Pattern
from diagnostics.report import pdf_style as style
from diagnostics.report.pdf_finding import finding, finding_key
from diagnostics.report.pdf_parts import SECTION_NEEDS, Bookmark, Chip, Pages, label, link, mono, room, section, table, text
from diagnostics.report.pdf_plots import PlotBox
from diagnostics.report.pdf_probe import PROBE_NEEDS, probe
from diagnostics.report.plots import plot_key
from diagnostics.report.probe_words import PROBES_LEAD
from diagnostics.report.report import FindingPage, Report
from diagnostics.report.undecided import HOW_DECIDED, groups, what_settles
from diagnostics.report.wording import count, found_before, iterations, number, percent, setting, shortened
from diagnostics.verdict import NOT_AVAILABLE

OVERVIEW_HEIGHT = 118.0  # points, of the axes
TITLE_CHARACTERS = 110  # about three lines; the whole path stands in the table below


def chapters(report: Report, pages: Pages) -> list[Flowable]:
    """Everything in order; `pages` holds the page numbers of the pass before."""
    told = [*summary(report, pages), *the_run(report, pages), *findings(report, pages), *probes(report, pages),
            *explained_away(report, pages), *verdicts(report, pages)]
    return [*told, *provenance(report, pages)]


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


def probes(report: Report, pages: Pages) -> Iterator[Flowable]:
    """What was asked beyond the files, and what came out."""
    if not report.probes:
        return
    yield CondPageBreak(PROBE_NEEDS + SECTION_NEEDS)  # a heading alone at the end of a page would have nothing below it
    yield from section("Probes", "probes", pages)
    yield text(PROBES_LEAD)
    for page in report.probes:
        yield from probe(page, pages)


def verdicts(report: Report, pages: Pages) -> Iterator[Flowable]:
    """What was looked for and not found, and what could not be judged."""
    if report.clear:
        yield from section("Looked for and not found", "clear", pages)
        yield table(["Code", "Pattern", "Found in our lab"],
                    [[_code(pattern), pattern.title, found_before(pattern)] for pattern in report.clear], [14, 74, 22])
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


def _code(pattern: Pattern) -> Flowable:
    return text(pattern.code, style.CELL_MUTED)


def provenance(report: Report, pages: Pages) -> Iterator[Flowable]:
    """Notes, settings, software and file hashes."""
    if report.notes:
        yield from section("Notes on reading the run", "notes", pages)
        yield table(["File", "Note"], [[mono(note.file), note.says] for note in report.notes], [44, 66])
    if report.settings:
        yield from section("Settings", "settings", pages)
        yield table(
            ["Setting", "Value", "From"],
            [[mono(entry.name), mono(setting(entry.value)), text(entry.source, style.CELL_MUTED)]
             for entry in report.settings], [40, 40, 30])
    yield from section("How this report was made", "provenance", pages)
    yield table([], [[text(name, style.CELL_MUTED), told] for name, told in report.software], [24, 86])
    if measured_on():
        yield text(measured_on(), style.CAPTION)
    yield from label("Files read, as they were when this report was made")
    yield table(
        ["File", "Bytes", "SHA-256 of the whole file"],
        [[mono(file.name), number(file.size_bytes), mono(file.sha256)] for file in report.files],
        [32, 13, 67])
    if report.files_left_out:
        yield text(f"{count(report.files_left_out, 'further file')} of the folder not hashed, for number or size.", style.CAPTION)
