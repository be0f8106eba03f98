"""One verdict on one run, for tests of single detectors."""

import diagnostics.detectors  # noqa: F401  (registers every detector)
from diagnostics.diagnose import whole_span
from diagnostics.evidence import Evidence
from diagnostics.registry import DETECTORS
from diagnostics.verdict import Finding, NotEvaluable, Verdict
from runs.run import Run


def verdict(name: str, run: Run, span: tuple[int, int] | None = None) -> Verdict:
    """What the detector says about the range (default: the whole run)."""
    detector = DETECTORS[name]
    facts = Evidence(run, span or whole_span(run)).gather(detector.needs, detector.optional)
    return facts if isinstance(facts, NotEvaluable) else detector.judge(**facts)


def found(name: str, run: Run, span: tuple[int, int] | None = None) -> Finding:
    """The finding, which must be there."""
    answer = verdict(name, run, span)
    assert isinstance(answer, Finding), answer
    return answer
