"""Meant: the faults of the lab that a probe is made to find; on every other fault it may say what it likes, on no healthy run
may it find anything."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules

import tests.lab.probing as here
from diagnostics.probes.answer import Result
from diagnostics.probes.bench import Wish


def names_one_of(result: Result, wanted: frozenset[str]) -> bool:
    """Whether one of the wanted patterns is a finding."""
    return any(each.finding is not None and each.pattern in wanted for each in result.answer.judged)


def finds_anything(result: Result) -> bool:
    return result.outcome == "finding"


@dataclass(frozen=True)
class Meant:
    """One probe's task."""

    probe: str
    finds: Mapping[str, frozenset[str]]  # name of a fault -> names of patterns, of which it must find one
    wish: Wish = field(default_factory=Wish)  # how it is asked in the lab
    wishes: Mapping[str, Wish] = field(default_factory=dict)  # by fault, where it must be asked in another way
    healthy: bool = True  # healthy runs are asked as well
    hit: Callable[[Result, frozenset[str]], bool] = names_one_of  # on a run with the fault
    alarm: Callable[[Result], bool] = finds_anything  # on a healthy run

    def wish_for(self, fault: str) -> Wish:
        return self.wishes.get(fault, self.wish)


def meant() -> Mapping[str, Meant]:
    """By probe."""
    modules = (import_module(f"{here.__name__}.{module.name}") for module in iter_modules(here.__path__))
    found = [module.MEANT for module in modules if hasattr(module, "MEANT")]
    return {each.probe: each for each in found}
