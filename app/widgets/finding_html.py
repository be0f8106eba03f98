"""A finding as HTML: its sentence, the measured numbers beside their limits, when it began, and the fixes fitted to this run."""

from html import escape

from app import wording
from app.theme import Theme
from app.widgets.finding_card import where
from diagnostics.accuracy import sentence_of
from diagnostics.diagnosis import ExplainedAway, Reported
from diagnostics.report.finding_words import beginning, doubts, prospects, resemblance, typed
from diagnostics.report.wording import capitalised, number
from diagnostics.verdict import EvidenceRow, Fix


def finding_html(reported: Reported, theme: Theme) -> str:
    """Everything is escaped: sentences may quote file names."""
    severity = f'<span style="color:{theme.severity(reported.severity)}; font-weight:700">{reported.severity.capitalize()}</span>'
    unsure = f" · {escape(doubts(reported))}" if doubts(reported) else ""
    return (
        f"<h2>{escape(reported.pattern.title)}</h2><p>{severity} · {escape(where(reported))}{unsure}</p>"
        f"<p>{escape(reported.finding.says)}</p><p>{escape(reported.harmless)}</p><p><small>{escape(capitalised(sentence_of(reported.pattern.code)))}</small></p>"
        f"{_measured(reported)}{_paragraph('When it began', ' '.join(beginning(reported)))}{_paragraph('Cause', reported.cause)}"
        f"<h3>What to do</h3><ol>{''.join(f'<li>{_fix(fix)}</li>' for fix in reported.fixes)}</ol>{_look_alikes(reported)}"
    )


def away_html(away: ExplainedAway, theme: Theme) -> str:
    """A finding that another one excludes: first why, then what was measured all the same."""
    return f"<p><b>Explained away by {escape(away.by)}.</b> {escape(away.why)}.</p>{finding_html(away.reported, theme)}"


def _measured(reported: Reported) -> str:
    rows = "".join(_row(row) for row in reported.finding.evidence)
    return ("<h3>Measured</h3><table width='100%' cellspacing='0' cellpadding='3'>"
            f"<tr><th>What</th><th align='right'>Value</th><th align='right'>Limit</th></tr>{rows}</table>")


def _paragraph(title: str, text: str) -> str:
    return f"<h3>{escape(title)}</h3><p>{escape(text)}</p>" if text else ""


def _look_alikes(reported: Reported) -> str:
    """Those that were found here as well; the pattern's page lists them all."""
    told = [resemblance(one) for one in reported.resembles if one.found]
    items = "".join(f"<li>{escape(each.label)}: {escape(each.text)}</li>" for each in told)
    return f"<h3>Not to be confused with</h3><ul>{items}</ul>" if told else ""


def _row(row: EvidenceRow) -> str:
    at = "" if row.iteration is None else f"iteration {wording.count(row.iteration)}"
    told = ", ".join(part for part in (at, row.source) if part)
    below = f"<br><small>{escape(told)}</small>" if told else ""
    limit = "" if row.limit is None else number(row.limit, row.unit)
    return (f"<tr><td>{escape(row.what)}{below}</td><td align='right'>{escape(number(row.value, row.unit))}</td>"
            f"<td align='right'>{escape(limit)}</td></tr>")


def _fix(fix: Fix) -> str:
    code = "".join(f"<br><code>{escape(line)}</code>" for line in typed(fix))
    more = "".join(f"<br><i>{escape(told.label)}:</i> {escape(told.text)}" for told in prospects(fix))
    return f"{escape(fix.do)}{code}{more}"
