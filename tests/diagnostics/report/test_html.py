"""The HTML report travels by mail and opens anywhere: it must hold everything, run nothing, load nothing, and escape all."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from diagnostics.diagnosis import Began, Births, ExplainedAway, Resemblance, Undecided
from diagnostics.report.html import html_page, write_html
from diagnostics.report.pdf import ReportNotWritten
from diagnostics.report.report import build_report
from diagnostics.verdict import EvidenceRow, Fix
from tests.diagnostics.report.support import PATTERN, diagnosis, pattern, reported

VOID = {"meta", "img", "br", "circle"}
NASTY = "<script>alert('&')</script>\" onload=\"x"
FIX = Fix("Reset opacities more often", "floaters fade", "opacity_reset_interval", 400, 200, "a dip of quality", "they stay", 900,
          "--opacity_reset_interval 200")


class Page(HTMLParser):
    """Checks that elements close in order; collects tags, attributes and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def page() -> Page:
    began = Began(1500, (Births(60, 900, 1500, "born late"),), 0, 0.98, "the order of rows", "75 % were born late", "So.", True)
    root = replace(
        reported(replace(PATTERN, seed_says="Raise the threshold", we_say="Lower it", uncertain=True), fixes=(FIX,)), began=began,
        timing="It shows from iteration 900 on.", resembles=(Resemblance("AF-03", "Ghosting", "Ghosts are copies.", True),))
    effect = reported(pattern(1), severity="minor", consequence_of=("AF-01",), says=NASTY,
                      evidence=(EvidenceRow(NASTY, 1.0, None, "", None, NASTY),))
    return Page(html_page(build_report(diagnosis(
        root, effect, explained_away=(ExplainedAway(reported(pattern(3)), "AF-01", "it is the same fault"),),
        not_evaluable=(Undecided(pattern(92), (NASTY,)), Undecided(replace(pattern(93), manual="listen to the fans"), ("x",)))))))


def test_everything_of_the_diagnosis_is_told(page: Page) -> None:
    """What is left out no reader will ever learn."""
    text = page.text.replace("\N{NO-BREAK SPACE}", " ")
    for told in ("garden", "From this follows N-01, made-up pattern 1", "60 of 400 Gaussians (15 %) float", "MAJOR", "MINOR",
                 "opacity_reset_interval: 400 → 200", "--opacity_reset_interval 200", "Expect by iteration 900",
                 "Risk: a dip of quality", "Not the cause if: they stay", "It shows from iteration 900 on. 75 % were born late",
                 "Ghosting (AF-03, found here as well)", "Raise the threshold", "Lower it", "uncertain: not verified by us",
                 "A consequence of AF-01", "it is the same fault", "listen to the fans", "healthy runs of the calibration set",
                 "the last record is cut off", "densify_until_iter", "trainer default, not stored", "24.31 dB"):
        assert told in text, told


def test_it_is_well_formed_and_holds_no_script(page: Page) -> None:
    """Sentences quote file names, and files come from anywhere."""
    assert page.open == []
    assert "script" not in page.tags
    assert NASTY in page.text
    assert not [name for name, _ in page.attributes if name.startswith("on")]


def test_nothing_is_loaded(page: Page) -> None:
    """A report asks nobody: pictures lie inside, and only what the reader clicks leads elsewhere."""
    assert all(value.startswith("data:image/jpeg;base64,") for name, value in page.attributes if name == "src")
    assert [value for name, value in page.attributes if name == "src"]
    assert all(value.startswith(("#finding-", "https://", "http://")) for name, value in page.attributes if name == "href")
    assert any("default-src 'none'" in value for name, value in page.attributes if name == "content")


def test_a_curve_is_drawn_inside_its_axes() -> None:
    """A curve that leaves its plot shows numbers that were not measured."""
    html = html_page(build_report(diagnosis(reported())))
    paths = re.findall(r'class="line line\d"[^>]* d="M([^"]+)"', html)
    points = [tuple(map(float, point.split())) for path in paths for point in path.split("L")]
    assert len(points) > 100
    assert all(54 <= x <= 441 and 39.9 <= y <= 164.1 for x, y in points)


def test_it_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """Half a report is worse than none, and a missing folder is a sentence."""
    write_html(diagnosis(), tmp_path / "out.html")
    assert (tmp_path / "out.html").read_text("utf-8").endswith("</html>\n")
    with pytest.raises(ReportNotWritten, match="does not exist"):
        write_html(diagnosis(), tmp_path / "no" / "out.html")
    assert [path.name for path in tmp_path.iterdir()] == ["out.html"]
