"""The report's look: page, colours, paragraph styles. Severity is always a word; its colour only repeats it."""

from reportlab.lib.colors import Color, HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm

from diagnostics.report.fonts import BOLD, MONO, SANS
from diagnostics.verdict import Severity

PAGE = A4
MARGIN = 20 * mm  # left and right
TOP = 24 * mm
BOTTOM = 20 * mm
WIDTH = PAGE[0] - 2 * MARGIN
HEIGHT = PAGE[1] - TOP - BOTTOM

INK = HexColor("#1B2330")
MUTED = HexColor("#566070")
RULE = HexColor("#D3D9E0")
PALE = HexColor("#F4F6F9")
ACCENT = HexColor("#0B5CAD")
WHITE = HexColor("#FFFFFF")
RANGE_BAND = HexColor("#EAF1F8")
FINDING_BAND = HexColor("#FCE3CC")
FINDING_EDGE = HexColor("#D9640A")
BAD = HexColor("#B3261E")

# White text on each has a contrast of at least 4.5.
SEVERITY_COLOURS: dict[Severity, Color] = {
    "critical": HexColor("#A61B1B"), "major": HexColor("#AF4F00"), "minor": HexColor("#6B6100"), "info": HexColor("#3A6187"),
}
# Colour and dashes together, so that curves differ on a grey printer too.
CURVE_STYLES: tuple[tuple[Color, tuple[float, ...]], ...] = (
    (ACCENT, ()), (HexColor("#3D4654"), (3.2, 1.6)), (HexColor("#12725A"), (1, 1.2)), (HexColor("#7A3E9D"), (5, 1.5, 1, 1.5)),
    (HexColor("#B3541E"), ()), (HexColor("#1B8A9E"), (3.2, 1.6)), (HexColor("#A3195B"), (1, 1.2)),
    (HexColor("#6B6100"), (5, 1.5, 1, 1.5)),
)


def _style(
    name: str, font: str, size: float, leading: float, *, colour: Color = INK, before: float = 0, after: float = 0,
) -> ParagraphStyle:
    """`splitLongWords` lets a path without spaces break anywhere instead of running out of the page."""
    return ParagraphStyle(
        name, fontName=font, fontSize=size, leading=leading, textColor=colour, spaceBefore=before, spaceAfter=after,
        bulletFontName=font, splitLongWords=1)


TITLE = _style("title", BOLD, 21, 26, after=3)
OVERLINE = _style("overline", SANS, 8.6, 12, colour=MUTED, after=2)
SECTION = _style("section", BOLD, 14, 18, before=14, after=6)
FINDING = _style("finding", BOLD, 13, 17, before=3, after=3)
LEAD = _style("lead", SANS, 9.4, 14, after=5)
BODY = _style("body", SANS, 8.6, 12.6, after=5)
LABEL = _style("label", BOLD, 8.2, 11, colour=ACCENT, before=8, after=3)
CAPTION = _style("caption", SANS, 7.2, 10, colour=MUTED, before=3, after=6)
PLACES = _style("places", SANS, 7.6, 10.4, colour=MUTED, after=5)
CELL = _style("cell", SANS, 7.6, 10.4)
CELL_BOLD = _style("cell-bold", BOLD, 7.6, 10.4)
CELL_MUTED = _style("cell-muted", SANS, 7.6, 10.4, colour=MUTED)
SOURCE = _style("source", SANS, 7.2, 10.4, colour=MUTED, after=2)
CELL_MONO = _style("cell-mono", MONO, 7, 10)
HEAD = _style("head", BOLD, 7, 9.4, colour=MUTED)
