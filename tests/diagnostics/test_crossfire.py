"""Which patterns fire on which fault is looked at, not left to chance."""

from tests.diagnostics.crossfire import SNAPSHOT, matrix


def test_the_cross_fire_matrix_is_the_reviewed_one() -> None:
    """A new detector that fires on other faults shows here; if that is right: `python -m tests.diagnostics.crossfire`."""
    assert matrix() == SNAPSHOT.read_text("utf-8")
