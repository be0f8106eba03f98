"""Advice: the catalogue's fixes fitted to one finding of one run: the trainer's own option, its values, and when to look."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from diagnostics.catalogue import CatalogueFix, Pattern
from diagnostics.facts.habits import OF_INRIA
from diagnostics.practice.planned import EVERY, FROM, RESET, whole
from diagnostics.practice.spelling import Spelling
from diagnostics.practice.tables import practice_of, spelling_of, strategy_of
from diagnostics.verdict import Finding, Fix
from runs.run import Run
from runs.settings import Setting

QUOTE = re.compile(r"\{(\w+)\}")
TIMES = re.compile(r"× ?(\d+(?:\.\d+)?)(?:/(\d+(?:\.\d+)?))?")  # a proposed value in so many of the present one: "× 2", "× 1/3"
REFERENCE = 30_000  # iterations that `within` is written for; a shorter training shows it in proportion
AT_ONCE = 100  # iterations that no outcome is waited for less than, unless the catalogue says so
OWN_COMMAND_LINE = frozenset({"yindaheng98"})  # of INRIA's family, with another command line
GROWTH = frozenset({"densify_grad_threshold", "percent_dense", "cap_max", EVERY, FROM})  # act from the first densification on


@dataclass(frozen=True)
class _Fitting:
    """What is known of the run's trainer while its fixes are fitted."""

    run: Run
    strategy: str
    spelling: Spelling | None
    defaults: Mapping[str, Setting]


def fitted_fixes(pattern: Pattern, finding: Finding, run: Run) -> tuple[Fix, ...]:
    """The finding's own fixes, then those of the catalogue that are meant for this run's trainer and strategy.

    A fix that quotes a fact which the finding does not give is left out: it would have to invent the number. So is one that
    turns a setting which this trainer does not have or does not read, and one that proposes what is set already.
    """
    fitting = _fitting(run)
    own = [_completed(fix, fitting) for fix in finding.fixes]
    fixes = [*own, *_from_catalogue(pattern, finding, fitting)]
    return tuple(fix for fix in fixes if not _is_moot(fix))


def _is_moot(fix: Fix) -> bool:
    """It would change nothing, or the opposite of what it says: raise what is higher already, lower what is lower."""
    told = fix.proposed is not None and not fix.default
    return told and (_same(fix.proposed, fix.current) or _contradicts(fix))


def _contradicts(fix: Fix) -> bool:
    if not isinstance(fix.proposed, int | float) or not isinstance(fix.current, int | float):
        return False
    rises = fix.proposed > fix.current
    return (rises and fix.do.startswith("Lower ")) or (not rises and fix.do.startswith("Raise "))


def _fitting(run: Run) -> _Fitting:
    practice = practice_of(run)
    if practice is not None:
        return _Fitting(run, practice.strategy, practice.spelling, practice.values)
    takes_options = run.trainer.name in OF_INRIA - OWN_COMMAND_LINE
    return _Fitting(run, strategy_of(run), spelling_of("inria", "default") if takes_options else None, {})


def _from_catalogue(pattern: Pattern, finding: Finding, fitting: _Fitting) -> Iterator[Fix]:
    for fix in pattern.fixes:
        lacking = fitting.spelling is not None and fix.setting in fitting.spelling.lacks
        if _meant(fix, fitting) and not lacking and _quotable(fix, finding.facts):
            yield _completed(_worded(fix, finding.facts), fitting, fix.within)


def _meant(fix: CatalogueFix, fitting: _Fitting) -> bool:
    here = {"trainer": fitting.run.trainer.name, "strategy": fitting.strategy}
    return all(here[what] in ((names,) if isinstance(names, str) else names) for what, names in fix.when.items())


def _quotable(fix: CatalogueFix, facts: Mapping[str, Any]) -> bool:
    proposed = fix.proposed if isinstance(fix.proposed, str) else ""
    asked = QUOTE.findall(f"{fix.do} {fix.expect} {fix.risk} {fix.falsified_by} {proposed}")
    return all(facts.get(name) is not None for name in asked)


