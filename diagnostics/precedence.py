"""Precedence: which finding explains which, which only looks like another, and in what order they are told."""

from collections.abc import Mapping
from dataclasses import replace

from diagnostics.catalogue import Pattern, causes_of
from diagnostics.diagnosis import ExplainedAway, Reported, Resemblance
from diagnostics.look_alikes import why_excluded
from diagnostics.verdict import LAYERS, SEVERITIES, Layer, Severity

WEAK = SEVERITIES.index("minor")  # from here on a finding does no real harm

Rank = tuple[bool, int, int, int, int, str]


def rank(harms: bool, causes: int, layer: Layer, severity: Severity, onset: int, code: str) -> Rank:
    """What findings are sorted by, the smallest first.

    What harms, or leads to what does, comes before blemishes; root causes before what follows from them (a consequence has more
    causes than each of its causes); then data before values before the optimiser before settings before densification before
    statistics: what goes wrong in an earlier layer shows up in later ones. Among equals the worst comes first, then the earliest.
    """
    return not harms, causes, LAYERS.index(layer), SEVERITIES.index(severity), onset, code


def ordered(findings: list[Reported]) -> tuple[Reported, ...]:
    """By `rank`."""
    harmful = {code for found in findings if _is_serious(found) for code in (found.pattern.code, *found.consequence_of)}
    return tuple(sorted(findings, key=lambda f: rank(
        f.pattern.code in harmful, len(f.consequence_of), f.pattern.layer, f.severity, f.iterations[0], f.pattern.code)))


def _is_serious(found: Reported) -> bool:
    return SEVERITIES.index(found.severity) < WEAK


def explained(findings: list[Reported], patterns: Mapping[str, Pattern]) -> list[Reported]:
    """Each finding with the codes of the present findings that lead to it, and with what it may be taken for.

    A cause cannot begin after its effect has ended; what is wrong in the data was so from the start, whenever it first shows.
    """
    present = {found.pattern.name for found in findings}
    told = []
    for effect in findings:
        names = causes_of(effect.pattern.name, patterns)
        causes = [f.pattern.code for f in findings if f.pattern.name in names
                  and (f.pattern.layer == "data" or f.iterations[0] <= effect.iterations[1])]
        resembles = _resembling(effect.pattern, present, patterns)
        told.append(replace(effect, consequence_of=tuple(sorted(causes)), resembles=resembles))
    return told


def _resembling(pattern: Pattern, present: set[str], patterns: Mapping[str, Pattern]) -> tuple[Resemblance, ...]:
    """Look-alikes, those that were found here as well first."""
    told = [Resemblance(patterns[name].code, patterns[name].title, how, name in present)
            for name, how in pattern.look_alikes.items() if name in patterns]
    return tuple(sorted(told, key=lambda one: not one.found))


def told_apart(findings: list[Reported]) -> tuple[list[Reported], tuple[ExplainedAway, ...]]:
    """Findings that stand, and those that the evidence of another one excludes; nothing is dropped silently.

    What is excluded itself excludes nothing.
    """
    by_name = {found.pattern.name: found for found in findings}
    away: dict[str, ExplainedAway] = {}
    for found in findings:
        why = why_excluded(found, {name: other for name, other in by_name.items() if name not in away})
        if why is not None:
            away[found.pattern.name] = ExplainedAway(found, why[0].pattern.code, why[1])
    return [found for found in findings if found.pattern.name not in away], tuple(away.values())
