"""One probe in the PDF: its question, what it found out and what it settles, its curves and pictures, how it was done."""

from collections.abc import Iterable, Iterator

from reportlab.platypus import CondPageBreak, Flowable, KeepTogether

from diagnostics.report import pdf_style as style
from diagnostics.report.finding_words import Told
from diagnostics.report.pdf_finding import plot_rows
from diagnostics.report.pdf_parts import (
    Bookmark,
    Pages,
    evidence,
    label,
    limits,
    pairs,
    pictures,
    room,
    source_line,
    table,
    text,
    with_lead,
)
from diagnostics.report.probe_page import ProbePage
from diagnostics.report.probe_words import OUTCOMES, lead, open_reasons, says_of

PROBE_NEEDS = 0.3 * style.HEIGHT  # a probe starts on a new page where less is left


def probe(page: ProbePage, pages: Pages) -> Iterator[Flowable]:
    result, answer = page.result, page.result.answer
    yield CondPageBreak(PROBE_NEEDS)
    yield Bookmark(f"probe-{page.number}", page.title, 1, pages)
    yield room(8)
    yield text(f"{lead(result)} · {result.probe} probe", style.CELL_MUTED)
    yield text(page.title, style.FINDING)
    if page.question:
        yield text(page.question, style.PLACES)
    yield text(answer.says, style.LEAD)
    yield from _listed("Why it stays open", open_reasons(result))
    yield from _seen(page)
    if answer.rows:
        yield from label("Measured")
        yield evidence(answer.rows, lean=True)
    yield from _settled(page)
    yield from _pairs("Cause and what to do", page.advice)
    yield from _pairs("What was tried", page.tried)
    if page.does_not_say:
        yield from label("What it does not say")
        yield text(page.does_not_say)
    yield from _pairs("How it was done", page.facts)
    yield from _grounds(page)
    yield room(10)


def _grounds(page: ProbePage) -> Iterator[Flowable]:
    """Limits with their reasons, and sources."""
    if page.limits:
        yield from label("The limits, and why these numbers")
        yield limits(page.limits)
    if page.sources:
        yield from label("Sources")
        yield from map(source_line, page.sources)


def _seen(page: ProbePage) -> Iterator[Flowable]:
    """Pictures line by line, then the curves."""
    for line in page.pictures:
        yield KeepTogether([room(3), pictures(line.pictures, line.across)])
    if page.pictures_caption:
        yield text(page.pictures_caption, style.CAPTION)
    if page.plots:
        yield room(4)
        yield from plot_rows(page.plots)
        if page.plots_caption:
            yield text(page.plots_caption, style.CAPTION)


def _settled(page: ProbePage) -> Iterator[Flowable]:
    if page.settled:
        yield from label("What it settles")
        rows: list[list[Flowable | str]] = [
            [text(each.code or "–", style.CELL_MUTED), each.title, with_lead(OUTCOMES[each.outcome], says_of(each))]
            for each in page.settled]
        yield table(["Code", "Pattern", "What the probe says"], rows, [14, 40, 66])


def _listed(title: str, texts: tuple[str, ...]) -> Iterator[Flowable]:
    if texts:
        yield from label(title)
        yield from (text(f"– {entry}") for entry in texts)


def _pairs(title: str, told: Iterable[Told]) -> Iterator[Flowable]:
    every = tuple(told)
    if every:
        yield from label(title)
        yield pairs(every)
