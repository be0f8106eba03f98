"""Limits as a table: the number that the code uses beside the reason for it."""

from collections.abc import Mapping
from typing import Any

from diagnostics.book.frame import code
from diagnostics.book.markup import Markup, element, section
from diagnostics.report.wording import setting


def limits_section(reasons: Mapping[str, str], values: Mapping[str, Any]) -> Markup | None:
    """Both by the limit's name; nothing where there are no reasons."""
    told = {name: setting(values[name]) if name in values else "" for name in reasons}
    rows = [element("tr", element("td", code(name)), element("td", told[name], class_="number"), element("td", reason))
            for name, reason in reasons.items()]
    if not rows:
        return None
    head = element("tr", *(element("th", title, scope="col") for title in ("Limit", "Value", "Why this number")))
    return section("Limits", element("div", element("table", element("thead", head), element("tbody", *rows)), class_="scroll"))
