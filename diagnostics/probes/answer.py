"""Answer: what a probe found out, as one value that can be kept, sent to another process and printed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from diagnostics.verdict import EvidenceRow, Finding
from runs.arrays import U8


@dataclass(frozen=True)
class Curve:
    """Values measured while the probe worked, such as the PSNR of one view by step."""

    name: str
    unit: str
    steps: tuple[int, ...]
    values: tuple[float, ...]  # NaN where there was no number


@dataclass(frozen=True, eq=False)
class Shot:
    """A picture worth seeing, such as a render beside its photo."""

    title: str
    rgb: U8  # uint8 [H, W, 3]
    camera: str = ""


@dataclass(frozen=True, eq=False)
class Judged:
    """What the probe says about one pattern of the catalogue."""

    pattern: str  # its name
    finding: Finding | None = None  # None: clear, or open where something is missing
    missing: tuple[str, ...] = ()  # why it stays open


@dataclass(frozen=True)
class Tried:
    """One change that was tried against the same training without it."""

    code: str  # of the finding
    setting: str  # as the trainer spells it
    proposed: Any
    says: str  # the difference with its noise, in one sentence
    helped: bool | None  # None: the difference is within the noise
    do: str = ""  # the fix, as the finding words it


@dataclass(frozen=True, eq=False)
class Answer:
    """What a probe function returns."""

    says: str  # one sentence with the measured numbers
    judged: tuple[Judged, ...] = ()
    rows: tuple[EvidenceRow, ...] = ()
    shots: tuple[Shot, ...] = ()
    missing: tuple[str, ...] = ()  # not empty: the question stays open, and these are the reasons
    iteration: int | None = None  # the save that was looked at; None: the start of the training
    done: Mapping[str, Any] = field(default_factory=dict)  # how it was done: views, size, steps, seeds, settings taken over
    tried: tuple[Tried, ...] = ()


@dataclass(frozen=True, eq=False)
class Result:
    """An answer with the question, the curves, and what it cost."""

    probe: str
    run: str  # the folder, as it was named
    answer: Answer
    curves: tuple[Curve, ...]
    seconds: float
    peak_bytes: int  # most memory that the process held
    finished_at: str  # ISO 8601, with the zone
    product: str  # version that answered

    @property
    def outcome(self) -> str:
        """"finding", "clear" or "open"."""
        if any(each.finding is not None for each in self.answer.judged):
            return "finding"
        return "open" if self.answer.missing else "clear"
