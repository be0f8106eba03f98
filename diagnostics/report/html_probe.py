"""One probe of the HTML report: its question, what it found out and what it settles, its curves and pictures, how it was done."""

from collections.abc import Iterator

from diagnostics.report.html_parts import Markup, evidence, joined, limits, picture_lines, plots, source, table, tag
from diagnostics.report.probe_page import ProbePage
from diagnostics.report.probe_words import OUTCOMES, lead, open_reasons, says_of


def probe(page: ProbePage) -> Markup:
    """An article."""
    return Markup(f'<article id="probe-{page.number}">{joined(_parts(page))}</article>')


def _parts(page: ProbePage) -> Iterator[str]:
    result, answer = page.result, page.result.answer
    yield tag("p", f"{lead(result)} · {result.probe} probe", "muted")
    yield tag("h3", page.title)
    yield tag("p", page.question, "muted") if page.question else ""
    yield tag("p", answer.says, "lead")
    yield from _listed("Why it stays open", open_reasons(result))
    yield picture_lines(page.pictures, page.pictures_caption)
    yield plots(page.plots, page.plots_caption)
    if answer.rows:
        yield tag("h4", "Measured")
        yield evidence(answer.rows, lean=True)
    yield from _settled(page)
    yield from _pairs("Cause and what to do", ((told.label, told.text) for told in page.advice))
    yield from _pairs("What was tried", ((told.label, told.text) for told in page.tried))
    if page.does_not_say:
        yield tag("h4", "What it does not say")
        yield tag("p", page.does_not_say)
    yield from _pairs("How it was done", ((told.label, told.text) for told in page.facts))
    yield limits(page.limits)
    if page.sources:
        yield tag("h4", "Sources")
        yield tag("ul", joined(map(source, page.sources)))


def _settled(page: ProbePage) -> Iterator[str]:
    if page.settled:
        yield tag("h4", "What it settles")
        yield table(("Code", "Pattern", "What the probe says"), (
            (each.code or "–", each.title, joined((tag("b", OUTCOMES[each.outcome]), says_of(each)))) for each in page.settled))


def _listed(title: str, texts: tuple[str, ...]) -> Iterator[str]:
    if texts:
        yield tag("h4", title)
        yield tag("ul", joined(tag("li", text) for text in texts))


def _pairs(title: str, rows: Iterator[tuple[str, str]]) -> Iterator[str]:
    shown = table((), ((tag("b", label), text) for label, text in rows))
    if shown:
        yield tag("h4", title)
        yield shown
