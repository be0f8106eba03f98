"""The index: the guide, and every pattern by family, with a finder that needs a few lines of script and is not needed itself."""

from collections.abc import Mapping

from diagnostics.accuracy import measured_on
from diagnostics.book.decided import decided_by
from diagnostics.book.families import by_family, title_of
from diagnostics.book.frame import code, framed, inside
from diagnostics.book.guide import Guide, GuidePage
from diagnostics.book.links import Probes, page_of, probe_link
from diagnostics.book.markup import Markup, element, joined, listing, outside, paragraphs, section
from diagnostics.catalogue import Pattern
from diagnostics.probes.registry import Page
from diagnostics.registry import Detector
from diagnostics.report.wording import count
from diagnostics.verdict import SEVERITIES

ABOUT = (
    "Every way in which we know a training of 3D Gaussians to fail: what it looks like, why it happens, how it is measured and "
    "against which limits, how often that was right, what to do, and what is often said about it that does not hold."
)
ABOUT_PROBES = (
    "Short optimisations and renderings that settle what files cannot tell. The first ones are the first to try; each says what "
    "it costs before it starts, and none writes anything into a run's folder."
)
ANSWERED = ("a public debugging guide", "https://github.com/jaccen/Awesome-Gaussian-Skills")
WAYS = (("probe", "a probe"), ("manual", "a person who looks"))
COLUMNS = ("Code", "Pattern", "What it looks like", "Severity", "Decided by")


def index_page(patterns: Mapping[str, Pattern], detectors: Mapping[str, Detector], guide: Guide, probes: Probes) -> str:
    """The whole page."""
    families = by_family(patterns.values())
    contents = listing((inside(f"{title_of(f)} ({len(members)})", f"#{f}") for f, members in families.items()), class_="badges")
    return framed(
        "Failure patterns of Gaussian splatting", element("h1", "Failure patterns of Gaussian splatting"),
        paragraphs(ABOUT, _counted(patterns, detectors), measured_on()),
        element("p", "“Often said” is what ", outside(*ANSWERED), " and others say; we tell where we found otherwise, and why."),
        element("h2", "Guide", id="guide"), listing(map(_card, guide.values()), class_="cards"),
        section("Probes", paragraphs(ABOUT_PROBES), listing(map(_probe_card, probes.values()), class_="cards"), id="probes"),
        element("h2", "Patterns", id="patterns"), contents, _finder(),
        *(_family(family, members, detectors) for family, members in families.items()), script="finder.js")


def _counted(patterns: Mapping[str, Pattern], detectors: Mapping[str, Detector]) -> str:
    by = [decided_by(pattern, detectors) for pattern in patterns.values()]
    others = [f"{by.count(way)} by {words}" for way, words in WAYS if way in by]
    uncertain = sum(pattern.uncertain for pattern in patterns.values())
    told = ", ".join([f"{len(by)} patterns: {by.count('detector')} are decided from the files of a run", *others]) + "."
    return f"{told} {count(uncertain, 'pattern')} marked uncertain: told by others, verified by nobody." if uncertain else told


def _card(page: GuidePage) -> Markup:
    return joined([inside(page.title, page.file), element("p", f"{page.about.split('. ')[0].rstrip('.')}.")])


def _probe_card(page: Page) -> Markup:
    return joined([probe_link(page), element("p", page.question)])


def _finder() -> Markup:
    """Hidden until the script shows it: without scripts the page is a plain list."""
    choices = {"severity": ("any severity", SEVERITIES), "decided": ("decided by any", ("detector", "probe", "manual"))}
    selects = [element("select", element("option", usual, value=""), *(element("option", one) for one in values), id=name,
                       aria_label=name) for name, (usual, values) in choices.items()]
    words = element("input", type="search", id="words", placeholder="Words, a code, a name", aria_label="Find a pattern")
    return element("form", words, *selects, element("output", id="shown"), class_="finder", id="finder", hidden="")


def _family(family: str, members: list[Pattern], detectors: Mapping[str, Detector]) -> Markup:
    head = element("tr", *(element("th", title, scope="col") for title in COLUMNS))
    rows = [_row(pattern, decided_by(pattern, detectors)) for pattern in members]
    table = element("table", element("thead", head), element("tbody", *rows), class_="index")
    return element("section", element("h2", title_of(family)), element("div", table, class_="scroll"), class_="family", id=family)


def _row(pattern: Pattern, by: str) -> Markup:
    words = " ".join((pattern.code, *pattern.also, pattern.name, pattern.title, pattern.symptom, pattern.cause)).casefold()
    uncertain = [" ", element("span", "uncertain", class_="mark")] if pattern.uncertain else []
    return element(
        "tr", element("td", code(pattern.code)), element("td", inside(pattern.title, page_of(pattern.name)), *uncertain),
        element("td", pattern.symptom), element("td", pattern.severity, class_=pattern.severity), element("td", by),
        data_words=words, data_severity=pattern.severity, data_decided=by)
