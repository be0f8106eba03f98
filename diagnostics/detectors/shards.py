"""Saves of which a part is missing: each process of a distributed training wrote its own Gaussians."""

from diagnostics.facts import logged, saved  # noqa: F401  (checkpoints, count_series)
from diagnostics.facts.saved import file_of
from diagnostics.registry import detects
from diagnostics.verdict import EvidenceRow, Finding
from diagnostics.wording import percent
from runs.checkpoints import Checkpoint
from runs.series import Series


@detects("shards-missing")
def shards_missing(
    checkpoints: tuple[Checkpoint, ...], count_series: Series | None = None, *, missing: int = 1,
) -> Finding | None:
    """Fewer files than processes: what is shown and judged is a part of the scene."""
    short = [c for c in checkpoints if c.shards is not None and c.shards[1] - c.shards[0] >= missing]
    if not short:
        return None
    last = short[-1]
    found, expected = last.shards or (0, 0)
    logged_count = None if count_series is None else count_series.at(last.iteration)
    told = "" if logged_count is None or logged_count <= last.count else (
        f": {last.count:,} of {logged_count:,.0f} Gaussians ({percent(last.count / logged_count)})")
    return Finding(
        f"{len(short)} of {len(checkpoints)} saves lack files: iteration {last.iteration:,} has those of {found} of {expected} "
        f"processes{told}",
        evidence=(
            EvidenceRow("processes whose file is missing", expected - found, missing - 1, "", last.iteration, file_of(last)),
            EvidenceRow("processes that saved", found, expected, "", last.iteration, file_of(last)),
            EvidenceRow("Gaussians in the files", last.count, None, "Gaussians", last.iteration, file_of(last)),
            EvidenceRow("Gaussians as logged", logged_count, None, "Gaussians", last.iteration,
                        "" if count_series is None else count_series.source),
        ),
        iterations=(short[0].iteration, last.iteration), confidence=0.95,
        facts={"absent": expected - found, "processes": expected},
    )
