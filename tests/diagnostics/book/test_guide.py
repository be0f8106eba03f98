"""The guide holds every row of the tables that it answers, names only patterns that exist, and can be walked to its leaves."""

from collections import Counter

import pytest

from diagnostics.book.guide import Guide, load_guide, parse_page, walked
from diagnostics.book.guide_help import help_html
from diagnostics.book.guide_page import coded_patterns
from diagnostics.book.guide_text import guide_text
from diagnostics.catalogue import CatalogueError, load_catalogue
from tests.diagnostics.book.pages import Page

# Rows of the public guide that is answered, by page: its monitors, artifacts, onsets, settings and problems, phases and failure
# modes, distributed bugs, checkpoint issues, memory strategies and scenarios, methods, protocol.
ROWS = {"monitors": 10, "artifacts": 10, "onset": 5, "tuning": 12 + 7, "phases": 4 + 6, "distributed": 6, "checkpoints": 6,
        "memory": 8, "methods": 10, "pipeline": 9, "selfcheck": 3 + 5}
INVERTED = {  # told the wrong way round there: what the right direction must say
    "densify_grad_threshold": "Up: fewer", "opacity_reset_interval": "Up: rarer", "Holes": "Lower it",
    "Floaters": "Reduce the reset",
}


@pytest.fixture(scope="module")
def guide() -> Guide:
    return load_guide()


def test_every_pattern_that_the_guide_names_exists(guide: Guide) -> None:
    """A row that leads to nothing is worse than none."""
    known = set(coded_patterns(load_catalogue().values()))
    unknown = {page.name: sorted(page.codes - known) for page in guide.values() if page.codes - known}
    assert not unknown


def test_every_row_of_the_answered_tables_is_there(guide: Guide) -> None:
    """Each shows what is often said; rows of our own come on top."""
    told = {name: sum(1 for row in guide[name].rows if row.seed_says) for name in ROWS}
    assert {name: count for name, count in told.items() if count < ROWS[name]} == {}


def test_topics_are_told_once_per_page(guide: Guide) -> None:
    for page in guide.values():
        assert not [topic for topic, times in Counter(row.topic for row in page.rows).items() if times > 1], page.name


def test_inverted_advice_is_called_so_and_put_right(guide: Guide) -> None:
    """The directions that would do harm."""
    inverted = {row.topic: row.we_say for page in guide.values() for row in page.rows if row.verdict == "inverted"}
    assert set(inverted) == set(INVERTED)
    for topic, says in INVERTED.items():
        assert says in inverted[topic]


def test_what_differs_gives_a_reason_or_a_source(guide: Guide) -> None:
    """To call a claim wrong or inverted needs more than our word."""
    bare = [(page.name, row.topic) for page in guide.values() for row in page.rows
            if row.verdict in ("wrong", "inverted") and not (row.sources or row.why)]
    assert not bare


def test_the_tree_ends_at_patterns_or_probes(guide: Guide) -> None:
    """Every question is reached, and every last answer names what settles it."""
    tree = guide["tree"]
    assert tree.steps is not None
    assert set(walked(tree)) == set(tree.steps)
    leaves = [answer for step in tree.steps.values() for answer in step.answers if not answer.go]
    assert all(answer.patterns or answer.probes for answer in leaves)
    assert len({code for answer in leaves for code in answer.patterns}) > 60


def test_the_text_of_each_page_is_whole(guide: Guide) -> None:
    """The terminal shows what the browser shows."""
    for page in guide.values():
        text = " ".join(guide_text(page).split())
        assert all(" ".join(row.we_say.split()) in text for row in page.rows), page.name
        assert all(step.asks in text for step in (page.steps or {}).values())


@pytest.mark.parametrize(("change", "complaint"), [
    ({"rows": [{"topic": "x"}]}, "'we_say' is missing"),
    ({"rows": [{"topic": "x", "we_say": "y", "seed_says": "z", "verdict": "maybe"}]}, "must be one of"),
    ({"rows": [{"topic": "x", "we_say": "y", "sources": ["nowhere"]}]}, "sources.toml does not hold"),
    ({"start": "a", "steps": {"a": {"asks": "?", "answers": [{"says": "yes"}]}}}, "leads to nothing"),
    ({"start": "a", "steps": {"a": {"asks": "?", "answers": [{"says": "yes", "go": "b"}]}}}, "which is not asked"),
    ({"start": "a", "steps": {"a": {"asks": "?", "answers": [{"says": "yes", "patterns": ["DF-01"]}]},
                              "b": {"asks": "?", "answers": [{"says": "yes", "go": "a"}]}}}, "never reached"),
    ({"colour": "red"}, "unknown key"),
    ({"rows": [{"topic": "x", "we_say": "y", "probes": ["guess"]}]}, "which nobody describes"),
])
def test_a_half_written_page_is_refused(change: dict[str, object], complaint: str) -> None:
    """With the place and the key, so that its writer finds it."""
    with pytest.raises(CatalogueError, match=complaint):
        parse_page("page", {"title": "t", "about": "a", "place": 1, **change}, {})


def test_the_help_asks_every_question_once_and_names_every_page(guide: Guide) -> None:
    """Inside the program, without a browser at hand."""
    page = Page(help_html(guide))
    assert not page.faults
    assert all(page.text.count(step.asks) >= 1 for step in (guide["tree"].steps or {}).values())
    assert all(other.title in page.text for other in guide.values())
