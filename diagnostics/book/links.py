"""Links between the pages of the book: to patterns and to probes."""

from collections.abc import Iterable, Mapping

from diagnostics.book.frame import code, inside, linked
from diagnostics.book.markup import Markup, joined
from diagnostics.catalogue import Pattern
from diagnostics.probes.registry import Page
from diagnostics.report.wording import sentence

Probes = Mapping[str, Page]  # by name, in the order in which they should be tried


def page_of(name: str) -> str:
    """The file of a pattern's page."""
    return f"{name}.html"


def link_to(pattern: Pattern) -> Markup:
    """Code and title, as a link to the pattern's page."""
    return inside(joined([code(pattern.code), f" {pattern.title}"]), page_of(pattern.name))


def links_to(names: Iterable[str], patterns: Mapping[str, Pattern]) -> Markup | None:
    """Links to several patterns, by name."""
    return linked([link_to(patterns[name]) for name in names])


def probe_file(name: str) -> str:
    """The file of a probe's page."""
    return f"probe-{name}.html"


def probe_link(page: Page) -> Markup:
    """The probe's title, as a link to its page."""
    return inside(page.title, probe_file(page.name))


def probe_entry(name: str, probes: Probes) -> Markup:
    """"Probe: ", its title as a link, and its question; the bare name where nobody describes it."""
    page = probes.get(name)
    if page is None:
        return joined(["Probe: ", code(name)])
    stop = sentence(page.title).removeprefix(page.title)  # a title may be a question itself
    return joined(["Probe: ", probe_link(page), f"{stop} {page.question}"])
