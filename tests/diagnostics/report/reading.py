"""Reading a PDF back: its text, its outline, its fonts, and where every piece of text begins and ends."""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from pypdf import PageObject, PdfReader
from pypdf.generic import Destination


@dataclass(frozen=True)
class Written:
    """One shown string, in points from the page's lower left corner."""

    left: float
    right: float
    base: float


def opened(data: bytes) -> PdfReader:
    return PdfReader(BytesIO(data), strict=True)


def all_text(reader: PdfReader) -> str:
    """The text of all pages on one line, single spaces."""
    return " ".join(" ".join(page.extract_text() for page in reader.pages).split())


def outline(reader: PdfReader) -> list[tuple[str, int]]:
    """Titles and page numbers (from 1), depth first."""
    return [(str(entry.title), reader.get_destination_page_number(entry) + 1) for entry in _flat(reader.outline)]  # type: ignore[operator]


def _flat(entries: list[Any]) -> Iterator[Destination]:
    for entry in entries:
        if isinstance(entry, list):
            yield from _flat(entry)
        else:
            yield entry


def fonts(reader: PdfReader) -> dict[str, bool]:
    """Every font of every page by name, and whether its file is inside."""
    found = {}
    for page in reader.pages:
        for font in page["/Resources"].get("/Font", {}).values():
            font = font.get_object()
            found[str(font["/BaseFont"])] = "/FontFile2" in font.get("/FontDescriptor", {})
    return found


def written(page: PageObject) -> list[Written]:
    """Every string that the page shows, with its extent from the font's own widths."""
    shown: list[Written] = []
    font: dict[str, Any] = {}
    size = 0.0

    def visit(operator: bytes, operands: Any, cm: Any, tm: Any) -> None:
        nonlocal font, size
        if operator == b"Tf":
            font, size = page["/Resources"]["/Font"][operands[0]].get_object(), float(operands[1])
        if operator == b"Tj":
            codes = operands[0].original_bytes if hasattr(operands[0], "original_bytes") else bytes(operands[0])
            width = sum(float(font["/Widths"][code - font["/FirstChar"]]) for code in codes) / 1000 * size
            left = tm[4] * cm[0] + cm[4]
            shown.append(Written(left, left + width, tm[5] * cm[3] + cm[5]))

    page.extract_text(visitor_operand_before=visit)
    return shown
