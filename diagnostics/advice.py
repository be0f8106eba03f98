"""Advice: the catalogue's fixes fitted to one finding of one run, with the trainer's own flags and the current values."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from diagnostics.catalogue import CatalogueFix, Pattern
from diagnostics.facts.habits import OF_INRIA
from diagnostics.verdict import Finding, Fix
from runs.defaults import INRIA, INRIA_BEFORE_EXPOSURE
from runs.run import Run

INRIA_SETTINGS = {**INRIA, **INRIA_BEFORE_EXPOSURE}
QUOTE = re.compile(r"\{(\w+)\}")


def fitted_fixes(pattern: Pattern, finding: Finding, run: Run) -> tuple[Fix, ...]:
    """The finding's own fixes, then those of the catalogue that are meant for this run's trainer.

    A fix that quotes a fact which the finding does not give is left out: it would have to invent the number.
    """
    own = tuple(_with_current(_named_here(fix, run), run) for fix in finding.fixes)
    return own + tuple(_from_catalogue(pattern, finding, run))


def _from_catalogue(pattern: Pattern, finding: Finding, run: Run) -> Iterator[Fix]:
    for fix in pattern.fixes:
        meant_for = fix.when.get("trainer")
        if _meant(meant_for, run.trainer.name) and _quotable(fix, finding.facts):
            yield _with_current(_worded(fix, finding.facts, named=meant_for is not None or fix.setting in run.settings), run)


def _meant(names: str | tuple[str, ...] | None, trainer: str) -> bool:
    return names is None or trainer in ((names,) if isinstance(names, str) else names)


def _named_here(fix: Fix, run: Run) -> Fix:
    """Detectors name settings as INRIA's trainer does; without the name where this trainer is not known to spell it so."""
    if fix.setting in run.settings or (run.trainer.name in OF_INRIA and fix.setting in INRIA_SETTINGS):
        return fix
    return replace(fix, setting="", proposed=None, current=None)


def _quotable(fix: CatalogueFix, facts: Mapping[str, Any]) -> bool:
    asked = QUOTE.findall(f"{fix.do} {fix.expect} {fix.proposed if isinstance(fix.proposed, str) else ''}")
    return all(facts.get(name) is not None for name in asked)


def _worded(fix: CatalogueFix, facts: Mapping[str, Any], *, named: bool) -> Fix:
    """`named`: this trainer is known to spell the setting so; otherwise the flag of another trainer would be shown."""
    setting = fix.setting if named else ""
    proposed = fix.proposed if setting else None
    if isinstance(proposed, str) and (quote := QUOTE.fullmatch(proposed)):
        proposed = facts[quote[1]]
    return Fix(
        _quote(fix.do, facts), _quote(fix.expect, facts), setting, None, proposed,
        _quote(fix.risk, facts), _quote(fix.falsified_by, facts), fix.within,
    )


def _quote(text: str, facts: Mapping[str, Any]) -> str:
    return QUOTE.sub(lambda match: _shown(facts[match[1]]), text)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _with_current(fix: Fix, run: Run) -> Fix:
    """The setting as this trainer spells it. Its value is one that the run stored: a default may have been overridden on the
    command line."""
    setting = run.settings.get(fix.setting) if fix.setting else None
    if setting is None:
        return fix
    current = setting.value if fix.current is None and setting.stored else fix.current
    return replace(fix, setting=setting.name, current=current)
