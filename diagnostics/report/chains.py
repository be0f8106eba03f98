"""Chains: findings as a graph of causes, and the order in which one tells them."""

from collections.abc import Sequence
from dataclasses import dataclass

from diagnostics.diagnosis import Reported


@dataclass(frozen=True, eq=False)
class Chain:
    """A root cause, the longest way on from it, and what else it explains beside that way."""

    links: tuple[Reported, ...]  # the root cause first; each explains the next
    branches: tuple[tuple[Reported, Reported], ...] = ()  # (explained, the nearest finding that explains it)

    @property
    def root(self) -> Reported:
        return self.links[0]

    @property
    def members(self) -> tuple[Reported, ...]:
        return (*self.links, *(effect for effect, _ in self.branches))


def chains(findings: Sequence[Reported]) -> tuple[Chain, ...]:
    """One per root cause, in the order of the findings; what several explain is told with the first of them alone."""
    told: set[str] = set()
    found = []
    for root in findings:
        if not root.consequence_of:
            chain = _chain(root, [one for one in findings if one.pattern.code not in told])
            told |= {one.pattern.code for one in chain.members}
            found.append(chain)
    return tuple(found)


def _chain(root: Reported, findings: Sequence[Reported]) -> Chain:
    mine = [one for one in findings if root.pattern.code in one.consequence_of]
    links = (root, *_longest(root, mine))
    beside = [one for one in mine if one not in links]
    return Chain(links, tuple((one, _nearest(one, (root, *mine))) for one in beside))


def _longest(cause: Reported, findings: Sequence[Reported]) -> tuple[Reported, ...]:
    """The longest way from one direct effect to the next; of equal ones, that which begins with the first finding."""
    effects = [one for one in findings if cause.pattern.code in one.consequence_of and _nearest(one, (cause, *findings)) is cause]
    return max(((one, *_longest(one, findings)) for one in effects), key=len, default=())


def _nearest(effect: Reported, findings: Sequence[Reported]) -> Reported:
    """The last of its causes: it has itself most causes, as all that leads to a cause leads to its effect too."""
    causes = [one for one in findings if one.pattern.code in effect.consequence_of]
    return max(causes, key=lambda one: (len(one.consequence_of), -findings.index(one)))
