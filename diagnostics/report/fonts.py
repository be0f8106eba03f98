"""The report's fonts: DejaVu, embedded and subset; a character that a font lacks is shown as its code point."""

import threading
import unicodedata
from collections.abc import Container
from importlib.resources import files
from typing import cast
from xml.sax.saxutils import escape

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

SANS = "Report-Sans"
BOLD = "Report-Bold"
MONO = "Report-Mono"
FILES = {SANS: "DejaVuSans.ttf", BOLD: "DejaVuSans-Bold.ttf", MONO: "DejaVuSansMono.ttf"}

LAST = "\uffff"  # beyond it reportlab writes a character map that other programs cannot read: copied text would be lost
_LOCK = threading.Lock()


def register_fonts() -> None:
    """Make the three fonts known to reportlab, once per process."""
    with _LOCK:
        for name, file in FILES.items():
            if name not in pdfmetrics.getRegisteredFontNames():
                with files("resources").joinpath("fonts", file).open("rb") as stream:
                    pdfmetrics.registerFont(TTFont(name, stream))
        # <b> inside a paragraph finds the bold face; there is no italic one, so emphasis never uses it.
        pdfmetrics.registerFontFamily(SANS, normal=SANS, bold=BOLD, italic=SANS, boldItalic=BOLD)


def _glyphs(font: str) -> Container[int]:
    loaded = pdfmetrics.getFont(font)
    assert isinstance(loaded, TTFont)
    return cast(Container[int], loaded.face.charToGlyph)


def displayable(text: str, font: str = SANS) -> str:
    """The text with each character that `font` lacks as ‹U+4E2D›, so that nothing vanishes; line breaks and tabs stay."""
    known = _glyphs(font)
    return "".join(char if (ord(char) in known and char <= LAST) or char in "\n\t" else code_point(char) for char in text)


def encodable(text: str) -> str:
    """The text for the outline and the metadata, which any viewer's own font shows: only what is no character is replaced."""
    return "".join(code_point(char) if unicodedata.category(char) in ("Cc", "Cs") else char for char in text)


def code_point(char: str) -> str:
    return f"‹U+{ord(char):04X}›"


def markup(text: str, font: str = SANS) -> str:
    """Plain text as paragraph markup: displayable, escaped, line breaks kept."""
    return escape(displayable(text, font)).replace("\t", "    ").replace("\n", "<br/>")
