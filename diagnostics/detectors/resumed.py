"""Faults of a resume that only its log shows."""

from diagnostics.facts import resumed  # noqa: F401  (replans)
from diagnostics.facts.resumed import Replan
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding


@detects("plan-changed-on-resume")
def plan_changed(replans: tuple[Replan, ...], *, change: float = 0.01) -> Finding | None:
    """The progress bar goes on counting, but towards another end than before: the resume had other settings."""
    found = [replan for replan in replans if abs(replan.new - replan.old) > change * replan.old]
    if not found:
        return None
    last = found[-1]
    return Finding(
        f"The training was planned for {last.old:,} iterations until iteration {last.before:,}, and for {last.new:,} iterations "
        f"from {last.at:,} on",
        evidence=(
            EvidenceRow("planned iterations before", last.old, None, "iterations", last.before, last.source),
            EvidenceRow("planned iterations after", last.new, None, "iterations", last.at, last.source),
            EvidenceRow("change of the plan", abs(last.new - last.old) / last.old, change, "share", last.at, last.source),
        ),
        iterations=(last.before, last.at), confidence=0.9,
        facts={"old": last.old, "new": last.new, "before": last.before, "at": last.at},
    )
