"""A probe's page is read before minutes of work are spent: it must say what the probe costs, needs, settles and cannot say."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

import diagnostics.probes.questions  # noqa: F401  (registers every probe)
from diagnostics.book.guide import load_guide
from diagnostics.book.links import page_of, probe_file
from diagnostics.book.pattern_page import pattern_page
from diagnostics.book.probe_page import UNCERTAIN, probe_page
from diagnostics.book.write import book_pages
from diagnostics.catalogue import load_catalogue
from diagnostics.probes.registry import PROBES
from diagnostics.probes.registry import pages as shipped
from diagnostics.registry import DETECTORS
from diagnostics.report.wording import setting
from tests.diagnostics.book.pages import Page
from tests.diagnostics.report.probed import MADE_UP


@pytest.fixture(scope="module")
def pages() -> Mapping[str, Page]:
    return {name: Page(text) for name, text in book_pages(load_catalogue(), DETECTORS, load_guide())}


def test_each_probe_has_a_page_that_tells_all_of_it(pages: Mapping[str, Page]) -> None:
    """Nothing that the probe's own file says is left out."""
    for probe in shipped().values():
        page = pages[probe_file(probe.name)]
        told = [probe.title, probe.question, probe.how, probe.needs, probe.does_not_say, *probe.limits.values(),
                *(source.title for source in probe.sources), f"splatdoctor probe {probe.name} RUN"]
        assert [text for text in told if " ".join(text.split()) not in page.text] == [], probe.name
        assert {source.url for source in probe.sources if source.url} <= set(page.links)
        assert {page_of(name) for name in probe.settles} <= set(page.links)


def test_limits_are_those_that_the_probe_uses(pages: Mapping[str, Page]) -> None:
    """The number beside the reason is read from the code, so the two cannot drift apart."""
    for probe in shipped().values():
        values = PROBES[probe.name].limits
        assert all(setting(values[name]) in pages[probe_file(probe.name)].text for name in probe.limits), probe.name


def test_patterns_and_the_index_lead_to_the_probes(pages: Mapping[str, Page]) -> None:
    """Who reads of a pattern that files cannot decide needs the next step."""
    for probe in shipped().values():
        assert probe_file(probe.name) in pages["index.html"].links
        assert all(probe_file(probe.name) in pages[page_of(name)].links for name in probe.settles)
    named = {probe for page in load_guide().values() for row in page.rows for probe in row.probes}
    links = {link for name, page in pages.items() if name.startswith("guide-") for link in page.links}
    assert {probe_file(name) for name in named if name in shipped()} <= links


def test_a_pattern_that_a_probe_settles_names_it_once() -> None:
    """Whether the probe names the pattern, the pattern the probe, or both."""
    patterns = load_catalogue()
    needles = replace(patterns["needle-gaussians"], probe="made-up")
    page = Page(pattern_page(needles, {**patterns, needles.name: needles}, DETECTORS, load_guide(), {"made-up": MADE_UP}))
    assert page.links.count("probe-made-up.html") == 1
    assert "Probe: Made-up probe . Does it hold?" in page.text
    unknown = Page(pattern_page(replace(needles, probe="later"), patterns, DETECTORS, load_guide(), {}))
    assert "Probe: later" in unknown.text


def test_a_probe_s_words_are_never_taken_for_html() -> None:
    """Its page may speak of tags."""
    nasty = '<script>alert("1")</script> & \'quoted\' <b>'
    odd = replace(MADE_UP, title=nasty, question=nasty, how=nasty, needs=nasty, does_not_say=nasty, limits={"bar": nasty})
    page = Page(probe_page(odd, load_catalogue(), {"made-up": odd}, {"bar": 2.5}))
    assert not page.faults
    assert page.text.count(nasty) == 8  # in the title, the path and the heading too
    assert "2.5" in page.text
    assert not [tag for tag, _ in page.tags if tag in ("script", "b")]


def test_an_uncertain_probe_says_so_and_one_that_settles_nothing_too() -> None:
    """A number that nobody calibrated must not read like a fact."""
    odd = replace(MADE_UP, uncertain=True, settles=())
    text = Page(probe_page(odd, load_catalogue(), {"made-up": odd}, {})).text
    assert UNCERTAIN in text
    assert "It settles no pattern by itself." in text
    assert UNCERTAIN not in Page(probe_page(MADE_UP, load_catalogue(), {}, {})).text
