"""The scoreboard of the probes: a wrong figure there would praise what does not work."""

import json

from benchmarks.probes.asked import Asked, Heard
from benchmarks.probes.scoreboard import HEADING, merged, plain, rows, with_section


def _heard(fault: str, right: bool, *, outcome: str = "finding", failure: str = "", slug: str = "a") -> Heard:
    return Heard(Asked("pose", fault, slug, "test", "mini"), right, outcome, "says", 2.0, failure)


ANSWERS = (
    _heard("few-poses-off", True), _heard("few-poses-off", False, outcome="open", slug="missed"),
    _heard("", True, outcome="clear"), _heard("", False, slug="alarm"),
    _heard("", False, outcome="failed", failure="E", slug="broke"),
)


def test_hits_alarms_and_failures_are_counted_apart() -> None:
    """A probe that broke found nothing, and raised no false alarm either."""
    (row,) = rows(ANSWERS)
    assert (row.found, row.alarms, row.left_open) == ((1, 2), (1, 3), (2, 5))
    assert row.missed == ("missed",)
    assert row.wrong == ("alarm", "broke")
    assert row.broken == ("broke: E",)


def test_the_page_keeps_its_other_parts_and_holds_the_newest_figures_once() -> None:
    """Both benchmarks write the same page."""
    old = json.loads(json.dumps(plain(rows(ANSWERS))))
    new = [{**old[0], "found": [2, 2], "missed": []}]
    page = with_section(with_section("# Page\n\ntext\n", old), merged(old, new))
    assert page.startswith("# Page\n\ntext\n\n## Probes\n")
    assert page.count(HEADING) == 1
    assert "1.00 (2 of 2;" in page
    assert "missed missed" not in page


def test_without_figures_the_page_stays_as_it_is() -> None:
    assert with_section("# Page\n", []) == "# Page\n"
