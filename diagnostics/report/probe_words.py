"""What a probe found out, in words: every layout uses these, and `answer_text` is the whole of it for a terminal."""

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from diagnostics.catalogue import Pattern, load_catalogue
from diagnostics.diagnosis import Reported
from diagnostics.probes.answer import Curve, Judged, Result, Tried
from diagnostics.probes.registry import Page, pages
from diagnostics.report.finding_words import Told, change, prospects, row_words
from diagnostics.report.wording import count, number, sentence, setting
from diagnostics.verdict import NOT_AVAILABLE, Fix

Outcome = Literal["finding", "clear", "open"]
OUTCOMES: Mapping[Outcome, str] = {"finding": "found", "clear": "not found", "open": "left open"}
LEADS: Mapping[str, str] = {"finding": "Found", "clear": "Nothing found", "open": "Left open"}  # by a result's outcome
HELPED: Mapping[bool | None, str] = {True: "It helped.", False: "It did not help.", None: "No difference beyond the noise."}
PROBES_LEAD = (
    "Short optimisations and renderings that were made to settle what the files of the run cannot. They wrote nothing into the "
    "run's folder, and their answers are part of this diagnosis.")
MOST_NAMED = 8  # curves that are told one by one; a legend of more is not read
COLUMNS = 100  # of a terminal


@dataclass(frozen=True)
class Settled:
    """One pattern of the catalogue, and what the probe says about it."""

    code: str  # empty where the catalogue of this version does not hold it
    title: str
    outcome: Outcome
    says: str  # the finding's sentence, or why it stays open; empty where it is clear

    @property
    def named(self) -> str:
        return f"{self.code} {self.title}".strip()


def page_of(name: str) -> Page | None:
    """The probe's page; None for a probe that this version does not know."""
    return pages().get(name)


def title_of(name: str) -> str:
    """What the probe is called; its bare name where this version does not know it."""
    page = page_of(name)
    return f"{name} probe" if page is None else page.title


def settling(pattern: Pattern, probes: Mapping[str, Page] | None = None) -> tuple[Page, ...]:
    """Pages of the probes that can settle a pattern, the first to try first; `probes` are all by name."""
    every = pages() if probes is None else probes
    return tuple(page for page in every.values() if pattern.name in page.settles or page.name == pattern.probe)


def command(name: str) -> str:
    """How a probe is asked without a window."""
    return f"splatdoctor probe {name} RUN --data DIR"


def settled(result: Result, catalogue: Mapping[str, Pattern] | None = None) -> tuple[Settled, ...]:
    """What it says about each pattern, in the order in which it was told; `catalogue` is by name."""
    known = load_catalogue() if catalogue is None else catalogue
    return tuple(_settled(each, known.get(each.pattern)) for each in result.answer.judged)


def _settled(judged: Judged, pattern: Pattern | None) -> Settled:
    code, title = ("", judged.pattern) if pattern is None else (pattern.code, pattern.title)
    if judged.finding is not None:
        return Settled(code, title, "finding", judged.finding.says)
    return Settled(code, title, "open", "; ".join(judged.missing)) if judged.missing else Settled(code, title, "clear", "")


def found_by(reported: Reported, probed: Sequence[Result]) -> str:
    """A sentence where a probe decided a finding, or found what files show as well; empty where no probe did."""
    heard = [(result.probe, judged.finding) for result in probed for judged in result.answer.judged
             if judged.pattern == reported.pattern.name and judged.finding is not None]
    if not heard:
        return ""
    names = tuple(dict.fromkeys(name for name, _ in heard))
    named = f"the {' and the '.join(names)} probe{'s' if len(names) > 1 else ''}"
    alone = any(finding.says == reported.finding.says for _, finding in heard)  # files' findings keep their own sentence
    return f"Decided by {named}." if alone else f"Found in the files of the run, and by {named} as well."


def asked(probed: Sequence[Result]) -> str:
    """One sentence: which probes were asked, and what each found; empty where none was."""
    told = "; ".join(f"{result.probe} {_came_out(result)}" for result in probed)
    return f"{count(len(probed), 'probe')} {'was' if len(probed) == 1 else 'were'} asked: {told}." if probed else ""


def _came_out(result: Result) -> str:
    found = [each.code or each.title for each in settled(result) if each.outcome == "finding"]
    if found:
        return f"found {' and '.join(found)}"
    if result.answer.tried:
        return f"tried a fix of {' and '.join(dict.fromkeys(each.code for each in result.answer.tried))}"
    return {"Nothing found": "found nothing", "Answered": "settled nothing", "Left open": "stays open"}[lead(result)]


def facts(result: Result) -> tuple[Told, ...]:
    """What was looked at, how it was done, what it cost, and when."""
    answer = result.answer
    told = [Told("Looked at", "the start of the training" if answer.iteration is None else f"iteration {answer.iteration:,}")]
    told += [Told("Done with", _done(answer.done))] if answer.done else []
    return (*told, Told("Cost", cost(result)), Told("Answered", f"{moment(result.finished_at)}, by {result.product}"))


def _done(done: Mapping[str, object]) -> str:
    return "; ".join(f"{name}: {_value(value)}" for name, value in done.items())


