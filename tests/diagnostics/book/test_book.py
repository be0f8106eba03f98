"""The book is what people read of the catalogue without the program: complete, closed in itself, its text never taken as tags."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import diagnostics.detectors  # noqa: F401  (registers every detector)
from diagnostics.accuracy import sentence_of
from diagnostics.book.decided import decided_by, words_of
from diagnostics.book.guide import load_guide
from diagnostics.book.links import page_of
from diagnostics.book.pattern_page import NO_PICTURE, UNCERTAIN, pattern_page
from diagnostics.book.pictures import image_files, pictures
from diagnostics.book.write import book_pages, write_book
from diagnostics.catalogue import load_catalogue
from diagnostics.probes.registry import pages as probes
from diagnostics.registry import DETECTORS
from diagnostics.report.wording import capitalised, setting
from tests.diagnostics.book.pages import Page

LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "object": "data", "source": "src", "use": "href"}


@pytest.fixture(scope="module")
def pages() -> Mapping[str, Page]:
    return {name: Page(text) for name, text in book_pages(load_catalogue(), DETECTORS, load_guide())}


def test_every_page_is_well_formed(pages: Mapping[str, Page]) -> None:
    """Browsers guess at broken HTML, each in its own way."""
    faults = {name: page.faults for name, page in pages.items() if page.faults}
    assert not faults


def test_every_link_leads_somewhere(pages: Mapping[str, Page]) -> None:
    """Inside the book to a page and a place that are there; outside over https."""
    dead = []
    for name, page in pages.items():
        for link in page.links:
            target, _, place = link.partition("#")
            inside = pages.get(target or name)
            if not link.startswith("https://") and (inside is None or (place and place not in inside.ids)):
                dead.append((name, link))
    assert not dead


def test_nothing_is_loaded_from_elsewhere(pages: Mapping[str, Page]) -> None:
    """The folder can be read offline and be passed on; only the pictures lie beside the pages."""
    loaded = {told[LOADED[tag]] for page in pages.values() for tag, told in page.tags if tag in LOADED and LOADED[tag] in told}
    assert loaded == {f"pictures/{name}" for name in image_files()}
    for name, text in book_pages(load_catalogue(), DETECTORS, load_guide()):
        assert not [word for word in ("@import", "url(") if word in text], name


def test_each_pattern_has_a_page_that_tells_all_of_it(pages: Mapping[str, Page]) -> None:
    """Nothing that the catalogue knows is left out: reasons of limits, fixes, sources, the claim that we differ from."""
    for pattern in load_catalogue().values():
        page = pages[page_of(pattern.name)]
        told = [pattern.title, pattern.symptom, pattern.cause, pattern.seed_says, pattern.we_say, pattern.manual,
                *pattern.limits.values(), *(source.title for source in pattern.sources), *pattern.look_alikes.values()]
        missing = [text for text in told if text and " ".join(text.split()) not in page.text]
        assert not missing, pattern.name
        assert {source.url for source in pattern.sources if source.url} <= set(page.links)
        assert {page_of(name) for name in (*pattern.leads_to, *pattern.look_alikes)} <= set(page.links)
        assert all(" ".join(fix.do.split("{")[0].split()) in page.text for fix in pattern.fixes)


def test_a_page_shows_the_limits_that_the_detector_uses(pages: Mapping[str, Page]) -> None:
    """The number beside the reason is read from the code, so the two cannot drift apart."""
    for name, detector in DETECTORS.items():
        shown = [told for tag, told in pages[page_of(name)].tags if tag == "td" and told.get("class") == "number"]
        named = load_catalogue()[name].limits
        assert len(shown) == len(named), name
        assert all(setting(value) in pages[page_of(name)].text for limit, value in detector.limits.items() if limit in named)


def test_each_detector_says_in_words_what_it_measures_and_needs() -> None:
    """An empty docstring would leave "How we detect it" empty."""
    silent = [name for name, detector in DETECTORS.items() if not (detector.judge.__doc__ or "").strip()]
    assert not silent


def test_accuracy_is_told_as_it_was_measured(pages: Mapping[str, Page]) -> None:
    """The same sentence as beside a verdict."""
    for pattern in load_catalogue().values():
        record = sentence_of(pattern.code)
        assert not record or capitalised(record) in pages[page_of(pattern.name)].text


def test_a_pattern_without_a_picture_says_so_and_one_with_shows_it(pages: Mapping[str, Page]) -> None:
    """Never a picture of something else."""
    for pattern in load_catalogue().values():
        page, shown = pages[page_of(pattern.name)], pictures().get(pattern.code, ())
        assert (NO_PICTURE in page.text) == (not shown)
        assert all(" ".join(picture.caption.split()) in page.text for picture in shown)


def test_pictures_belong_to_patterns_and_are_small() -> None:
    """They travel with the program."""
    codes = {pattern.code for pattern in load_catalogue().values()}
    assert set(pictures()) <= codes
    folder = Path(__file__).parents[3] / "resources" / "book" / "pictures"
    files = list(folder.iterdir()) if folder.is_dir() else []
    assert {file.name for file in files} == {picture.file for shown in pictures().values() for picture in shown}
    assert all(file.stat().st_size < 60_000 for file in files)


def test_the_index_lists_every_pattern_once_and_finds_it_without_a_script(pages: Mapping[str, Page]) -> None:
    """Rows stand in the page itself; the finder, which needs the script, is hidden until it runs."""
    index = pages["index.html"]
    rows = [told for tag, told in index.tags if tag == "tr" and "data-words" in told]
    assert len(rows) == len(load_catalogue())
    for pattern in load_catalogue().values():
        assert page_of(pattern.name) in index.links
    decided = sorted(told["data-decided"] or "" for told in rows)
    assert decided == sorted(decided_by(pattern, DETECTORS) for pattern in load_catalogue().values())
    assert next(told for tag, told in index.tags if tag == "form").keys() >= {"hidden", "id"}


def test_text_is_never_taken_for_html() -> None:
    """A catalogue entry may speak of tags, quotes and ampersands."""
    patterns = load_catalogue()
    name = "needle-gaussians"
    nasty = '<script>alert("1")</script> & \'quoted\' <b>'
    pattern = replace(patterns[name], title=nasty, symptom=nasty, cause=nasty, seed_says=nasty, manual=nasty)
    page = Page(pattern_page(pattern, {**patterns, name: pattern}, DETECTORS, load_guide(), {}))
    assert not page.faults
    assert nasty in page.text
    assert not [tag for tag, _ in page.tags if tag in ("script", "b")]


def test_an_uncertain_pattern_says_so_first() -> None:
    """What nobody verified must not read like a fact."""
    patterns = load_catalogue()
    pattern = replace(patterns["needle-gaussians"], uncertain=True)
    page = Page(pattern_page(pattern, {**patterns, pattern.name: pattern}, DETECTORS, load_guide(), {}))
    assert UNCERTAIN in page.text
    assert page.text.index(UNCERTAIN) < page.text.index("What it looks like")
    certain = Page(pattern_page(patterns["needle-gaussians"], patterns, DETECTORS, load_guide(), {}))
    assert UNCERTAIN not in certain.text


def test_the_book_is_written_whole_and_again_over_itself(tmp_path: Path) -> None:
    """Pages and pictures in a folder that need not be there."""
    count = write_book(tmp_path / "new" / "book")
    assert write_book(tmp_path / "new" / "book") == count == len(load_catalogue()) + len(load_guide()) + len(probes()) + 1
    written = {path.name for path in (tmp_path / "new" / "book").iterdir()}
    assert {"index.html", "pictures", "needle-gaussians.html", "guide-tree.html"} <= written
    assert {path.name for path in (tmp_path / "new" / "book" / "pictures").iterdir()} == set(image_files())


def test_what_two_facts_need_is_said_once() -> None:
    """A list that names the point cloud three times is read by nobody."""
    told = words_of(("gaussians", "views", "run"))
    assert len(set(told)) == len(told) == 3
    assert not any("; " in words for words in told)
