"""A run beside others, for the command line: opening the runs to compare with, remembering one, and what differs, in words."""

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from diagnostics.facts.peers import peers_of
from diagnostics.reference.compare import Comparison, Difference, compared, noise_db, spread
from diagnostics.reference.peers import Peer, peer_of
from diagnostics.report import wording as report
from runs.open_run import open_run
from runs.run import Run

COLUMNS = 100
MOST_DIFFERENCES = 3  # settings that are named


def with_references(run: Run, places: Sequence[Path | str]) -> Run:
    """The run, to be held against those that lie there. Raises RunError."""
    return replace(run, references=tuple(open_run(place) for place in places)) if places else run


def comparison_text(run: Run) -> str:
    """One paragraph per run that was chosen or recorded, and the noise that single runs have; "" where there are none."""
    own, others = peer_of(run), peers_of(run)
    if not others:
        return ""
    comparisons = [compared(own, peer) for peer in others]
    alike = tuple(peer for peer, one in zip(others, comparisons, strict=True) if not one.unlike)
    told = (*(_told(one) for one in comparisons), *_noise(own, alike))
    return "\n".join(["Compared with", *(_wrapped(line) for line in told)])


def _told(comparison: Comparison) -> str:
    if comparison.unlike:
        unlike = report.listed(comparison.unlike, MOST_DIFFERENCES)
        return "; ".join(filter(None, (f"{comparison.peer}: not alike ({unlike}), so that scores say little",
                                       _differences(comparison.found))))
    return f"{comparison.peer}: {_differences(comparison.found) or 'no iteration at which both logged anything'}"


def _differences(found: Sequence[Difference]) -> str:
    return "; ".join(
        f"{one.name} {report.number(one.value, one.unit)} against {report.number(one.other, one.unit)} at iteration "
        f"{one.iteration:,}" for one in found)


def _noise(own: Peer, alike: tuple[Peer, ...]) -> list[str]:
    """How far runs of this kind lie apart without any cause: measured where there are three, else as public reports tell."""
    if not alike:
        return []
    measured = spread((own, *alike)) if len(alike) > 1 else None
    if measured is None:
        return [f"Single runs of one recipe may differ by {noise_db(alike):.1f} dB (public reports); two runs measure no noise"]
    low, high = measured.values[0][1], measured.values[-1][1]
    return [f"{len(measured.values)} runs of this kind: {measured.name} from {low:.2f} to {high:.2f} dB at iteration "
            f"{measured.iteration:,}, standard deviation {measured.deviation:.2f} dB"]


def _wrapped(line: str) -> str:
    return textwrap.fill(line, COLUMNS, initial_indent="  ", subsequent_indent="    ")
