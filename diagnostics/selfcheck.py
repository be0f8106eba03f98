"""The self-check: a finding that cannot say what was measured, where, against what and what to do is not shown."""

import math
from collections.abc import Iterator
from typing import Any

from diagnostics.diagnosis import Reported
from diagnostics.registry import Detector
from runs.run import Run

# The place of these is a file or a photo, which an evidence row names; the others happen somewhere in the run.
PLACED_BY_FILE = ("file", "data", "environment", "measurement")


def shortcomings(reported: Reported, detector: Detector | None, run: Run) -> tuple[str, ...]:
    """What keeps this finding from being shown; empty when it may be. The rules are the seed's SC-1 to SC-3."""
    return (*_symptom(reported), *_context(reported, detector, run), *_remedy(reported))


def _symptom(reported: Reported) -> Iterator[str]:
    """SC-1: the symptom is specific: numbers, and where they were measured."""
    finding = reported.finding
    if not finding.says.strip():
        yield "the finding says nothing"
    if not any(_is_number(row.value) for row in finding.evidence):
        yield "the finding gives no measured number"
    if not _has_place(reported):
        yield "the finding names no place (iterations, Gaussians, cameras or a file)"
    if not 0 <= finding.confidence <= 1:
        yield f"the finding's confidence is {finding.confidence}, outside 0..1"


def _context(reported: Reported, detector: Detector | None, run: Run) -> Iterator[str]:
    """SC-2: the trainer is named, or said to be unknown; every limit carries its reason."""
    if not run.trainer.name:
        yield "the trainer is neither named nor said to be unknown"
    for limit in () if detector is None else detector.limits:  # a probe's own limits carry theirs on its page
        if not reported.pattern.limits.get(limit, "").strip():
            yield f"the limit '{limit}' carries no reason"
    if not reported.pattern.sources:
        yield "the pattern names no source"


def _remedy(reported: Reported) -> Iterator[str]:
    """SC-3: a cause, and at least one fix with what should be seen afterwards."""
    if not reported.cause.strip():
        yield "the finding names no cause"
    if not any(fix.do.strip() and fix.expect.strip() for fix in reported.fixes):
        yield "no fix with an expected outcome fits this run"


def _has_place(reported: Reported) -> bool:
    finding = reported.finding
    guilty = finding.gaussians is not None and finding.gaussians.count > 0
    in_a_file = reported.pattern.kind in PLACED_BY_FILE and any(row.source for row in finding.evidence)
    return finding.iterations is not None or bool(finding.cameras) or guilty or in_a_file


def _is_number(value: Any) -> bool:
    """Infinite and NaN are measurements too, but no finding may rest on them alone."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
