"""The PDF report: two layout passes, so that "3 of 9" and page references are true, and one atomic write."""

import os
import secrets
from io import BytesIO
from pathlib import Path

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate

from diagnostics.diagnosis import Diagnosis
from diagnostics.report import pdf_style as style
from diagnostics.report.fonts import SANS, displayable, encodable, register_fonts
from diagnostics.report.pdf_parts import Pages
from diagnostics.report.pdf_sections import chapters
from diagnostics.report.provenance import product
from diagnostics.report.report import Progress, Report, build_report, silent
from diagnostics.report.wording import iterations, shortened

MOST_CHARACTERS = 160  # of a name in the running head, before it is measured
MOST_PASSES = 4  # page numbers settle in two; they could change a line break once more


class ReportNotWritten(OSError):
    """The PDF could not be put where it was asked for; the message says why and ends with the path."""


def write_pdf(diagnosis: Diagnosis, path: Path, *, progress: Progress | None = None) -> None:
    """Write the report to `path`, whole or not at all. Raises ReportNotWritten; what `progress` raises passes through."""
    check_folder(path)
    tell = progress or silent
    report = build_report(diagnosis, progress=tell)
    tell(0.9, "Laying out the report")
    data = pdf_bytes(report)
    write_whole(data, path)
    tell(1.0, "Report written")


def check_folder(path: Path) -> None:
    """Fail before the work and not after it."""
    if not path.parent.is_dir():
        raise ReportNotWritten(f"the folder for the report does not exist; create it or choose another one: {path.parent}")
    if path.is_dir():
        raise ReportNotWritten(f"this is a folder; name a file for the report: {path}")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise ReportNotWritten(f"no permission to write into this folder; choose another one: {path.parent}")


def write_whole(data: bytes, path: Path) -> None:
    """Through a temporary file beside the target, so that a reader never sees half a report."""
    temporary = path.with_name(f".report-{secrets.token_hex(8)}.part")
    try:
        try:
            with temporary.open("xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise ReportNotWritten(f"the report could not be written ({error.strerror or error}): {path}") from error


def pdf_bytes(report: Report) -> bytes:
    """Lay out until the page numbers that were printed are those that came out."""
    register_fonts()
    pages = Pages()
    for _ in range(MOST_PASSES):
        data, total = _layout(report, pages)
        if (pages.now, total) == (pages.before, pages.total):
            break
        pages = Pages(pages.now, total)
    return data


def _layout(report: Report, pages: Pages) -> tuple[bytes, int]:
    stream = BytesIO()
    document = BaseDocTemplate(
        stream, pagesize=style.PAGE, title=encodable(f"Diagnosis of {report.run_name}"), author="Splat Doctor",
        subject=f"3D Gaussian Splatting training run, {iterations(report.span)}", creator=product(), lang="en",
        initialFontName=SANS, pageCompression=1)
    frame = Frame(style.MARGIN, style.BOTTOM, style.WIDTH, style.HEIGHT, 0, 0, 0, 0, id="text")

    def decorate(canvas: Canvas, _: BaseDocTemplate) -> None:
        _decorate(canvas, report, pages.total)

    document.addPageTemplates(PageTemplate("page", [frame], onPage=decorate))
    document.build(chapters(report, pages))
    return stream.getvalue(), document.page


def _decorate(canvas: Canvas, report: Report, total: int) -> None:
    """Running head from the second page on, and "3 of 9" below every page."""
    canvas.saveState()
    canvas.setFont(SANS, 7)
    canvas.setFillColor(style.MUTED)
    right, page = style.PAGE[0] - style.MARGIN, canvas.getPageNumber()
    if page > 1:
        y = style.PAGE[1] - style.TOP + 16
        told = iterations(report.span).capitalize()
        canvas.drawString(style.MARGIN, y, fitting_name(report.run_name, style.WIDTH - stringWidth(told, SANS, 7) - 24))
        canvas.drawRightString(right, y, told)
        canvas.setStrokeColor(style.RULE)
        canvas.setLineWidth(0.4)
        canvas.line(style.MARGIN, y - 5, right, y - 5)
    canvas.drawString(style.MARGIN, style.BOTTOM - 22, f"Report by {product()}")
    canvas.drawRightString(right, style.BOTTOM - 22, f"{page:,} of {total:,}")
    canvas.restoreState()


def fitting_name(name: str, width: float, size: float = 7) -> str:
    """The name as it can be shown in `width` points, its middle left out where it is too long."""
    whole = displayable(shortened(name, MOST_CHARACTERS).replace("\n", " "))
    length = len(whole)
    while length > 1 and stringWidth(shortened(whole, length), SANS, size) > width:
        length -= 1
    return shortened(whole, length)
