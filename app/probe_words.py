"""How a probe's cost and its page read, in the window and on the command line; its answer reads as in the report."""

from collections.abc import Iterator

from app.probe_lines import Cost
from app.probe_question import GIB
from app.terminal import wrapped
from diagnostics.catalogue import Pattern, load_catalogue
from diagnostics.memory.sizes import size_text
from diagnostics.probes.bench import Limits
from diagnostics.probes.registry import Page
from diagnostics.report.wording import capitalised, count

ENGINES = {"cpu": "the CPU", "cuda": "the GPU"}
MINUTE_S, HOUR_S = 60.0, 3600.0


def about(seconds: float) -> str:
    """A time that is known to a factor: "40 s", "3 min"."""
    if seconds < 1.5 * MINUTE_S:
        return f"{max(seconds, 1.0):.0f} s"
    return f"{seconds / MINUTE_S:.0f} min" if seconds < 1.5 * HOUR_S else f"{seconds / HOUR_S:.2g} h"


def between(low: float, high: float) -> str:
    """"5–20 s", "40 s – 3 min"."""
    first, last = about(low), about(high)
    if first == last:
        return f"about {last}"
    (amount, unit), (_, other) = first.split(), last.split()
    return f"{amount}–{last}" if unit == other else f"{first} – {last}"


def cost_text(cost: Cost, limits: Limits) -> str:
    """What it will take, or what is missing."""
    if cost.missing:
        return f"It cannot be asked here: it needs {'; '.join(cost.missing)}."
    least = "at least " if cost.grows else ""
    engine = ENGINES.get(cost.engine, cost.engine)
    says = f"{least}{between(*cost.seconds)} on {engine} and {size_text(cost.memory_bytes)} of memory: {work_text(cost)}."
    return f"{capitalised(says)}{_beyond(cost, limits)}"


def work_text(cost: Cost) -> str:
    """"1,200 steps and 30 pictures at 320 × 213 px, 50,000 Gaussians"."""
    parts = [count(amount, one) for amount, one in ((cost.steps, "step"), (cost.draws, "picture")) if amount]
    wide, tall = cost.size_px
    size = f" at {wide:,} × {tall:,} px" if parts and wide and tall else ""
    many = f", {count(cost.gaussians, 'Gaussian')}" if cost.gaussians else ""
    return f"{' and '.join(parts) or 'nothing to draw'}{size}{many}"


def _beyond(cost: Cost, limits: Limits) -> str:
    """What happens at the limits, where it may come to that."""
    late = f" It stops after {about(limits.seconds)} and leaves the question open." if cost.seconds[1] > limits.seconds else ""
    most = f" That is more than the {limits.memory_bytes / GIB:g} GiB that it may take."
    return f"{late}{most if cost.memory_bytes > limits.memory_bytes else ''}"


def pattern_named(name: str) -> Pattern | None:
    """None for a pattern that the catalogue does not have."""
    return load_catalogue().get(name)


def pattern_name(name: str) -> str:
    """Code and title."""
    pattern = pattern_named(name)
    return name if pattern is None else f"{pattern.code} {pattern.title}"


def page_text(page: Page) -> str:
    """What a probe asks, how, and what it does not say."""
    return "\n\n".join(_blocks(page))


def _blocks(page: Page) -> Iterator[str]:
    yield f"{page.title}{' (uncertain)' if page.uncertain else ''}\n{wrapped(page.question, '')}"
    for title, text in (("How", page.how), ("Needs", page.needs), ("What it does not say", page.does_not_say)):
        yield wrapped(f"{title}: {text}", "")
    lists = (("Settles", map(pattern_name, page.settles)), ("Limits", (f"{name}: {why}" for name, why in page.limits.items())),
             ("Sources", (" ".join(filter(None, (source.title, source.url))) for source in page.sources)))
    for title, entries in lists:
        lines = [wrapped(entry, "  ") for entry in entries]
        if lines:
            yield "\n".join((title, *lines))
    yield f"Ask it: splatdoctor probe {page.name} RUN"