def _value(value: object) -> str:
    """A bare number with its thousands, a list with commas, everything else as the probe words it."""
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, list | tuple):
        return ", ".join(map(_value, value))
    return NOT_AVAILABLE if value is None else str(value)


def cost(result: Result) -> str:
    """Its time and the most memory that its process held."""
    memory = f"{result.peak_bytes / 2**20:,.0f} MiB of memory at most" if result.peak_bytes else f"memory {NOT_AVAILABLE}"
    return f"{duration(result.seconds)}, {memory}"


def duration(seconds: float) -> str:
    """"0.8 s", "45 s", "3 min 5 s"."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes:,} min {rest} s" if minutes else f"{rest} s"


def moment(finished_at: str) -> str:
    """"2026-03-01 12:00 +01:00" of an ISO 8601 time."""
    day, _, rest = finished_at.partition("T")
    return f"{day} {rest[:5]} {rest[8:]}".strip()


def lead(result: Result) -> str:
    """What stands before the answer; a probe that judged no pattern, or none with a verdict, claims no clean bill."""
    if result.outcome == "clear" and not any(each.outcome == "clear" for each in settled(result)):
        return "Answered"
    return LEADS[result.outcome]


def tried(each: Tried) -> Told:
    """A change that was tried, and how it went."""
    return Told(f"{each.code}, {each.setting} → {setting(each.proposed)}", f"{sentence(each.says)} {HELPED[each.helped]}")


def curve_words(curve: Curve) -> str:
    """"PSNR of a.png: 12.1 dB → 41.3 dB (31 values to step 300)"."""
    amount = f" ({count(len(curve.values), 'value')} to step {curve.steps[-1]:,})" if curve.steps else ""
    return f"{curve.name}: {course(curve)}{amount}"


def course(curve: Curve) -> str:
    """"12.1 dB → 41.3 dB": the first and the last value that are numbers."""
    finite = [value for value in curve.values if math.isfinite(value)]
    ends = finite[:1] + finite[1:][-1:]
    return " → ".join(number(value, curve.unit) for value in ends) or NOT_AVAILABLE


def open_reasons(result: Result) -> tuple[str, ...]:
    """Why the question stays open, without what its own sentence tells already."""
    return tuple(why for why in result.answer.missing if why not in result.answer.says)


def answer_text(result: Result, columns: int = COLUMNS) -> str:
    """The whole answer for a terminal, `columns` wide; no line break at its end."""
    page = page_of(result.probe)
    lines = [title_of(result.probe), *_lines([page.question] if page is not None else [], columns)]
    lines += _lines([f"{lead(result)}: {result.answer.says}"], columns)
    for title, entries in _blocks(result, page):
        lines += ["", title, *_lines((f"- {entry}" for entry in entries), columns)] if entries else []
    lines += ["", *_lines((f"{told.label}: {told.text}" for told in facts(result)), columns)]
    return "\n".join(lines)


def _blocks(result: Result, page: Page | None) -> Iterator[tuple[str, list[str]]]:
    answer = result.answer
    yield "Measured", [row_words(row) for row in answer.rows]
    yield "What it settles", [f"{each.named}: {OUTCOMES[each.outcome]}{says_of(each, answer.says)}" for each in settled(result)]
    for judged, said in zip(answer.judged, settled(result), strict=True):
        yield f"About {said.named}", [f"{told.label}: {told.text}" for told in advice(judged)]
    yield "What was tried", [f"{told.label}: {told.text}" for told in map(tried, answer.tried)]
    yield "Why it stays open", list(open_reasons(result))
    yield "Curves", _curves(result.curves)
    yield "Pictures", [f"{shot.title} (in the window and in reports)" for shot in answer.shots[:MOST_NAMED]]
    yield "What it does not say", [page.does_not_say] if page is not None else []


def says_of(each: Settled, told: str = "") -> str:
    """What follows the outcome: the finding or the reasons, unless `told` holds them already."""
    return "" if each.says in told else f": {each.says}"


def advice(judged: Judged) -> tuple[Told, ...]:
    """The cause and the fixes that the probe itself tells; those of the catalogue stand with the diagnosis."""
    if judged.finding is None:
        return ()
    cause = [Told("Cause", judged.finding.cause)] if judged.finding.cause else []
    return (*cause, *(Told("To do", _fix(fix)) for fix in judged.finding.fixes))


def _fix(fix: Fix) -> str:
    changed = change(fix)
    more = (f"{told.label}: {told.text}" for told in prospects(fix))
    return " ".join(sentence(part) for part in (fix.do, changed and f"Setting: {changed}", *more) if part)


def _curves(curves: tuple[Curve, ...]) -> list[str]:
    left = len(curves) - MOST_NAMED
    more = [f"{count(left, 'more curve')} in the report"] if left > 0 else []
    return [*map(curve_words, curves[:MOST_NAMED]), *more]


def _lines(texts: Iterable[str], columns: int) -> Iterator[str]:
    for text in texts:
        hanging = "    " if text.startswith("- ") else "  "
        yield from textwrap.wrap(text, columns, initial_indent="  ", subsequent_indent=hanging, break_long_words=False,
                                 break_on_hyphens=False)
