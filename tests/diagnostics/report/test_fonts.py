"""Names come in every script; what the fonts cannot draw must still be told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.report.fonts import FILES, MONO, SANS, displayable, encodable, markup, register_fonts

register_fonts()
register_fonts()  # twice is allowed


@pytest.mark.parametrize(("text", "shown"), [
    ("Žluťoučký Ελλάς Ж →≤", "Žluťoučký Ελλάς Ж →≤"), ("中", "‹U+4E2D›"), ("\x07", "‹U+0007›"), ("\udce9", "‹U+DCE9›"),
    ("😀", "‹U+1F600›"), ("a\tb\nc", "a\tb\nc"),
])
def test_a_character_without_a_glyph_shows_its_code_point(text: str, shown: str) -> None:
    """An empty box tells nobody which file it was."""
    assert displayable(text, SANS) == shown


@given(st.text())
def test_no_text_is_ever_shortened(text: str) -> None:
    """Each character has its own trace in what is shown, in every font, and the metadata can be encoded."""
    for font in FILES:
        assert len(displayable(text, font)) >= len(text)
    encodable(text).encode("utf-16")


def test_markup_is_escaped() -> None:
    """A folder named <b> stays a folder."""
    assert markup("<b>&\n中", MONO) == "&lt;b&gt;&amp;<br/>‹U+4E2D›"
