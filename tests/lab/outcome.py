"""What the diagnosis said about one run of the lab, as plain values that can be kept."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from diagnostics.diagnosis import Diagnosis, Reported
from tests.lab.case import Case

SERIOUS = frozenset(("critical", "major"))


@dataclass(frozen=True)
class Named:
    """One finding: which pattern, how bad, where."""

    code: str
    severity: str
    confidence: float
    iterations: tuple[int, int]
    says: str
    consequence_of: tuple[str, ...] = ()
    cameras: tuple[str, ...] = ()
    rows: tuple[int, ...] | None = None  # of the Gaussians at `rows_iteration`; None where it points at none
    rows_iteration: int | None = None

    @property
    def serious(self) -> bool:
        return self.severity in SERIOUS


@dataclass(frozen=True)
class Trained:
    """How the run itself came out, and what the lab knows about the fault's place."""

    psnr: float | None  # dB, mean over the test views at the end; None where that is no number
    count: int  # Gaussians at the end
    saves: tuple[int, ...]  # iterations
    seconds: float  # of training and writing
    onset: int | None = None  # iteration at which the fault began, where that was not the start
    guilty_rows: tuple[int, ...] | None = None  # of the last save, where they are known
    guilty_cameras: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Outcome:
    """One run of the suite and everything the diagnosis found in it, in the order of the diagnosis."""

    case: Case
    trained: Trained
    findings: tuple[Named, ...]
    not_evaluable: tuple[str, ...] = ()  # codes
    failures: tuple[str, ...] = ()  # detectors and facts that broke: a bug of the product, whatever the verdicts
    seconds: float = 0.0  # of the diagnosis

    @property
    def serious(self) -> tuple[Named, ...]:
        return tuple(found for found in self.findings if found.serious)

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(found.code for found in self.findings)


def named(diagnosis: Diagnosis) -> tuple[Named, ...]:
    """Every finding of a diagnosis, in its order."""
    return tuple(_named(reported) for reported in diagnosis.findings)


def failures(diagnosis: Diagnosis) -> tuple[str, ...]:
    """What broke while patterns were judged: an exception, or a finding that the self-check refused."""
    return tuple(dict.fromkeys(
        f"{entry.pattern.code}: {why}" for entry in diagnosis.not_evaluable for why in entry.missing
        if "failed (" in why or " failed: " in why or "refused by the self-check" in why))


def to_plain(outcome: Outcome) -> dict[str, Any]:
    """For JSON."""
    return asdict(outcome)


def trained_from_plain(entry: Mapping[str, Any]) -> Trained:
    """The inverse of `asdict` after a way through JSON, where tuples became lists."""
    return Trained(**_tuples(entry))


def from_plain(entry: Mapping[str, Any]) -> Outcome:
    """The inverse of `to_plain`, likewise."""
    return Outcome(**{
        **_tuples(entry), "case": Case(**entry["case"]), "trained": trained_from_plain(entry["trained"]),
        "findings": tuple(Named(**_tuples(found)) for found in entry["findings"]),
    })


def _named(reported: Reported) -> Named:
    finding, place = reported.finding, reported.finding.gaussians
    return Named(
        reported.pattern.code, reported.severity, float(finding.confidence),
        (int(reported.iterations[0]), int(reported.iterations[1])), finding.says, reported.consequence_of, finding.cameras,
        None if place is None else tuple(place.rows.tolist()), None if place is None else int(place.iteration),
    )


def _tuples(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
