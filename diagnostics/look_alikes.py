"""Look-alikes: findings that the evidence of another one excludes, so that one fault is not reported twice under two names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from diagnostics.diagnosis import Reported
from diagnostics.wording import percent

MOST_ARE_NEEDLES = 0.5  # share from which on the median of the largest axes is the length of needles and no size of a start


@dataclass(frozen=True)
class Rule:
    """Where both are found, `why` says why `excluded` is no fault of its own; None: both may be true."""

    excluded: str  # name of a pattern
    by: str
    why: Callable[[Reported, Reported], str | None]


def why_excluded(found: Reported, present: Mapping[str, Reported]) -> tuple[Reported, str] | None:
    """The finding that excludes `found`, and why; `present` are the findings by name that still stand."""
    for rule in RULES:
        other = present.get(rule.by)
        if rule.excluded == found.pattern.name and other is not None and (why := rule.why(found, other)):
            return other, why
    return None


def _long_not_large(found: Reported, needles: Reported) -> str | None:
    """IF-03 measures the largest axis."""
    place = needles.finding.gaussians
    if place is None or place.fraction < MOST_ARE_NEEDLES:
        return None
    return (f"{percent(place.fraction)} of the Gaussians are needles ({needles.pattern.code}), and the largest axis that "
            f"{found.pattern.code} measures is their length: they are long, not large")


def _held_by_cap(found: Reported, cap: Reported) -> str:
    return (f"The count stands still because of the cap ({cap.pattern.code}), and a trainer that is at its cap adds nothing; "
            f"{found.pattern.code} is about a count that may grow and does not")


RULES = (
    Rule("initial-scale-too-large", "needle-gaussians", _long_not_large),
    Rule("densification-never-triggers", "cap-below-initial-count", _held_by_cap),
    Rule("densification-never-triggers", "dead-mass-at-cap", _held_by_cap),
)
