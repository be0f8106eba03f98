"""Families of patterns, as their codes begin: in the order in which a training meets them."""

import re
from collections.abc import Iterable, Mapping

from diagnostics.catalogue import Pattern

FAMILIES: Mapping[str, str] = {
    "IF": "Initialisation", "DF": "Densification", "OF": "Optimisation", "MF": "Memory", "CF": "Convergence", "AF": "Artifacts",
    "MF2": "Several GPUs", "NF": "Methods beyond plain 3DGS", "CK": "Checkpoints and resuming",
    "TG": "Reach of the gradients", "S": "Schedules", "M": "What to watch", "P": "The pipeline",
    "E": "Errors that end a training", "F": "Saved files", "N": "From public failure reports",
}


def family_of(code: str) -> str:
    """"AF" of "AF-06"."""
    return code.rpartition("-")[0]


def by_family(patterns: Iterable[Pattern]) -> dict[str, list[Pattern]]:
    """Patterns by family, each family in the order of its codes; families that nobody named come last."""
    every = sorted(patterns, key=lambda pattern: order_of(pattern.code))
    found: dict[str, list[Pattern]] = {}
    for family in (*FAMILIES, *sorted({family_of(p.code) for p in every} - set(FAMILIES))):
        members = [pattern for pattern in every if family_of(pattern.code) == family]
        if members:
            found[family] = members
    return found


def title_of(family: str) -> str:
    """What the family is called."""
    return FAMILIES.get(family, family)


def order_of(code: str) -> tuple[str, int, str]:
    """Codes as people count: N-9 before N-10."""
    number = re.search(r"\d+$", code)
    return family_of(code), int(number[0]) if number else 0, code
