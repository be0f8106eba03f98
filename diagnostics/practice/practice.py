"""What a run's trainer does by itself: its values, its rules in words, and what looks like a fault and is meant."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from diagnostics.practice.spelling import Spelling
from runs.settings import Setting


@dataclass(frozen=True)
class ByDesign:
    """Something that a trainer does on purpose, from one iteration to another, both included; None: to the end."""

    what: str  # dead-mass, no-resets, zero-f-rest, count-frozen, count-may-fall, small-pictures, random-background, periodic-dips
    first: int
    last: int | None
    says: str

    def covers(self, iteration: int) -> bool:
        return self.first <= iteration and (self.last is None or iteration <= self.last)


@dataclass(frozen=True)
class Practice:
    """One trainer with one strategy, fitted to one run. Values are told by INRIA's names, whatever the trainer calls them."""

    trainer: str  # as runs name it
    title: str  # as people name it
    strategy: str  # "default", "mcmc", or the trainer's own word
    values: Mapping[str, Setting]  # stored, else the trainer's default (marked so), else fixed in its code
    usual: Mapping[str, Any]  # of the revision read; this run may have used others
    rules: Mapping[str, str]  # statistic, clone, split, prune, reset, rates, background, … in words
    by_design: tuple[ByDesign, ...]
    spelling: Spelling
    sources: tuple[str, ...]  # titles
    planned: tuple[Mapping[str, Any], ...] = field(default=())  # events that no setting tells: kind, first, last, every

    def value(self, name: str) -> Any:
        """By INRIA's name; None where it is not known."""
        setting = self.values.get(name)
        return None if setting is None else setting.value

    def intends(self, what: str, iteration: int | None = None) -> ByDesign | None:
        """The intention of that name, if it holds at the iteration (None: at any)."""
        return next((one for one in self.by_design if one.what == what and (iteration is None or one.covers(iteration))), None)
