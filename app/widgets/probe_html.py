"""What a probe found out, and what its page says, as HTML; links name cameras, patterns and web pages."""

from collections.abc import Iterable, Iterator
from html import escape
from urllib.parse import quote, unquote

from app.probe_words import pattern_name, pattern_named
from app.theme import Theme
from app.widgets.finding_html import measured_table
from app.widgets.probe_states import answered
from diagnostics.probes.answer import Judged, Result
from diagnostics.probes.registry import Page
from diagnostics.report.finding_words import Told
from diagnostics.report.probe_words import OUTCOMES, advice, facts, open_reasons, settled, tried
from diagnostics.report.wording import sentence

CAMERA, PATTERN = "camera:", "pattern:"
PLAIN = 'style="text-decoration:none"'
MOST_CAMERAS = 12  # that are named one by one


def headline_html(result: Result, theme: Theme) -> str:
    """The answer in one sentence, and why it stays open."""
    badge = answered(result)
    reasons = "".join(f"<li>{escape(why)}</li>" for why in open_reasons(result))
    lead = f'<span style="color:{badge.colour(theme)}; font-weight:700">{badge.text}.</span>'
    return f"<p>{lead} {escape(sentence(result.answer.says))}</p>{f'<ul>{reasons}</ul>' if reasons else ''}"


def settled_html(result: Result) -> str:
    """What it says about each pattern, with the cameras to look through, the cause and what to do."""
    return "".join(_settled(result))


def _settled(result: Result) -> Iterator[str]:
    for judged, said in zip(result.answer.judged, settled(result), strict=True):
        known = pattern_named(judged.pattern) is not None
        name = _link(PATTERN, judged.pattern, said.named) if known else escape(said.named)
        says = "" if not said.says or said.says in result.answer.says else f". {escape(sentence(said.says))}"
        yield f"{_line(f'{name}: <b>{OUTCOMES[said.outcome]}</b>{says}')}{_cameras(judged)}{_told(advice(judged))}"


def _cameras(judged: Judged) -> str:
    names = () if judged.finding is None else judged.finding.cameras
    if not names:
        return ""
    links = ", ".join(_link(CAMERA, name, name) for name in names[:MOST_CAMERAS])
    more = f" and {len(names) - MOST_CAMERAS} more" if len(names) > MOST_CAMERAS else ""
    return _line(f"Look through: {links}{more}")


def measured_html(result: Result) -> str:
    """Empty where nothing was measured."""
    return measured_table(result.answer.rows) if result.answer.rows else ""


def tried_html(result: Result) -> str:
    return _told(tried(result.answer))


def done_html(result: Result) -> str:
    """What was looked at, how, and what it cost."""
    return _told(facts(result))


def settles_html(page: Page) -> str:
    """Links to the pattern pages."""
    return "".join(_line(_link(PATTERN, name, pattern_name(name))) for name in page.settles)


def limits_html(page: Page) -> str:
    return "".join(_line(f"<b>{escape(name.replace('_', ' '))}</b>: {escape(why)}") for name, why in page.limits.items())


def sources_html(page: Page) -> str:
    return "".join(
        _line(f'<a href="{escape(source.url)}" {PLAIN}>{escape(source.title)}</a>' if source.url else escape(source.title))
        for source in page.sources)


def followed(link: str) -> tuple[str, str]:
    """What a link names: "camera:" or "pattern:" with the name, or "" with the address of a web page."""
    kind = next((kind for kind in (CAMERA, PATTERN) if link.startswith(kind)), "")
    return kind, unquote(link.removeprefix(kind)) if kind else link


def _told(told: Iterable[Told]) -> str:
    return "".join(_line(f"<i>{escape(each.label)}:</i> {escape(each.text)}") for each in told)


def _line(html: str) -> str:
    return f'<p style="margin:0 0 5px 0">{html}</p>'


def _link(kind: str, target: str, text: str) -> str:
    return f'<a href="{kind}{quote(target)}" {PLAIN}>{escape(text)}</a>'
