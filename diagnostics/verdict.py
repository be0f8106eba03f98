"""The three verdicts a pattern can get: Finding, clear (None), NotEvaluable."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from runs.arrays import I64

Severity = Literal["critical", "major", "minor", "info"]
Kind = Literal["training", "measurement", "data", "file", "environment", "memory"]
# What kind of evidence decides a pattern. What goes wrong in an earlier layer shows up in later ones, so it is named first.
Layer = Literal["file", "data", "values", "optimiser", "settings", "densification", "statistics"]
LAYERS: tuple[Layer, ...] = get_args(Layer)
SEVERITIES: tuple[Severity, ...] = ("critical", "major", "minor", "info")  # worst first
NOT_AVAILABLE = "not available"


@dataclass(frozen=True)
class EvidenceRow:
    """One measured number, beside the limit it was held against. A missing value is None and reads "not available"."""

    what: str
    value: float | int | str | None
    limit: float | int | str | None = None
    unit: str = ""
    iteration: int | None = None
    source: str = ""  # file it was read or computed from


@dataclass(frozen=True, eq=False)
class GaussianPlace:
    """Which Gaussians of which saved iteration."""

    rows: I64  # int64 [n], rows of the stored Gaussians
    iteration: int
    of: int  # how many Gaussians that iteration has

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def fraction(self) -> float:
        return self.count / self.of if self.of else 0.0


@dataclass(frozen=True)
class Fix:
    """One thing to do, with what should be seen afterwards."""

    do: str
    expect: str
    setting: str = ""  # the trainer's own spelling
    current: Any = None
    proposed: Any = None
    risk: str = ""  # what it may cost
    falsified_by: str = ""  # what would show that this was not the cause
    seen_at: int | None = None  # iteration of the next training by which the outcome should show
    flag: str = ""  # the whole option as it is typed for this trainer, e.g. "--densify_grad_threshold 0.0004"
    default: bool = False  # `current` is the trainer's default: the run did not store the setting
    tried: str = ""  # what a trial of this very change measured, against the same training without it; empty: not tried
    validated: bool = False  # the trial showed that it helps


@dataclass(frozen=True, eq=False)
class Finding:
    """One sentence with measured numbers, and the places where they were measured."""

    says: str
    evidence: tuple[EvidenceRow, ...]
    iterations: tuple[int, int] | None = None  # None: the whole range that was diagnosed
    gaussians: GaussianPlace | None = None
    cameras: tuple[str, ...] = ()
    confidence: float = 1.0  # 0..1
    severity: Severity | None = None  # None: the pattern's own
    cause: str = ""  # where the measurement tells more than the catalogue
    fixes: tuple[Fix, ...] = ()  # fitted to this run; placed before the catalogue's
    colour_by: str = ""  # how the viewport shows it best
    facts: Mapping[str, Any] = field(default_factory=dict)  # values that fixes in the catalogue may quote as {name}


@dataclass(frozen=True)
class NotEvaluable:
    """A fact is missing, or is there and too thin to decide."""

    missing: tuple[str, ...]  # e.g. "series test/psnr", "at least three checkpoints"


Verdict = Finding | NotEvaluable | None  # None is "clear"
