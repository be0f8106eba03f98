"""How amounts of GPU memory read, in findings, in the window and on the command line alike."""

from diagnostics.memory.fits import GIB

MIB, KIB = 2.0**20, 2.0**10


def size_text(amount: float | None) -> str:
    """Bytes: "11.03 GiB", "708 MiB", "4.0 MiB", "12 KiB", "0"; "an unknown amount" where it is not told."""
    if amount is None:
        return "an unknown amount"
    for unit, name, decimals in ((GIB, "GiB", 2), (100 * MIB, "MiB", 0), (MIB, "MiB", 1)):
        if amount >= unit:
            return f"{amount / (GIB if name == 'GiB' else MIB):,.{decimals}f} {name}"
    return f"{amount / KIB:,.0f} KiB" if amount else "0"
