"""One pattern's page: what it looks like, why, how it is detected, how often that is right, what to do, what others say."""

from collections.abc import Mapping

from diagnostics.accuracy import measured_on, sentence_of, track_record
from diagnostics.book.decided import SENTENCES, decided_by, method, words_of
from diagnostics.book.families import family_of, title_of
from diagnostics.book.frame import INDEX, code, framed, inside
from diagnostics.book.guide import Guide, pages_naming
from diagnostics.book.limits import limits_section
from diagnostics.book.links import Probes, link_to, links_to, probe_entry
from diagnostics.book.markup import Markup, Part, element, joined, listing, outside, paragraphs, section
from diagnostics.book.pictures import figure, pictures
from diagnostics.catalogue import CatalogueFix, Pattern
from diagnostics.registry import Detector
from diagnostics.report.page import general
from diagnostics.report.probe_words import settling
from diagnostics.report.wording import capitalised, count, setting

UNCERTAIN = (
    "Uncertain: this is reported by others and nobody has verified it. It is judged only on runs of the method that it is about, "
    "and its numbers are no established facts."
)
NO_PICTURE = "There is no picture of this pattern: none was taken in our lab."


def pattern_page(
    pattern: Pattern, patterns: Mapping[str, Pattern], detectors: Mapping[str, Detector], guide: Guide, probes: Probes,
) -> str:
    """The whole page; `patterns` and `probes` are all of them, for the links."""
    family = family_of(pattern.code)
    parts = (
        element("h1", code(pattern.code), f" {pattern.title}"), _badges(pattern, detectors),
        element("p", UNCERTAIN, class_="note") if pattern.uncertain else None,
        section("What it looks like", paragraphs(pattern.symptom), *_figures(pattern)),
        section("Why it happens", paragraphs(pattern.cause)),
        _detection(pattern, detectors.get(pattern.name), SENTENCES[decided_by(pattern, detectors)]),
        _limits(pattern, detectors.get(pattern.name)), _probes(pattern, probes), _accuracy(pattern),
        _look_alikes(pattern, patterns), _story(pattern, patterns),
        section("What to do", listing(map(_fix, pattern.fixes), "ol", class_="fixes")),
        _said(pattern), _guides(pattern, guide),
        section("Sources", listing((outside(s.title, s.url) for s in pattern.sources), class_="sources")),
    )
    place = joined([inside(title_of(family), f"{INDEX}#{family}"), f" › {pattern.code}"])
    return framed(f"{pattern.code} {pattern.title}", *parts, path=place, foot=_neighbours(pattern, patterns))


def _badges(pattern: Pattern, detectors: Mapping[str, Detector]) -> Markup | None:
    told: list[Part] = [
        element("span", pattern.severity, class_=pattern.severity), f"about {pattern.kind}", f"evidence: {pattern.layer}",
        f"decided by {decided_by(pattern, detectors)}", code(pattern.name)]
    if pattern.also:
        told.append(joined(["also ", code(", ".join(pattern.also))]))
    return listing([*told, "uncertain" if pattern.uncertain else None], class_="badges")


def _figures(pattern: Pattern) -> tuple[Markup, ...]:
    shown = tuple(figure(picture) for picture in pictures().get(pattern.code, ()))
    return shown or (element("p", NO_PICTURE, class_="soft"),)


def _detection(pattern: Pattern, detector: Detector | None, by: str) -> Markup | None:
    parts: list[Part] = [paragraphs(by, f"How to see it: {pattern.manual}" if pattern.manual else "")]
    if detector is not None:
        parts += [paragraphs(*method(detector).split("\n"))]
        parts += _needs("It needs", words_of(detector.needs)) + _needs("It also uses, where at hand", words_of(detector.optional))
    return section("How we detect it", *parts)


def _limits(pattern: Pattern, detector: Detector | None) -> Markup | None:
    return limits_section(pattern.limits, {} if detector is None else detector.limits)


def _probes(pattern: Pattern, probes: Probes) -> Markup | None:
    names = [page.name for page in settling(pattern, probes)]
    names += [pattern.probe] if pattern.probe and pattern.probe not in names else []
    return section("Probes that settle it", listing(probe_entry(name, probes) for name in names))


def _needs(title: str, words: tuple[str, ...]) -> list[Part]:
    return [element("h3", title), listing(words)] if words else []


def _accuracy(pattern: Pattern) -> Markup | None:
    record = sentence_of(pattern.code)
    on = measured_on() if track_record(pattern.code) is not None else ""
    return section("How often it is right", paragraphs(f"{capitalised(record)}.", on)) if record else None


def _look_alikes(pattern: Pattern, patterns: Mapping[str, Pattern]) -> Markup | None:
    own = [joined([link_to(patterns[other]), f": {how}"]) for other, how in pattern.look_alikes.items()]
    others = [joined([link_to(other), f": {other.look_alikes[pattern.name]}"]) for other in patterns.values()
              if pattern.name in other.look_alikes and other.name not in pattern.look_alikes]
    return section("Look-alikes, and how to tell them apart", listing([*own, *others]))


def _story(pattern: Pattern, patterns: Mapping[str, Pattern]) -> Markup | None:
    causes = [other.name for other in patterns.values() if pattern.name in other.leads_to]
    told = [joined([f"{title}: ", links]) for title, links in (
        ("Leads to", links_to(pattern.leads_to, patterns)), ("Follows from", links_to(causes, patterns))) if links is not None]
    return section("In the story of a run", listing(told))


def _fix(fix: CatalogueFix) -> Markup:
    only = ", ".join(f"{key} {value if isinstance(value, str) else ' or '.join(value)}" for key, value in fix.when.items())
    proposed = "" if fix.proposed is None else general(f" → {setting(fix.proposed)}")
    within = "" if fix.within is None else f" (within {count(fix.within, 'iteration')} of training)"
    return joined([
        element("p", general(fix.do), f" (for {only})" if only else None),
        element("p", "Setting: ", code(f"{fix.setting}{proposed}")) if fix.setting else None,
        *(element("p", f"{title}: {general(text)}", class_="soft") for title, text in (
            ("Expect", f"{fix.expect}{within}"), ("Risk", fix.risk), ("This was not the cause if", fix.falsified_by)) if text),
    ])


def _said(pattern: Pattern) -> Markup | None:
    if not (pattern.seed_says or pattern.we_say):
        return None
    return section(
        "Often said, and why we differ", element("blockquote", pattern.seed_says, class_="said") if pattern.seed_says else None,
        paragraphs(pattern.we_say))


def _guides(pattern: Pattern, guide: Guide) -> Markup | None:
    named = pages_naming((pattern.code, *pattern.also), guide)
    return section("In the guide", listing(inside(page.title, page.file) for page in named))


def _neighbours(pattern: Pattern, patterns: Mapping[str, Pattern]) -> Markup | None:
    names = list(patterns)
    place = names.index(pattern.name)
    before = [joined(["← ", link_to(patterns[names[place - 1]])])] if place else []
    after = [joined([link_to(patterns[names[place + 1]]), " →"])] if place + 1 < len(names) else []
    return joined([*before, *after], " · ") if before or after else None
