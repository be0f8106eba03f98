"""A page of the guide for a terminal."""

import textwrap
from collections.abc import Iterator, Mapping

from diagnostics.book.guide import Answer, GuidePage, Row, Step
from diagnostics.book.trials import question

COLUMNS = 96


def guide_text(page: GuidePage) -> str:
    """The whole page, with a line break at its end."""
    parts = [page.title, "=" * len(page.title), "\n\n".join(_wrapped(text, "") for text in page.about.split("\n\n"))]
    parts += [line for row in page.rows for line in _row(row)]
    if page.steps:
        parts += ["", *_question(page.start, page.steps, "", set())]
    return "\n".join(parts) + "\n"


def _row(row: Row) -> Iterator[str]:
    yield from ("", row.topic)
    if row.seed_says:
        yield _wrapped(f"Often said ({row.verdict}): {row.seed_says}", "  ")
    yield _wrapped(row.we_say, "  ")
    if row.why:
        yield _wrapped(f"Why: {row.why}", "  ")
    yield from _settled(row, "  ")


def _question(key: str, steps: Mapping[str, Step], indent: str, shown: set[str]) -> Iterator[str]:
    step = steps[key]
    shown.add(key)
    yield _wrapped(step.asks, indent)
    if step.seed_says:
        yield _wrapped(f"Often said: {step.seed_says}", f"{indent}  ")
    if step.we_say:
        yield _wrapped(step.we_say, f"{indent}  ")
    for answer in step.answers:
        yield from _answer(answer, steps, f"{indent}  ", shown)


def _answer(answer: Answer, steps: Mapping[str, Step], indent: str, shown: set[str]) -> Iterator[str]:
    yield _wrapped(f"- {answer.says}", indent)
    if answer.do:
        yield _wrapped(answer.do, f"{indent}  ")
    yield from _settled(answer, f"{indent}  ")
    if answer.go in shown:
        yield _wrapped(f"→ {steps[answer.go].asks}", f"{indent}  ")
    elif answer.go:
        yield from _question(answer.go, steps, f"{indent}  ", shown)


def _settled(entry: Row | Answer, indent: str) -> Iterator[str]:
    if entry.patterns:
        yield _wrapped(f"Judged by: {', '.join(entry.patterns)}", indent)
    for probe in entry.probes:
        yield _wrapped(f"Probe: {probe}. {question(probe)}", indent)


def _wrapped(text: str, indent: str) -> str:
    hanging = f"{indent}  " if text.startswith("- ") else indent
    return textwrap.fill(text, COLUMNS, initial_indent=indent, subsequent_indent=hanging, break_long_words=False,
                         break_on_hyphens=False)
