"""One finding of the HTML report: what was measured, when it began, why, what to do, what it looks like."""

from collections.abc import Iterator

from diagnostics.accuracy import sentence_of
from diagnostics.report.finding_words import beginning, doubts, prospects, resemblance, typed
from diagnostics.report.html_parts import Markup, chip, evidence, joined, labelled, limits, plots, safe, source, strip, table, tag
from diagnostics.report.report import FindingPage
from diagnostics.report.wording import capitalised, iterations, percent, places
from diagnostics.verdict import NOT_AVAILABLE, Fix


def finding(page: FindingPage) -> Markup:
    """An article; what follows from another finding stands to the right."""
    look = ' class="follows"' if page.reported.consequence_of else ""
    return Markup(f'<article id="finding-{page.number}"{look}>{joined(_parts(page))}</article>')


def _parts(page: FindingPage) -> Iterator[str]:
    reported = page.reported
    about = (reported.pattern.code, reported.pattern.kind, iterations(reported.iterations),
             f"{percent(reported.finding.confidence)} sure", doubts(reported))
    yield tag("p", joined((chip(reported.severity), " ", " · ".join(part for part in about if part))), "muted")
    yield tag("h3", f"{page.number}. {reported.pattern.title}")
    yield tag("p", reported.finding.says, "lead")
    yield tag("p", reported.harmless) if reported.harmless else ""
    notes = (page.found_by, places(reported.finding), _follows(page), capitalised(sentence_of(reported.pattern.code)))
    yield from (tag("p", note, "muted") for note in notes if note)
    yield strip(page.strip)
    yield plots(page.plots)
    yield tag("h4", "Evidence")
    yield evidence(reported.finding.evidence)
    yield limits(page.limits)
    yield from _texts(page)
    yield tag("h4", "What to do, in this order")
    yield tag("ol", joined(tag("li", _fix(fix)) for fix in reported.fixes)) if reported.fixes else tag("p", NOT_AVAILABLE)
    yield from _comparisons(page)
    yield tag("h4", "Sources")
    yield tag("ul", joined(map(source, reported.pattern.sources)))


def _follows(page: FindingPage) -> str:
    causes = page.reported.consequence_of
    return f"A consequence of {', '.join(causes)}" if causes else ""


def _texts(page: FindingPage) -> Iterator[str]:
    told = {"When it began": " ".join(beginning(page.reported)), "Cause": page.reported.cause or NOT_AVAILABLE}
    for title, text in told.items():
        if text:
            yield tag("h4", title)
            yield tag("p", text)


def _fix(fix: Fix) -> Markup:
    lines = (safe(fix.do), *(tag("code", line) for line in typed(fix)), labelled(prospects(fix)))
    return Markup("<br>".join(line for line in lines if line))


def _comparisons(page: FindingPage) -> Iterator[str]:
    """What it may be taken for, and advice that is around and that we found wrong."""
    pattern = page.reported.pattern
    if page.reported.resembles:
        yield tag("h4", "What it looks like, and what tells them apart")
        yield table((), ((tag("b", told.label), told.text) for told in map(resemblance, page.reported.resembles)))
    if pattern.seed_says and pattern.we_say:
        yield tag("h4", "Often said, and what we found instead")
        yield table(("Often said", "What we found"), ((pattern.seed_says, pattern.we_say),))
