"""How the window words numbers and states, in one place."""

import math

from diagnostics.verdict import NOT_AVAILABLE
from runs.run import Run


def count(number: int) -> str:
    """12,345."""
    return f"{number:,}"


def short_count(number: int) -> str:
    """12,345 -> 12.3k; 1,200,000 -> 1.20M; for narrow places."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return str(number)


def number(value: float | None, unit: str = "") -> str:
    """Four significant digits and the unit; what is missing says so."""
    if value is None:
        return NOT_AVAILABLE
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:,.0f}" if abs(value) >= 1000 or float(value).is_integer() else f"{value:.4g}"
    return f"{text} {unit}" if unit else text


def size(size_bytes: int) -> str:
    """12,345,678 -> 12.3 MB."""
    for limit, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size_bytes >= limit:
            return f"{size_bytes / limit:.3g} {unit}"
    return f"{size_bytes} B"


def span(chosen: tuple[int, int] | None) -> str:
    return "the whole run" if chosen is None else f"iterations {count(chosen[0])} to {count(chosen[1])}"


def trainer(run: Run) -> str:
    """The trainer with how sure the files make us."""
    if run.trainer.name == "unknown":
        return "unknown trainer"
    return f"{run.trainer.name} ({run.trainer.confidence:.0%} sure)"
