"""A page of the guide: a table whose rows say what is often said and what we say, or a tree of questions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from diagnostics.book.frame import INDEX, code, framed, inside, linked
from diagnostics.book.guide import Answer, Guide, GuidePage, Row, Step
from diagnostics.book.links import Probes, link_to, probe_entry
from diagnostics.book.markup import Markup, Part, element, joined, listing, outside, paragraphs
from diagnostics.catalogue import Pattern, Source

Coded = Mapping[str, Pattern]  # by code, further codes included


@dataclass(frozen=True)
class Known:
    """What a page can link to."""

    coded: Coded
    probes: Probes


def guide_page(page: GuidePage, coded: Coded, guide: Guide, probes: Probes) -> str:
    """The whole page."""
    known = Known(coded, probes)
    body: Part = element("div", *(_row(row, known) for row in page.rows), class_="rows") if page.rows else None
    tree = _tree(page, known) if page.steps else None
    place = joined([inside("Guide", f"{INDEX}#guide"), f" › {page.title}"])
    return framed(page.title, element("h1", page.title), paragraphs(*page.about.split("\n\n")), body, tree,
                  path=place, foot=linked([inside(other.title, other.file) for other in guide.values() if other is not page]))


def coded_patterns(patterns: Iterable[Pattern]) -> Coded:
    """Patterns by each of their codes."""
    return {code: pattern for pattern in patterns for code in (pattern.code, *pattern.also)}


def _row(row: Row, known: Known) -> Markup:
    said = joined([element("span", row.verdict, class_="mark"), f" {row.seed_says}"]) if row.seed_says else None
    return element(
        "section", element("h2", row.topic), None if said is None else element("blockquote", said, class_="said"),
        paragraphs(row.we_say, f"Why: {row.why}" if row.why else ""), _settled(row.patterns, row.probes, known),
        _sources(row.sources),
    )


def _tree(page: GuidePage, known: Known) -> Markup:
    """Questions inside the answers that lead to them; a question that is met again is linked to where it stands."""
    return _question(page.start, page.steps or {}, known, shown=set())


def _question(key: str, steps: Mapping[str, Step], known: Known, shown: set[str]) -> Markup:
    step = steps[key]
    shown.add(key)
    said = element("blockquote", f"Often said: {step.seed_says}", class_="said") if step.seed_says else None
    answers = [_answer(answer, steps, known, shown) for answer in step.answers]
    asked = element("p", element("strong", step.asks))
    return element("div", asked, said, paragraphs(step.we_say), _sources(step.sources), *answers, id=key)


def _answer(answer: Answer, steps: Mapping[str, Step], known: Known, shown: set[str]) -> Markup:
    further: Part = None
    if answer.go:
        again = element("p", "→ ", inside(steps[answer.go].asks, f"#{answer.go}")) if answer.go in shown else None
        further = again or _question(answer.go, steps, known, shown)
    held = (paragraphs(answer.do), _settled(answer.patterns, answer.probes, known), further)
    opened = {} if answer.go else {"open": ""}  # what settles it is shown, further questions are walked to
    return element("details", element("summary", answer.says), *held, **opened)


def _settled(codes: tuple[str, ...], probes: tuple[str, ...], known: Known) -> Markup | None:
    found: list[Markup] = []
    for one in dict.fromkeys(codes):
        found.append(link_to(known.coded[one]) if one in known.coded else code(one))
    asked = [probe_entry(probe, known.probes) for probe in probes]
    return listing([joined(["Judged by ", linked(found)]) if found else None, *asked])


def _sources(sources: tuple[Source, ...]) -> Markup | None:
    told = joined((outside(source.title, source.url) for source in sources), ", ")
    return element("p", "Sources: ", told, class_="soft sources") if told else None
