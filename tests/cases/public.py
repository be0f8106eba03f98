"""PublicCase: one public report as files on disk, with the verdict that it must and must not get."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from diagnostics.diagnosis import Diagnosis

Check = Callable[[Diagnosis], None]


@dataclass(frozen=True)
class Input:
    """What a user would open."""

    run: Path
    data: Path | None = None
    references: tuple[Path, ...] = ()  # runs that the user chose to compare with


@dataclass(frozen=True)
class PublicCase:
    """A report, rebuilt. `must`: codes of findings; `must_not`: codes that would pin it on something else."""

    report: str  # owner/repository#number
    build: Callable[[Path], Input]  # writes into an empty folder
    why: str  # what happened there, and why the wrong names are wrong
    must: frozenset[str] = frozenset()
    must_not: frozenset[str] = frozenset()
    clean: bool = False  # any finding that is critical or major would be a false alarm
    check: Check | None = None  # the numbers and places that the verdict must name

    @property
    def title(self) -> str:
        return self.report.replace("/", "-").replace("#", "-").replace(" ", "-")


def codes(text: str) -> frozenset[str]:
    return frozenset(text.split())


def said(diagnosis: Diagnosis, code: str) -> str:
    """The sentence of one finding."""
    return next(found.finding.says for found in diagnosis.findings if found.pattern.code == code)


def measured(diagnosis: Diagnosis, code: str) -> dict[str, float | int | str | None]:
    """The evidence of one finding by name."""
    found = next(found for found in diagnosis.findings if found.pattern.code == code)
    return {row.what: row.value for row in found.finding.evidence}


def cameras_named(diagnosis: Diagnosis, code: str) -> frozenset[str]:
    return next(frozenset(found.finding.cameras) for found in diagnosis.findings if found.pattern.code == code)


def rows_named(diagnosis: Diagnosis, code: str) -> int:
    """How many Gaussians the finding points at; -1 where it points at none."""
    place = next(found.finding.gaussians for found in diagnosis.findings if found.pattern.code == code)
    return -1 if place is None else place.count
