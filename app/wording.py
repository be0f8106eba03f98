"""How the window words numbers and states; the words of the report where it has them."""

import math

from diagnostics.report import wording as report
from runs.run import Run


def count(number: int) -> str:
    """12,345."""
    return f"{number:,}"


def number(value: float | None, unit: str = "") -> str:
    """As in the report, but a stored NaN is shown as what it is: missing is another thing."""
    return "NaN" if value is not None and math.isnan(value) else report.number(value, unit)


def size(size_bytes: int) -> str:
    """12,345,678 -> 12.3 MB."""
    for limit, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size_bytes >= limit:
            return f"{size_bytes / limit:.3g} {unit}"
    return f"{size_bytes} B"


def span(chosen: tuple[int, int] | None) -> str:
    """The chosen range."""
    return "the whole run" if chosen is None else report.iterations(chosen)


def trainer(run: Run) -> str:
    """The trainer with how sure the files make us."""
    return f"{run.trainer.name} ({report.percent(run.trainer.confidence)} sure)" if run.trainer.confidence else "unknown"
