"""How often each pattern was right in our own lab, as it was measured when this version was made."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class TrackRecord:
    """One pattern's figures on runs that its limits were not tuned on."""

    code: str
    found: int  # runs of a fault that it should name, in which it was found
    expected: int  # how many those were; 0 where the lab has no such fault
    fitting: int  # its findings that named the fault or something that follows from it
    findings: int
    false_alarms: int  # healthy runs in which it was found
    healthy_runs: int

    @property
    def sentence(self) -> str:
        """For beside a verdict, without a full stop."""
        healthy = f"{_number(self.false_alarms, 'false alarm')} in {_number(self.healthy_runs, 'healthy run')}"
        if not self.expected:
            return f"in our lab: no fault that it should name was tried, {healthy}"
        return f"in our lab: found {self.found} of {self.expected}, {healthy}"


def track_record(code: str) -> TrackRecord | None:
    """The record of the pattern with this code; None where the lab never met it, neither rightly nor wrongly."""
    return _records().get(code)


def sentence_of(code: str) -> str:
    """The record of a pattern as a sentence; empty where no figures were shipped at all."""
    record = track_record(code)
    if record is not None:
        return record.sentence
    return "in our lab: no fault that it should name was tried" if _shipped() else ""


def measured_on() -> str:
    """Which runs the records are from, as a sentence; empty where no figures were shipped."""
    told = _shipped()
    if not told:
        return ""
    sizes = " and ".join(told["sizes"])
    return (f"Measured on {told['faulty_runs']} faulty and {told['healthy_runs']} healthy trainings of our own ({sizes}) "
            "on scenes that no limit was tuned on.")


@cache
def _records() -> Mapping[str, TrackRecord]:
    return read_records(_shipped())


@cache
def _shipped() -> Mapping[str, Any]:
    file = files("resources") / "accuracy" / "patterns.json"
    told: Mapping[str, Any] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    return told


def read_records(shipped: Mapping[str, Any]) -> Mapping[str, TrackRecord]:
    """Records by code from what `benchmarks/accuracy` ships; a pattern that nothing is known of has none."""
    healthy = int(shipped.get("healthy_runs", 0))
    records = {code: _record(code, entry, healthy) for code, entry in shipped.get("patterns", {}).items()}
    return {code: record for code, record in records.items() if record.expected or record.findings}


def _record(code: str, entry: Mapping[str, Any], healthy_runs: int) -> TrackRecord:
    found, expected = entry["found"]
    fitting, findings = entry["fitting"]
    return TrackRecord(code, found, expected, fitting, findings, entry["false_alarms"], healthy_runs)


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
