"""Building blocks of the PDF: text, tables that split anywhere, severity chips, pictures side by side, bookmarks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO

from PIL import Image
from reportlab.lib.colors import Color
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import CondPageBreak, Flowable, Paragraph, Spacer, Table, TableStyle

from diagnostics.catalogue import Source
from diagnostics.report import pdf_style as style
from diagnostics.report.finding_words import ITERATION, LIMIT, MEASURED, SOURCE, WHAT, Limit, Told, evidence_columns
from diagnostics.report.fonts import BOLD, MONO, SANS, encodable, markup
from diagnostics.report.pictures import ReportPicture
from diagnostics.report.wording import setting
from diagnostics.verdict import EvidenceRow, Severity

Line = tuple[str, tuple[int, int], tuple[int, int], float, Color]  # a table's command for one rule
SECTION_NEEDS = 110.0  # points below which a heading goes to the next page
LABEL_NEEDS = 64.0
EVIDENCE_WIDTHS = {WHAT: 41, MEASURED: 20, LIMIT: 15, ITERATION: 13, SOURCE: 31}
EVIDENCE_LOOK = {WHAT: style.CELL, MEASURED: style.CELL_BOLD, LIMIT: style.CELL, ITERATION: style.CELL, SOURCE: style.CELL_MUTED}
GAP = 10.0  # points between things side by side
HALF = (style.WIDTH - GAP) / 2
NARROWEST = 110.0  # points; a label stays on one line
TALLEST = 140.0  # points, so that a finding with plots and tables fits one page
TALLEST_UPRIGHT = 190.0  # for portraits, which would be too narrow at that height


@dataclass
class Pages:
    """On which page each bookmark was in the pass before, and, filled in as this pass is drawn, where it is now."""

    before: Mapping[str, int] = field(default_factory=dict)
    total: int = 0  # pages of the pass before
    now: dict[str, int] = field(default_factory=dict)


class Bookmark(Flowable):
    """Takes no room: a target for links, an entry of the outline, and a page number for the next pass."""

    def __init__(self, key: str, title: str, level: int, pages: Pages) -> None:
        super().__init__()
        self.key, self.title, self.level, self.pages = key, title, level, pages
        self.keepWithNext = True

    def wrap(self, aW: float, aH: float) -> tuple[float, float]:  # noqa: ARG002 - reportlab's signature
        return 0, 0

    def draw(self) -> None:
        self.canv.bookmarkHorizontal(self.key, 0, 12)
        self.canv.addOutlineEntry(encodable(self.title), self.key, self.level, closed=0)
        self.pages.now[self.key] = self.canv.getPageNumber()


class Chip(Flowable):
    """The severity as a word on its colour."""

    HEIGHT = 11.5

    def __init__(self, severity: Severity) -> None:
        super().__init__()
        self.word, self.fill = severity.upper(), style.SEVERITY_COLOURS[severity]
        self.width, self.height = stringWidth(self.word, BOLD, 6.4) + 9, self.HEIGHT

    def wrap(self, aW: float, aH: float) -> tuple[float, float]:  # noqa: ARG002 - reportlab's signature
        return self.width, self.height

    def draw(self) -> None:
        self.canv.setFillColor(self.fill)
        self.canv.roundRect(0, 0, self.width, self.height, 2.2, stroke=0, fill=1)
        self.canv.setFillColor(style.WHITE)
        self.canv.setFont(BOLD, 6.4)
        self.canv.drawString(4.5, 3.5, self.word)


class PictureBox(Flowable):
    """One picture at a given width, in a hairline frame that does not cut into it."""

    def __init__(self, picture: ReportPicture, width: float) -> None:
        super().__init__()
        rows, columns = picture.pixels.shape[:2]
        scale = min(width / columns, (TALLEST_UPRIGHT if rows > 1.2 * columns else TALLEST) / rows)
        self.width, self.height = columns * scale, rows * scale
        self.jpeg = BytesIO()  # without chroma subsampling at this quality, thin tinted splats keep their colour
        Image.fromarray(picture.pixels).save(self.jpeg, "JPEG", quality=90, subsampling=0)

    def wrap(self, aW: float, aH: float) -> tuple[float, float]:  # noqa: ARG002 - reportlab's signature
        return self.width, self.height

    def draw(self) -> None:
        self.canv.drawImage(ImageReader(self.jpeg), 0, 0, self.width, self.height)
        self.canv.setStrokeColor(style.RULE)
        self.canv.setLineWidth(0.4)
        self.canv.rect(-0.8, -0.8, self.width + 1.6, self.height + 1.6, stroke=1, fill=0)


def text(content: str, look: ParagraphStyle = style.BODY) -> Paragraph:
    """Plain text as a paragraph; every character is shown, none is markup."""
    return Paragraph(markup(content, str(look.fontName)), look)


def link(content: str, target: str, look: ParagraphStyle = style.CELL) -> Paragraph:
    """Text that leads to a bookmark ("#finding-1")."""
    return Paragraph(_anchor(content, target, look), look)


def source_line(source: Source) -> Paragraph:
    """Title and address of a source; only web addresses become links."""
    title = source.title or source.url
    if not source.url.startswith(("https://", "http://")):
        return text(f"{title} {source.url}".strip(), style.CELL)
    return Paragraph(f"{_anchor(title, source.url, style.CELL)} {markup(source.url)}", style.SOURCE)


def with_code(content: str, code: str) -> Paragraph:
    """Text, and under it a line in the typewriter face."""
    below = f'<br/><font face="{MONO}" size="7">{markup(code, MONO)}</font>' if code else ""
    return Paragraph(markup(content) + below, style.CELL)


def with_lead(lead: str, content: str) -> Paragraph:
    """A word in bold, and what it introduces."""
    return Paragraph(f'<font face="{BOLD}">{markup(lead)}</font>{markup(content)}', style.CELL)


def labelled(told: Iterable[Told]) -> Paragraph:
    """Labels in bold, each before what it tells, on lines of their own."""
    lines = (f'<font face="{BOLD}">{markup(each.label)}:</font> {markup(each.text)}' for each in told)
    return Paragraph("<br/>".join(lines), style.CELL_MUTED)


def _anchor(content: str, target: str, look: ParagraphStyle) -> str:
    address = markup(target).replace('"', "%22")
    return f'<a href="{address}" color="#0B5CAD">{markup(content, str(look.fontName))}</a>'


def plain_grid(
    *more: Line, right: float = 0, top: float = 0, bottom: float = 0, align: str = "TOP",
) -> TableStyle:
    """Cells without lines. The font is named because reportlab otherwise asks for Helvetica, which would not be embedded."""
    whole = ((0, 0), (-1, -1))
    return TableStyle([
        ("FONTNAME", *whole, SANS), ("VALIGN", *whole, align), ("LEFTPADDING", *whole, 0), ("RIGHTPADDING", *whole, right),
        ("TOPPADDING", *whole, top), ("BOTTOMPADDING", *whole, bottom), *more])


def pictures(shown: Sequence[ReportPicture], across: int = 2) -> Table:
    """Pictures side by side with their labels above; all have about the same proportions, and `across` fill the line."""
    columns = max(across, len(shown))
    width = (style.WIDTH - GAP * (columns - 1)) / columns
    boxes = [PictureBox(picture, width) for picture in shown]
    labels = [text(picture.label, style.HEAD) for picture in shown]
    look = plain_grid(right=GAP, bottom=2)
    widths = [max(box.width, min(NARROWEST, width)) + GAP for box in boxes]
    return Table([labels, boxes], colWidths=widths, style=look, hAlign="LEFT")


def section(title: str, key: str, pages: Pages, level: int = 0) -> list[Flowable]:
    """A heading in the outline. Room is asked for and not keepWithNext, which would push a whole table to the next page."""
    return [CondPageBreak(SECTION_NEEDS), Bookmark(key, title, level, pages), text(title, style.SECTION)]


def label(title: str) -> list[Flowable]:
    """A small heading with room for the first lines below it."""
    return [CondPageBreak(LABEL_NEEDS), text(title, style.LABEL)]


def table(head: Sequence[str], rows: Sequence[Sequence[Flowable | str]], widths: Sequence[float]) -> Table:
    """Rows under a repeated head; `widths` are shares of the text width. A row taller than the page splits too."""
    shares = [style.WIDTH * width / sum(widths) for width in widths]
    cells: list[list[Flowable]] = [[text(title, style.HEAD) for title in head]] if any(head) else []
    cells += [[cell if isinstance(cell, Flowable) else text(cell, style.CELL) for cell in row] for row in rows]
    lines: list[Line] = [("LINEBELOW", (0, 0), (-1, -1), 0.4, style.RULE)]
    if any(head):
        lines.append(("LINEBELOW", (0, 0), (-1, 0), 0.8, style.MUTED))
    return Table(cells, colWidths=shares, repeatRows=int(any(head)), splitInRow=1, hAlign="LEFT",
                 style=plain_grid(*lines, right=8, top=3, bottom=3.4))


def evidence(rows: Iterable[EvidenceRow], lean: bool = False) -> Table:
    """Measured numbers beside their limits; a lean table leaves out columns that hold nothing."""
    columns = evidence_columns(rows, lean)
    heads = [head for head, _ in columns]
    cells: list[list[Flowable | str]] = [
        [text(cell, EVIDENCE_LOOK[head]) for head, cell in zip(heads, row, strict=True)]
        for row in zip(*(cells for _, cells in columns), strict=True)]
    return table(heads, cells, [EVIDENCE_WIDTHS[head] for head in heads])


def limits(used: Iterable[Limit]) -> Table:
    """Limits with their reasons."""
    rows: list[list[Flowable | str]] = [
        [mono(limit.name), text(setting(limit.value), style.CELL_BOLD), limit.reason] for limit in used]
    return table(["Limit", "Value", "Why this number"], rows, [22, 18, 80])


def pairs(told: Iterable[Told]) -> Table:
    """Labels in bold on the left, what they tell on the right."""
    return table([], [[text(each.label, style.CELL_BOLD), each.text] for each in told], [36, 84])


def side_by_side(left: Flowable, right: Flowable) -> Table:
    """Two flowables of `HALF` width."""
    return Table([[left, right]], colWidths=[HALF + GAP, HALF], style=plain_grid(align="BOTTOM"), hAlign="LEFT")


def room(points: float) -> Spacer:
    return Spacer(1, points)


def mono(content: str) -> Paragraph:
    """A cell in the typewriter face."""
    return text(content, style.CELL_MONO)
