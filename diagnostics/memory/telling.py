"""How a death by lack of GPU memory is told: the amounts of its text, when it was, and what fixes may quote."""

from diagnostics.memory.cause import Crash
from diagnostics.memory.fits import GIB
from diagnostics.memory.sizes import size_text
from diagnostics.verdict import EvidenceRow


def told_rows(crash: Crash) -> tuple[EvidenceRow, ...]:
    """The amounts of the error's text."""
    amounts = (("requested", crash.requested), ("allocated", crash.allocated), ("reserved", crash.reserved),
               ("capacity", crash.capacity))
    return tuple(amount_row(crash, what, amount) for what, amount in amounts)


def amount_row(crash: Crash, what: str, amount: float | None) -> EvidenceRow:
    return EvidenceRow(what, None if amount is None else amount / GIB, None, "GiB", crash.iteration, crash.source)


def quotable(crash: Crash) -> dict[str, object]:
    return {"count": crash.count, "capacity": None if crash.capacity is None else crash.capacity / GIB}


def place_of(crash: Crash) -> tuple[int, int] | None:
    return None if crash.iteration is None else (crash.iteration, crash.iteration)


def when(crash: Crash) -> str:
    return "" if crash.iteration is None else f" at iteration {crash.iteration:,}"


def amounts(crash: Crash) -> str:
    if crash.requested is None:
        return ""
    held = "" if crash.allocated is None else f" with {size_text(crash.allocated)} allocated"
    whole = "" if crash.capacity is None else f" of {size_text(crash.capacity)}"
    return f": {size_text(crash.requested)} were asked for{held}{whole}"
