"""One pattern of the catalogue as a page: plain text for a terminal, simple HTML for a text browser."""

import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from diagnostics.accuracy import measured_on, sentence_of
from diagnostics.catalogue import CatalogueFix, Pattern
from diagnostics.report.probe_words import command, settling
from diagnostics.report.wording import capitalised, sentence, setting

COLUMNS = 96  # of a terminal


@dataclass(frozen=True)
class Item:
    """One paragraph or list entry, with what is said under it."""

    text: str
    below: str = ""
    url: str = ""


@dataclass(frozen=True)
class Chapter:
    """A headed part of the page."""

    title: str
    items: tuple[Item, ...]
    numbered: bool = False
    listed: bool = False


def pattern_text(pattern: Pattern, limits: Mapping[str, Any]) -> str:
    """The page for a terminal; `limits` are the numbers the pattern's detector uses, by name."""
    heading = f"{pattern.code}  {pattern.title}"
    parts = [heading, "=" * len(heading), about(pattern)]
    for chapter in chapters(pattern, limits):
        parts += ["", chapter.title, *(_text_item(chapter, index, item) for index, item in enumerate(chapter.items, 1))]
    return "\n".join(parts) + "\n"


def pattern_html(pattern: Pattern, limits: Mapping[str, Any]) -> str:
    """The page as HTML that Qt's text browser draws: headings, paragraphs, lists and links only; everything is escaped."""
    body = "".join(_html_chapter(chapter) for chapter in chapters(pattern, limits))
    return f"<h2>{escape(pattern.code)} {escape(pattern.title)}</h2><p>{escape(about(pattern))}</p>{body}"


def about(pattern: Pattern) -> str:
    """Severity, kind and name in one line, and whether the pattern is only reported by others."""
    told = [f"{pattern.severity} · {pattern.kind} · {pattern.name}"]
    if pattern.uncertain:
        told.append("uncertain: not verified by us")
    return " · ".join(told)


def chapters(pattern: Pattern, limits: Mapping[str, Any]) -> tuple[Chapter, ...]:
    """The page's parts in order; empty ones are left out."""
    return tuple(chapter for chapter in _chapters(pattern, limits) if chapter.items)


def _chapters(pattern: Pattern, limits: Mapping[str, Any]) -> Iterator[Chapter]:
    yield Chapter("Symptom", _one(pattern.symptom))
    yield Chapter("Cause", _one(pattern.cause))
    yield Chapter("How to see it", _one(pattern.manual))
    yield Chapter("What settles it", tuple(_probes(pattern)), listed=True)
    yield Chapter("Looks like", tuple(Item(name, how) for name, how in pattern.look_alikes.items()), listed=True)
    yield Chapter("What to do", tuple(_fix(fix) for fix in pattern.fixes), numbered=True)
    yield Chapter("Limits", tuple(_limit(name, reason, limits) for name, reason in pattern.limits.items()), listed=True)
    yield Chapter("How often it is right", tuple(Item(text) for text in _record(pattern)))
    yield Chapter("Often said", _one(pattern.seed_says))
    yield Chapter("What we found instead", _one(pattern.we_say))
    yield Chapter("Can lead to", _one(", ".join(pattern.leads_to)))
    yield Chapter("Sources", tuple(Item(source.title, source.url, source.url) for source in pattern.sources), listed=True)


def _probes(pattern: Pattern) -> Iterator[Item]:
    """Probes that can settle it, each with how it is asked."""
    described = settling(pattern)
    if pattern.probe and pattern.probe not in [page.name for page in described]:
        yield Item(f"The {pattern.probe} probe")
    for page in described:
        yield Item(f"{sentence(page.title)} {page.question}", command(page.name))


def _record(pattern: Pattern) -> tuple[str, ...]:
    record = sentence_of(pattern.code)
    return (f"{capitalised(record)}.", measured_on()) if record else ()


def _one(text: str) -> tuple[Item, ...]:
    return (Item(text),) if text else ()


def _fix(fix: CatalogueFix) -> Item:
    only = "".join(f" ({key} {_either(value)})" for key, value in fix.when.items())
    change = "" if not fix.setting else f"Setting: {fix.setting}{'' if fix.proposed is None else f' → {setting(fix.proposed)}'}. "
    by = "" if fix.within is None else f", within {fix.within:,} iterations"
    told = (f"{change}Expect: {fix.expect}{by}", fix.risk and f"Risk: {fix.risk}",
            fix.falsified_by and f"Not the cause if: {fix.falsified_by}")
    return Item(f"{general(fix.do)}{only}", general(". ".join(part for part in told if part)))


def _either(names: str | tuple[str, ...]) -> str:
    return names if isinstance(names, str) else " or ".join(names)


def general(text: str) -> str:
    """A fix quotes numbers of a run as {name}; on the page, which speaks of no run, they are left open."""
    return re.sub(r"\{\w+\}", "…", text)


def _limit(name: str, reason: str, limits: Mapping[str, Any]) -> Item:
    return Item(f"{name} = {setting(limits[name])}" if name in limits else name, reason)


def _text_item(chapter: Chapter, index: int, item: Item) -> str:
    bullet = f"{index}. " if chapter.numbered else "- " if chapter.listed else ""
    indent = "  " + " " * len(bullet)
    lines = textwrap.wrap(item.text, COLUMNS, initial_indent=f"  {bullet}", subsequent_indent=indent, break_on_hyphens=False)
    below = item.below if item.below != item.text else ""
    return "\n".join([*lines, *textwrap.wrap(below, COLUMNS, initial_indent=indent, subsequent_indent=indent,
                                             break_long_words=False, break_on_hyphens=False)])


def _html_chapter(chapter: Chapter) -> str:
    heading = f"<h3>{escape(chapter.title)}</h3>"
    if not (chapter.numbered or chapter.listed):
        return heading + "".join(f"<p>{_html_item(item)}</p>" for item in chapter.items)
    tag = "ol" if chapter.numbered else "ul"
    return f"{heading}<{tag}>" + "".join(f"<li>{_html_item(item)}</li>" for item in chapter.items) + f"</{tag}>"


def _html_item(item: Item) -> str:
    if item.url.startswith(("https://", "http://")):
        return f'<a href="{escape(item.url)}">{escape(item.text or item.url)}</a>'
    below = f"<br>{escape(item.below)}" if item.below else ""
    return escape(item.text) + below
