"""Fault: one thing done wrong, what an expert would call it, and what would be a wrong name for it."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.lab.plan import Plan

Apply = Callable[[Plan, float], Plan]


@dataclass(frozen=True)
class Fault:
    """A patch of a healthy plan, and the truth about it."""

    name: str  # what was done, in kebab-case
    family: str
    apply: Apply  # (healthy plan, strength) -> faulty plan
    right: frozenset[str]  # codes of patterns that name this fault
    why: str  # what an expert would say, and where the truth comes from
    strengths: tuple[float, ...] = (1.0,)  # in the unit that `apply` takes; mild and strong, in no order
    acceptable: frozenset[str] = frozenset()  # codes of what may follow from it
    wrong: frozenset[str] = frozenset()  # codes that would pin it on something else; any other serious finding is wrong as well
    leaves_trace: bool = True  # False: nothing in the folder differs from a healthy run's by more than its spread
    scenes: frozenset[str] = frozenset()  # those that can show it; all, where none are named
    onset: Callable[[Plan, float], int] | None = None  # iteration at which it begins, where that is not the start

    def __post_init__(self) -> None:
        if self.leaves_trace and not self.right:
            raise ValueError(f"{self.name}: no code is right, though it leaves a trace")
        if (self.right | self.acceptable) & self.wrong:
            raise ValueError(f"{self.name}: a code is right and wrong")
        if not self.strengths or len(set(self.strengths)) < len(self.strengths):
            raise ValueError(f"{self.name}: strengths must be some, and differ")

    @property
    def fitting(self) -> frozenset[str]:
        """Codes that are no false alarm."""
        return self.right | self.acceptable


def codes(text: str) -> frozenset[str]:
    """"IF-04 AF-03" as a set."""
    return frozenset(text.split())
