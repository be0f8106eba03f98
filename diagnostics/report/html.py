"""The report as one HTML page: what the PDF holds, readable in any browser, with pictures and plots inside and nothing loaded."""

from collections.abc import Iterator
from html import escape
from importlib.resources import files
from pathlib import Path

from diagnostics.accuracy import measured_on
from diagnostics.diagnosis import Diagnosis
from diagnostics.report.html_finding import finding
from diagnostics.report.html_parts import Markup, chip, heading, joined, plots, table, tag
from diagnostics.report.html_probe import probe
from diagnostics.report.pdf import check_folder, write_whole
from diagnostics.report.probe_words import PROBES_LEAD
from diagnostics.report.provenance import product
from diagnostics.report.report import FindingPage, Progress, Report, build_report, silent
from diagnostics.report.undecided import HOW_DECIDED, groups, what_settles
from diagnostics.report.wording import count, found_before, iterations, number, percent, setting
from diagnostics.verdict import NOT_AVAILABLE

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"  # a report runs nothing and asks nobody


def write_html(diagnosis: Diagnosis, path: Path, *, progress: Progress | None = None) -> None:
    """Write the page to `path`, whole or not at all. Raises ReportNotWritten; what `progress` raises passes through."""
    check_folder(path)
    tell = progress or silent
    data = html_page(build_report(diagnosis, progress=tell)).encode("utf-8", "replace")
    write_whole(data, path)
    tell(1.0, "Report written")


def html_page(report: Report) -> str:
    """The whole document."""
    style = files("resources").joinpath("report", "style.css").read_text("utf-8")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Diagnosis of {escape(report.run_name)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="generator" content="{escape(product())}">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><style>{style}</style></head>'
        f"<body>{joined(_parts(report))}</body></html>\n")


def _parts(report: Report) -> Iterator[str]:
    yield tag("p", "Diagnosis of a 3D Gaussian Splatting training run", "muted")
    yield tag("h1", report.run_name)
    yield tag("p", f"{iterations(report.span).capitalize()} · {report.made_at:%Y-%m-%d %H:%M %Z}", "muted")
    yield from (tag("p", paragraph, "lead") for paragraph in report.story)
    yield table(("", "Code", "Finding", "Iterations", "Confidence"), map(_row, report.findings))
    yield heading("The run", "run")
    yield table((), report.facts)
    yield plots(report.overview)
    if report.findings:
        yield heading("Findings, root causes first", "findings")
        yield from map(finding, report.findings)
    if report.probes:
        yield heading("Probes", "probes")
        yield tag("p", PROBES_LEAD)
        yield from map(probe, report.probes)
    yield from _verdicts(report)
    yield from _provenance(report)


def _row(page: FindingPage) -> tuple[str, ...]:
    reported, (first, last) = page.reported, page.reported.iterations
    title = Markup(f'<a href="#finding-{page.number}">{escape(reported.pattern.title)}</a>')
    return (chip(reported.severity), reported.pattern.code, title, f"{first:,}–{last:,}" if first != last else f"{first:,}",
            percent(reported.finding.confidence))


def _verdicts(report: Report) -> Iterator[str]:
    """What was explained away, looked for and not found, and what could not be judged."""
    if report.explained_away:
        yield heading("Explained away", "explained-away")
        yield tag("p", "These were measured too, but are no faults of their own: the evidence of another finding excludes them.")
        yield table(("Code", "Pattern", "Why not"), (
            (one.reported.pattern.code, one.reported.pattern.title, f"{one.reported.finding.says}. {one.why}.")
            for one in report.explained_away))
    if report.clear:
        yield heading("Looked for and not found", "clear")
        yield table(("Code", "Pattern", "Found in our lab"), ((one.code, one.title, found_before(one)) for one in report.clear))
    for group in groups(report.not_evaluable):
        yield heading(group.title, f"undecided-{group.reason}")
        yield tag("p", group.lead)
        yield table(("Code", "Pattern", HOW_DECIDED[group.reason]), (
            (one.pattern.code, one.pattern.title, what_settles(one) or NOT_AVAILABLE) for one in group.entries))


def _provenance(report: Report) -> Iterator[str]:
    """Notes, settings, software and file hashes."""
    if report.notes:
        yield heading("Notes on reading the run", "notes")
        yield table(("File", "Note"), ((tag("code", note.file), note.says) for note in report.notes))
    if report.settings:
        yield heading("Settings", "settings")
        yield table(("Setting", "Value", "From"), (
            (tag("code", entry.name), tag("code", setting(entry.value)), entry.source) for entry in report.settings))
    yield heading("How this report was made", "provenance")
    yield table((), report.software)
    yield tag("p", measured_on(), "muted")
    yield table(("File", "Bytes", "SHA-256 of the whole file"), (
        (tag("code", file.name), number(file.size_bytes), tag("code", file.sha256)) for file in report.files))
    if report.files_left_out:
        yield tag("p", f"{count(report.files_left_out, 'further file')} of the folder not hashed, for number or size.", "muted")
