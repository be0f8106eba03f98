"""How numbers and names of a diagnosis read: units, thousands, missing values, long names."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from diagnostics.accuracy import track_record
from diagnostics.catalogue import Pattern
from diagnostics.verdict import NOT_AVAILABLE, Finding
from diagnostics.wording import NO_BREAK
from diagnostics.wording import percent as percent
from runs.checkpoints import Checkpoint, Rows

NAMES = frozenset({"Gaussians", "Gaussian", "Adam"})
SHARES = ("share", "fraction")  # units that people read as per cent
ROWS: Mapping[Rows, str] = {"splats": "Gaussian", "anchors": "anchor", "points": "point"}  # what one row of a save is
SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def number(value: float | int | str | None, unit: str = "") -> str:
    """A measured value with its unit; None and NaN read "not available", infinities "infinite", shares per cent."""
    if value is None:
        return NOT_AVAILABLE
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if math.isnan(value):
        return NOT_AVAILABLE
    if unit in SHARES:
        return f"{_digits(value * 100)}{NO_BREAK}%"
    told = _digits(value)
    return f"{told}{NO_BREAK}{unit}" if unit not in ("", "count") else told


def _digits(value: float | int) -> str:
    if math.isinf(value):
        return "infinite" if value > 0 else "−infinite"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}".replace("-", "−")
    if 1e-3 <= abs(value) < 1e6:
        return _short(value)
    mantissa, exponent = f"{value:.2e}".split("e")
    power = str(int(exponent)).translate(SUPERSCRIPTS)
    return f"{mantissa.rstrip('0').rstrip('.')}{NO_BREAK}×{NO_BREAK}10{power}".replace("-", "−")


def _short(value: float) -> str:
    """Four significant digits, and never fewer than the integer part has."""
    decimals = max(0, 3 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{decimals}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")


def count(amount: int, one: str, many: str = "") -> str:
    """The amount with its noun: "1 finding", "3,000 findings"."""
    return f"{amount:,}{NO_BREAK}{one if amount == 1 else many or one + 's'}"


def rows(checkpoint: Checkpoint) -> str:
    """"12,345 Gaussians", or what else a saved file holds."""
    return count(checkpoint.count, ROWS[checkpoint.holds])


def save(checkpoint: Checkpoint) -> str:
    """"17,000 (fine 14,000)": the iteration, with what the trainer calls the save where that is another number."""
    return f"{checkpoint.iteration:,} ({checkpoint.label})" if checkpoint.label else f"{checkpoint.iteration:,}"


def iterations(span: tuple[int, int]) -> str:
    """An interval of iterations: "iteration 600" or "iterations 600–1,500"."""
    first, last = span
    return f"iteration {first:,}" if first == last else f"iterations {first:,}–{last:,}"


def setting(value: Any) -> str:
    """A setting's value as the trainer would write it; None is what was not stored."""
    if value is None:
        return NOT_AVAILABLE
    return value if isinstance(value, str) else repr(value)


def shortened(name: str, length: int) -> str:
    """At most `length` characters, the middle left out: both ends of a file name tell most."""
    if len(name) <= length:
        return name
    head = (length - 1) // 2
    return f"{name[:head]}…{name[-(length - 1 - head):]}"


def listed(names: Iterable[str], most: int = 60) -> str:
    """Names with commas, and how many more there are."""
    every = list(names)
    told = ", ".join(every[:most])
    return told if len(every) <= most else f"{told} … and {len(every) - most:,} more"


def capitalised(sentence: str) -> str:
    """The sentence with a large first letter; the rest stays, as names and units have their own case."""
    return sentence[:1].upper() + sentence[1:]


def sentence(says: str) -> str:
    """What is said, with a full stop unless it ends with another mark."""
    return says if says.endswith((".", "!", "?")) else f"{says}."


def in_sentence(title: str) -> str:
    """A title inside a sentence: a small first letter, unless it begins with a name or an abbreviation (SSIM, PSNR)."""
    first = title.split(" ", 1)[0]
    return title if any(char.isupper() for char in first[1:]) or first in NAMES else title[:1].lower() + title[1:]


def places(finding: Finding) -> str:
    """Which Gaussians and which cameras a finding points at."""
    place, told = finding.gaussians, []
    if place is not None:
        named = f"{count(place.count, 'Gaussian')} of {place.of:,} ({percent(place.fraction)})"
        told.append(f"{named} at iteration {place.iteration:,}")
    if finding.cameras:
        told.append(f"{count(len(finding.cameras), 'camera')}: {listed(finding.cameras)}")
    return " · ".join(told)


def found_before(pattern: Pattern) -> str:
    """How many of the faults it should name the pattern found in our lab: how far a clear verdict can be trusted."""
    record = track_record(pattern.code)
    return f"{record.found} of {record.expected}" if record is not None and record.expected else "not tried"
