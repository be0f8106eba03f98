"""Meant: the faults of the lab that a probe is made to find; on every other fault it may say what it likes, on no healthy run
may it find anything."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules

import tests.lab.probing as here
from diagnostics.probes.bench import Wish


@dataclass(frozen=True)
class Meant:
    """One probe's task."""

    probe: str
    finds: Mapping[str, frozenset[str]]  # name of a fault -> names of patterns, of which it must find one
    wish: Wish = field(default_factory=Wish)  # how it is asked in the lab
    healthy: bool = True  # healthy runs are asked as well


def meant() -> Mapping[str, Meant]:
    """By probe."""
    modules = (import_module(f"{here.__name__}.{module.name}") for module in iter_modules(here.__path__))
    found = [module.MEANT for module in modules if hasattr(module, "MEANT")]
    return {each.probe: each for each in found}
