"""How a share reads, in sentences of findings, in tables and in the report alike."""

import math

from diagnostics.verdict import NOT_AVAILABLE

NO_BREAK = "\N{NO-BREAK SPACE}"


def percent(fraction: float) -> str:
    """A share as people say it: 0 %, < 0.1 %, 3.4 %, 80 %."""
    if math.isnan(fraction):
        return NOT_AVAILABLE
    share = fraction * 100
    if 0 < share < 0.1:
        return f"<{NO_BREAK}0.1{NO_BREAK}%"
    return f"{share:.0f}{NO_BREAK}%" if share >= 10 or float(share).is_integer() else f"{share:.1f}{NO_BREAK}%"
