"""A finding as HTML: its sentence, the measured numbers beside their limits, and the fixes fitted to this run."""

from html import escape

from app import wording
from app.theme import Theme
from app.widgets.finding_card import where
from diagnostics.accuracy import sentence_of
from diagnostics.diagnosis import Reported
from diagnostics.report.wording import capitalised, number, setting
from diagnostics.verdict import EvidenceRow, Fix


def finding_html(reported: Reported, theme: Theme) -> str:
    """Everything is escaped: sentences may quote file names."""
    rows = "".join(_row(row) for row in reported.finding.evidence)
    fixes = "".join(f"<li>{_fix(fix)}</li>" for fix in reported.fixes)
    cause = f"<h3>Cause</h3><p>{escape(reported.cause)}</p>" if reported.cause else ""
    return (
        f"<h2>{escape(reported.pattern.title)}</h2>"
        f'<p><span style="color:{theme.severity(reported.severity)}; font-weight:700">{reported.severity.capitalize()}</span>'
        f" · {escape(where(reported))}</p><p>{escape(reported.finding.says)}</p>"
        f"<p><small>{escape(capitalised(sentence_of(reported.pattern.code)))}</small></p>"
        "<h3>Measured</h3><table width='100%' cellspacing='0' cellpadding='3'>"
        f"<tr><th>What</th><th align='right'>Value</th><th align='right'>Limit</th></tr>{rows}</table>"
        f"{cause}<h3>What to do</h3><ol>{fixes}</ol>"
    )


def _row(row: EvidenceRow) -> str:
    at = "" if row.iteration is None else f"iteration {wording.count(row.iteration)}"
    told = ", ".join(part for part in (at, row.source) if part)
    below = f"<br><small>{escape(told)}</small>" if told else ""
    limit = "" if row.limit is None else number(row.limit, row.unit)
    return (f"<tr><td>{escape(row.what)}{below}</td><td align='right'>{escape(number(row.value, row.unit))}</td>"
            f"<td align='right'>{escape(limit)}</td></tr>")


def _fix(fix: Fix) -> str:
    change = ""
    if fix.setting and fix.proposed is not None:
        change = f"<br><code>{escape(fix.setting)}</code>: {escape(setting(fix.current))} → {escape(setting(fix.proposed))}"
    return f"{escape(fix.do)}{change}<br><i>Expect:</i> {escape(fix.expect)}"
