"""Planned events against observed ones: an off-by-one must not alarm, and a real difference must be told as what it is."""

from hypothesis import given
from hypothesis import strategies as st

from diagnostics.measures.event_match import Match, interval, matched


def at(*iterations: int) -> list[tuple[int, int]]:
    return [(i, i) for i in iterations]


def test_what_agrees_differs_in_nothing() -> None:
    """Also where one side counts from zero."""
    assert matched([100, 200], at(101, 201)) == Match((), (), None, None)
    assert not matched([100, 200], [(50, 100), (150, 250)]).differs


def test_missing_and_extra_events_are_told_apart() -> None:
    """Both at once is neither of the two alone."""
    assert matched([100, 200, 300], at(100, 250, 300)) == Match((200,), ((250, 250),), None, None)


def test_a_constant_delay_is_a_shift() -> None:
    """A counter that started elsewhere."""
    assert matched([100, 200, 300], at(140, 240, 340)).shift == 40
    assert matched([100, 200, 300], at(60, 160, 260)).shift == -40
    assert matched([100, 200, 300], at(140, 240, 350)).shift is None


def test_an_even_spacing_needs_three_exact_events() -> None:
    """Two events have one gap, which proves nothing."""
    assert (interval(at(100, 300, 500)), interval(at(100, 300)), interval(at(100, 300, 400))) == (200, None, None)
    assert interval([(100, 100), (290, 300), (500, 500)]) is None


@given(st.lists(st.integers(1, 5000), max_size=20, unique=True))
def test_a_plan_matches_itself(plan: list[int]) -> None:
    """Whatever the plan."""
    assert not matched(sorted(plan), at(*sorted(plan))).differs
