"""A finding as HTML: its sentence, the measured numbers beside their limits, when it began, and the fixes fitted to this run."""

from collections.abc import Collection, Iterable
from html import escape

from app import wording
from app.theme import Theme
from app.widgets.finding_card import where
from diagnostics.accuracy import sentence_of
from diagnostics.diagnosis import ExplainedAway, Reported
from diagnostics.report.finding_words import beginning, doubts, prospects, resemblance, typed
from diagnostics.report.wording import capitalised, number
from diagnostics.verdict import EvidenceRow, Fix

TRY = "try:"  # a link to the trial of a fix: its number follows


def finding_html(reported: Reported, theme: Theme, triable: Collection[int] = (), found: str = "") -> str:
    """Everything is escaped: sentences may quote file names. Fixes whose number, from 1, is in `triable` get a link; `found`
    says which probe has a part in the finding."""
    severity = f'<span style="color:{theme.severity(reported.severity)}; font-weight:700">{reported.severity.capitalize()}</span>'
    unsure = f" · {escape(doubts(reported))}" if doubts(reported) else ""
    return (
        f"<h2>{escape(reported.pattern.title)}</h2><p>{severity} · {escape(where(reported))}{unsure}</p>"
        f"<p>{escape(reported.finding.says)}</p><p>{escape(found)}</p><p>{escape(reported.harmless)}</p>"
        f"<p><small>{escape(capitalised(sentence_of(reported.pattern.code)))}</small></p>"
        f"<h3>Measured</h3>{measured_table(reported.finding.evidence)}"
        f"{_paragraph('When it began', ' '.join(beginning(reported)))}{_paragraph('Cause', reported.cause)}"
        f"<h3>What to do</h3><ol>{_fixes(reported, triable)}</ol>{_look_alikes(reported)}"
    )


def away_html(away: ExplainedAway, theme: Theme) -> str:
    """A finding that another one excludes: first why, then what was measured all the same."""
    return f"<p><b>Explained away by {escape(away.by)}.</b> {escape(away.why)}.</p>{finding_html(away.reported, theme)}"


def measured_table(rows: Iterable[EvidenceRow]) -> str:
    """Measured numbers beside their limits."""
    head = "<tr><th align='left'>What</th><th align='right'>Value</th><th align='right'>Limit</th></tr>"
    return f"<table width='100%' cellspacing='0' cellpadding='3'>{head}{''.join(map(_row, rows))}</table>"


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


def _fixes(reported: Reported, triable: Collection[int]) -> str:
    numbered = enumerate(reported.fixes, 1)
    return "".join(f"<li>{_fix(fix)}{_trial(number) if number in triable else ''}</li>" for number, fix in numbered)


def _trial(number: int) -> str:
    return f"<br><a href='{TRY}{number}'>Try this fix in a short training</a>"


def _fix(fix: Fix) -> str:
    code = "".join(f"<br><code>{escape(line)}</code>" for line in typed(fix))
    more = "".join(f"<br><i>{escape(told.label)}:</i> {escape(told.text)}" for told in prospects(fix))
    return f"{escape(fix.do)}{code}{more}"
