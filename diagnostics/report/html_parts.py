"""Building blocks of the HTML report; every text is escaped where it becomes markup."""

import base64
from collections.abc import Iterable, Sequence
from html import escape
from io import BytesIO

from PIL import Image

from diagnostics.catalogue import Source
from diagnostics.report.finding_words import MEASURED, Limit, Told, evidence_columns
from diagnostics.report.pictures import ReportPicture, Strip
from diagnostics.report.plots import Plot, plot_key
from diagnostics.report.probe_page import PictureLine
from diagnostics.report.svg import svg
from diagnostics.report.wording import setting
from diagnostics.verdict import EvidenceRow, Severity

WEB = ("https://", "http://")


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def safe(content: str) -> Markup:
    """Plain text as markup; markup stays as it is."""
    return content if isinstance(content, Markup) else Markup(escape(content).replace("\n", "<br>"))


def tag(name: str, content: str, look: str = "") -> Markup:
    """One element around text or markup."""
    opened = f'{name} class="{look}"' if look else name
    return Markup(f"<{opened}>{safe(content)}</{name}>")


def joined(parts: Iterable[str]) -> Markup:
    """Parts one after the other, each escaped unless it is markup."""
    return Markup("".join(safe(part) for part in parts))


def heading(title: str, key: str) -> Markup:
    return Markup(f'<h2 id="{escape(key)}">{escape(title)}</h2>')


def chip(severity: Severity) -> Markup:
    """The severity as a word on its colour."""
    return tag("span", severity.upper(), f"chip {severity}")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], look: str = "") -> Markup:
    """Rows under a head; without rows there is no table."""
    body = joined(tag("tr", joined(tag("td", cell) for cell in row)) for row in rows)
    top = tag("tr", joined(tag("th", title) for title in head)) if any(head) else ""
    return tag("table", joined((top, body)), look) if body else Markup("")


def labelled(told: Iterable[Told]) -> Markup:
    """Labels in bold, each before what it tells, on lines of their own."""
    return Markup("<br>".join(f"<b>{escape(each.label)}:</b> {escape(each.text)}" for each in told))


def evidence(rows: Iterable[EvidenceRow], lean: bool = False) -> Markup:
    """Measured numbers beside their limits; a lean table leaves out columns that hold nothing."""
    columns = evidence_columns(rows, lean)
    heads = [head for head, _ in columns]
    rows_of_cells = zip(*(cells for _, cells in columns), strict=True)
    return table(heads, ([tag("b", cell) if head == MEASURED else cell for head, cell in zip(heads, row, strict=True)]
                         for row in rows_of_cells), "evidence")


def limits(used: Sequence[Limit]) -> Markup:
    """Limits with their reasons, folded away."""
    if not used:
        return Markup("")
    shown = table(("Limit", "Value", "Why this number"), (
        (tag("code", limit.name), setting(limit.value), limit.reason) for limit in used))
    return tag("details", joined((tag("summary", "The limits, and why these numbers"), shown)))


def source(entry: Source) -> Markup:
    """Title and address of a source; only web addresses become links."""
    title = entry.title or entry.url
    if not entry.url.startswith(WEB):
        return tag("li", f"{title} {entry.url}".strip())
    return Markup(f'<li><a href="{escape(entry.url)}">{escape(title)}</a></li>')


def strip(shown: Strip) -> Markup:
    """The pictures side by side, with what they show."""
    pictures = tag("div", joined(_picture(one) for one in shown.pictures), "pictures") if shown.pictures else ""
    return tag("figure", joined((pictures, tag("figcaption", shown.caption))))


def picture_lines(lines: Iterable[PictureLine], caption: str = "") -> Markup:
    """Lines of pictures side by side, each with its label above."""
    shown = joined(tag("div", joined(map(_picture, line.pictures)), f"pictures across{line.across}") for line in lines)
    below = tag("figcaption", caption) if caption else ""
    return tag("figure", joined((shown, below))) if shown else Markup("")


def _picture(shown: ReportPicture) -> Markup:
    jpeg = BytesIO()  # without chroma subsampling at this quality, thin tinted splats keep their colour
    Image.fromarray(shown.pixels).save(jpeg, "JPEG", quality=90, subsampling=0)
    data = base64.b64encode(jpeg.getvalue()).decode("ascii")
    return Markup(f'<div><small>{escape(shown.label)}</small><img alt="{escape(shown.label)}" '
                  f'src="data:image/jpeg;base64,{data}"></div>')


def plots(drawn: Sequence[Plot], caption: str | None = None) -> Markup:
    """Plots side by side, with what their shading and lines mean."""
    if not drawn:
        return Markup("")
    shown = tag("div", joined(Markup(svg(plot)) for plot in drawn), "plots")
    told = plot_key(drawn) if caption is None else caption
    return tag("figure", joined((shown, tag("figcaption", told) if told else "")))
