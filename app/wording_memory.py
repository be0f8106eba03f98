"""How amounts of GPU memory read in the window and on the command line."""

from collections.abc import Iterable
from itertools import groupby

from diagnostics.memory.account import OnGpu
from diagnostics.memory.forecast import Crossing


def millions(count: int) -> str:
    """A number that is known to two or three digits: "5.17 M", "0.45 M"."""
    return f"{count / 1e6:.3g} M" if count >= 1e5 else f"{count:,}"


def full_at(crossing: Crossing) -> str:
    """The iteration at which a card is full: "12,300"; "perhaps 11,000" with the most that may lie beside only; else ""."""
    if crossing.surely is not None:
        return f"{crossing.surely:,}"
    return "" if crossing.maybe is None else f"perhaps {crossing.maybe:,}"


def by_size(gpus: Iterable[OnGpu]) -> list[tuple[float, list[OnGpu]]]:
    """Cards of the same memory fare alike; sorted as they come."""
    return [(size, list(rows)) for size, rows in groupby(gpus, key=lambda row: row.gpu.gib)]