def _worded(fix: CatalogueFix, facts: Mapping[str, Any]) -> Fix:
    proposed = fix.proposed
    if isinstance(proposed, str) and (quote := QUOTE.fullmatch(proposed)):
        proposed = facts[quote[1]]
    elif isinstance(proposed, str):
        proposed = QUOTE.sub(lambda match: str(facts[match[1]]), proposed)
    do, expect, risk, falsified_by = (_quote(text, facts) for text in (fix.do, fix.expect, fix.risk, fix.falsified_by))
    return Fix(do, expect, fix.setting, None, proposed, risk, falsified_by)


def _quote(text: str, facts: Mapping[str, Any]) -> str:
    return QUOTE.sub(lambda match: _shown(facts[match[1]]), text)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _completed(fix: Fix, fitting: _Fitting, within: int | None = None) -> Fix:
    """With the setting as this trainer spells it, its present value, the computed proposal, the option, and when to look.

    Detectors and the catalogue name settings as INRIA's trainer does; without the name where this one is not known to have it.
    """
    seen_at = fix.seen_at if within is None else _seen_at(fix, within, fitting.run)
    if not fix.setting:
        return replace(fix, seen_at=seen_at)
    spelling, stored = fitting.spelling, fitting.run.settings.get(fix.setting)
    if stored is None and (spelling is None or not spelling.knows(fix.setting)):
        return replace(fix, setting="", current=None, proposed=None, seen_at=seen_at)
    known = stored or fitting.defaults.get(fix.setting)
    current, default = fix.current, False
    if current is None and known is not None:
        current, default = known.value, not known.stored
    proposed = None if _means_another_unit(fix, fitting) else _proposed(fix.proposed, current)
    name = stored.name if stored is not None else spelling.name(fix.setting) if spelling is not None else fix.setting
    return replace(
        fix, setting=name, current=current, proposed=proposed, default=default, seen_at=seen_at,
        flag=_flag(fix.setting, name, proposed, fitting),
    )


def _means_another_unit(fix: Fix, fitting: _Fitting) -> bool:
    """A value that is right for INRIA's trainer would be wrong for this one; so many times the present one is right for both."""
    if fitting.spelling is None or fix.setting not in fitting.spelling.other_unit or isinstance(fix.proposed, str):
        return False
    switch = fitting.spelling.other_unit[fix.setting]
    return not switch or fitting.run.settings.value(switch) is True


def _flag(setting: str, name: str, proposed: Any, fitting: _Fitting) -> str:
    """Empty where it is not known how this trainer takes options."""
    spelling = fitting.spelling
    if spelling is None or not spelling.knows(setting):
        return ""
    every = fitting.run.settings.value(spelling.per[setting]) if setting in spelling.per else None
    return spelling.flag(setting, proposed, every, own=name)


def _proposed(proposed: Any, current: Any) -> Any:
    """A value, or one in so many of the present value; None where that is not known."""
    times = TIMES.fullmatch(proposed) if isinstance(proposed, str) else None
    if times is None:
        return proposed
    if isinstance(current, bool) or not isinstance(current, int | float):
        return None
    value = current * float(times[1]) / float(times[2] or 1)
    return max(min(1, current), round(value)) if isinstance(current, int) else float(f"{value:.3g}")


def _same(proposed: Any, current: Any) -> bool:
    if isinstance(proposed, float) and isinstance(current, int | float):
        return math.isclose(proposed, current)
    return bool(proposed == current)


def _seen_at(fix: Fix, within: int, run: Run) -> int:
    """Iteration of the next training: after the first event that the setting acts on, in proportion to the run's length."""
    length = whole(run.settings, "iterations")
    scale = 1.0 if length is None else min(1.0, length / REFERENCE)
    wait = max(min(within, AT_ONCE), round(within * scale))
    begins = _first_effect(fix, run) + wait
    return begins if length is None else min(begins, length)


def _first_effect(fix: Fix, run: Run) -> int:
    if fix.setting in GROWTH:
        return whole(run.settings, FROM) or 0
    if fix.setting != RESET:
        return 0
    return fix.proposed if isinstance(fix.proposed, int) else whole(run.settings, RESET) or 0
