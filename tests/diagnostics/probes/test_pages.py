"""Function, page and catalogue of a probe meet: a limit without its reason or a pattern without its probe is a broken promise."""

import re
from collections.abc import Iterator

import pytest

import diagnostics.detectors
import diagnostics.probes.questions  # noqa: F401  (registers every probe)
from diagnostics.book.guide import load_guide
from diagnostics.catalogue import CatalogueError, load_catalogue
from diagnostics.probes.registry import PROBES, Page, _page, pages
from diagnostics.registry import DETECTORS

WHOLE = re.compile(r".*[.?]$", re.DOTALL)
HALF_WRITTEN = re.compile(r"\b(TODO|FIXME|XXX|TBD|lorem)\b|\?\?", re.IGNORECASE)
SHORTEST_REASON = 25  # characters; "measured" alone is no reason


def test_each_probe_has_a_page_and_each_page_a_probe() -> None:
    """A page without a function promises what nobody can ask; a function without a page asks without saying what."""
    assert set(PROBES) == set(pages())


@pytest.mark.parametrize("name", sorted(pages()))
def test_each_limit_has_a_reason_and_each_reason_a_limit(name: str) -> None:
    """A number without a reason is a guess."""
    assert set(pages()[name].limits) == set(PROBES[name].limits)


@pytest.mark.parametrize("page", pages().values(), ids=lambda page: page.name)
def test_its_texts_are_whole_sentences(page: Page) -> None:
    """They stand in the window, in the book and in reports as they are."""
    assert [key for key, text in _texts(page) if not WHOLE.match(text) or text != text.strip()] == []
    assert [key for key, text in _texts(page) if HALF_WRITTEN.search(text)] == []
    assert page.question.endswith("?")
    assert not page.title.endswith((".", "!"))
    assert [name for name, why in page.limits.items() if len(why) < SHORTEST_REASON] == []


def _texts(page: Page) -> Iterator[tuple[str, str]]:
    yield from (("question", page.question), ("how", page.how), ("needs", page.needs), ("does_not_say", page.does_not_say))
    yield from page.limits.items()


@pytest.mark.parametrize("page", pages().values(), ids=lambda page: page.name)
def test_it_names_its_sources(page: Page) -> None:
    """Titles always, addresses over https."""
    assert page.sources
    assert all(source.title.strip() for source in page.sources)
    assert all(source.url == "" or source.url.startswith("https://") for source in page.sources)


def test_probes_settle_patterns_that_exist() -> None:
    """A name with a typing error would be judged for nobody."""
    known = load_catalogue()
    assert {page.name: [name for name in page.settles if name not in known] for page in pages().values()} == {
        name: [] for name in pages()}
    assert all(len(set(page.settles)) == len(page.settles) for page in pages().values())


def test_a_pattern_that_only_a_probe_settles_is_settled_by_it() -> None:
    """The catalogue sends the reader there."""
    sent = {pattern.name: pattern.probe for pattern in load_catalogue().values() if pattern.probe}
    assert {name: probe for name, probe in sent.items() if probe not in pages() or name not in pages()[probe].settles} == {}


def test_what_a_probe_settles_has_a_detector_or_sends_to_a_probe() -> None:
    """Otherwise nobody who reads the pattern's page would learn why it is undecided."""
    patterns = load_catalogue()
    lost = [name for page in pages().values() for name in page.settles
            if name not in DETECTORS and not patterns[name].probe and not patterns[name].manual]
    assert lost == []


def test_each_is_a_different_one_to_try_first() -> None:
    """The list in the window has one order."""
    orders = [page.order for page in pages().values()]
    assert len(set(orders)) == len(orders)
    assert next(iter(pages())) == "overfit"  # before anything else is debugged


def test_the_guide_names_every_probe_that_a_symptom_leads_to() -> None:
    """And none that nobody can ask."""
    named = {probe for page in load_guide().values() for probe in
             (*(one for row in page.rows for one in row.probes),
              *(one for step in (page.steps or {}).values() for answer in step.answers for one in answer.probes))}
    assert named == set(pages())


@pytest.mark.parametrize(("change", "complaint"), [
    ({"colour": "red"}, "unknown key"), ({"how": ""}, "must say something"), ({"sources": []}, "must say something"),
])
def test_a_half_written_page_is_refused(change: dict[str, object], complaint: str) -> None:
    """With the key, so that its writer finds it."""
    entry = {"title": "t", "question": "q?", "how": "h", "needs": "n", "does_not_say": "d", "settles": [],
             "sources": [{"title": "s"}], **change}
    with pytest.raises(CatalogueError, match=complaint):
        _page("page", entry)
