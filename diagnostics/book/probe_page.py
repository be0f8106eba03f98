"""One probe's page: what it asks, how, what it needs and cannot say, the patterns it settles, its limits with their reasons."""

from collections.abc import Mapping
from typing import Any

from diagnostics.book.frame import INDEX, code, framed, inside, linked
from diagnostics.book.limits import limits_section
from diagnostics.book.links import Probes, link_to, probe_link
from diagnostics.book.markup import Markup, element, joined, listing, outside, paragraphs, section
from diagnostics.catalogue import Pattern
from diagnostics.probes.registry import Page
from diagnostics.report.probe_words import command, settling

UNCERTAIN = "Uncertain: this probe was not tried on enough trainings, and its numbers are no established facts."


def probe_page(page: Page, patterns: Mapping[str, Pattern], probes: Probes, limits: Mapping[str, Any]) -> str:
    """The whole page; `limits` are the numbers that the probe's function uses, by name."""
    parts = (
        element("h1", page.title), listing([code(page.name), *(["uncertain"] if page.uncertain else [])], class_="badges"),
        element("p", UNCERTAIN, class_="note") if page.uncertain else None,
        section("What it asks", paragraphs(page.question)),
        section("How it is done", paragraphs(*page.how.split("\n\n"))),
        section("What it needs", paragraphs(page.needs)),
        section("What it does not say", paragraphs(page.does_not_say)),
        section("What it settles", _settled(page, patterns)),
        limits_section(page.limits, limits),
        section("How to ask it", paragraphs("In the window, or on the command line:"), element("p", code(command(page.name)))),
        section("Sources", listing((outside(source.title, source.url) for source in page.sources), class_="sources")),
    )
    others = linked([probe_link(other) for other in probes.values() if other.name != page.name])
    return framed(page.title, *parts, path=joined([inside("Probes", f"{INDEX}#probes"), f" › {page.title}"]), foot=others)


def _settled(page: Page, patterns: Mapping[str, Pattern]) -> Markup:
    mine = [link_to(pattern) for pattern in patterns.values() if settling(pattern, {page.name: page})]
    return listing(mine) or paragraphs("It settles no pattern by itself.")
