"""A pattern's page is where a user learns why a limit is what it is, and it may quote anything without becoming markup."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from diagnostics.catalogue import CatalogueFix, Pattern, Source, load_catalogue
from diagnostics.registry import DETECTORS
from diagnostics.report.page import COLUMNS, general, pattern_html, pattern_text
from tests.diagnostics.report.support import PATTERN

QT_TAGS = {"h2", "h3", "p", "ol", "ul", "li", "a", "br"}  # what Qt's text browser draws as we mean it


class Tags(HTMLParser):
    """Collects tags, links and text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.links += [value or "" for name, value in attrs if name == "href"]
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(html: str) -> Tags:
    reader = Tags()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@pytest.mark.parametrize("pattern", load_catalogue().values(), ids=lambda pattern: pattern.code)
def test_every_pattern_has_a_whole_page_both_ways(pattern: Pattern) -> None:
    """Prose that is not shown may as well not exist: each text of the entry is on both pages."""
    detector = DETECTORS.get(pattern.name)
    limits = {} if detector is None else detector.limits
    told = parsed(pattern_html(pattern, limits))
    assert told.seen <= QT_TAGS
    text = pattern_text(pattern, limits)
    for words in (pattern.code, pattern.title, pattern.symptom, pattern.cause, pattern.manual, pattern.we_say, pattern.seed_says,
                  *pattern.limits.values(),
                  *(general(fix.do) for fix in pattern.fixes), *(general(fix.expect) for fix in pattern.fixes),
                  *(source.title for source in pattern.sources)):
        assert "".join(words.split()) in "".join(told.text.split())
        assert "".join(words.split()) in "".join(text.split())


def test_a_page_quotes_no_run() -> None:
    """"delete the {floaters} Gaussians" is a form to be filled in for a run, and not a sentence for a reader."""
    fix = CatalogueFix("Delete the {floaters} tinted Gaussians", "{share} less", "opacity_reset_interval", proposed="{interval}")
    text = pattern_text(replace(PATTERN, fixes=(fix,)), {})
    assert "1. Delete the … tinted Gaussians" in text
    assert "Setting: opacity_reset_interval → …. Expect: … less" in text


def test_limits_show_their_number_beside_their_reason() -> None:
    """A reason without the number it is for cannot be checked."""
    assert "share = 0.02\n" in pattern_text(PATTERN, {"share": 0.02})
    assert "share = 0.02<br>healthy runs" in pattern_html(PATTERN, {"share": 0.02})
    assert "\n  - share\n" in pattern_text(PATTERN, {})


def test_lines_fit_a_terminal_and_addresses_stay_whole() -> None:
    """A broken address cannot be clicked."""
    far = "https://example.org/" + "x" * 150
    text = pattern_text(replace(PATTERN, cause="word " * 200, sources=(Source("far", far),)), {})
    assert max(len(line) for line in text.splitlines() if far not in line) <= COLUMNS
    assert far in text


def test_nothing_in_an_entry_becomes_markup() -> None:
    """Catalogues may be edited by anyone; a page must show tags, not obey them."""
    evil = '<script>x</script><a href="javascript:x">&amp;'
    pattern = Pattern(
        "evil", evil, evil, "major", "training", evil, evil, {evil: evil},
        (CatalogueFix(evil, evil, evil, {"trainer": evil}, evil),),
        (Source(evil, "javascript:alert(1)"), Source("quoted", 'https://e.org/"onclick="x'), Source("measured", "")),
        evil, evil, (evil,), evil, uncertain=True)
    told = parsed(pattern_html(pattern, {evil: evil}))
    assert told.seen <= QT_TAGS
    assert told.links == ['https://e.org/"onclick="x']
    assert told.text.count(evil) >= 15
    assert "uncertain: not verified by us" in told.text
