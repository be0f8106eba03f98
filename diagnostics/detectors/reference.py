"""Faults that only other runs reveal: scores below published or known ones, and runs of one recipe that disagree."""

from diagnostics.facts import logged, peers, taken  # noqa: F401  (the facts named below)
from diagnostics.facts.peers import SCENE, EndPoint
from diagnostics.reference.compare import Spread, noise_db, spread
from diagnostics.reference.peers import Peer, peer_of
from diagnostics.reference.scene import recognised, unlike_published
from diagnostics.registry import detects
from diagnostics.schedule import Schedule
from diagnostics.verdict import EvidenceRow, Finding, NotEvaluable
from runs.run import Run
from runs.series import Series

FEWEST_RUNS = 3  # whose spread is a measurement
NEITHER = "a published end point, or a run of the same scene with the same settings (--reference RUN)"


@detects("below-known-quality")
def below_known(
    run: Run, test_psnr: Series, end_point: EndPoint | None = None, alike_peers: tuple[Peer, ...] | None = None,
    *, below_published_db: float = 2.4,
) -> Finding | NotEvaluable | None:
    """Held-out PSNR lies below every published figure of this scene, or below every run that is alike, by more than noise."""
    if end_point is None and alike_peers is None:
        return NotEvaluable(_missing(run))
    if end_point is not None and (finding := _below_published(end_point, below_published_db)) is not None:
        return finding
    return None if alike_peers is None else _below_peers(run, test_psnr, alike_peers)


def _missing(run: Run) -> tuple[str, ...]:
    """What keeps it from being held against published figures, and what else would do."""
    scene = recognised(run)
    return ((SCENE,) if scene is None else unlike_published(run, scene)) + (NEITHER,)


def _below_published(found: EndPoint, limit: float) -> Finding | None:
    lowest = min(found.rows, key=lambda row: row.psnr)
    below = lowest.psnr - found.psnr
    if not below > limit:
        return None
    scene = f"{found.scene.dataset_title} {found.scene.name}"
    return Finding(
        f"Held-out PSNR is {found.psnr:.2f} dB at iteration {found.iteration:,}; published for {scene} with this trainer: "
        + ", ".join(f"{row.psnr:.2f} dB" for row in sorted(found.rows, key=lambda row: row.psnr)),
        evidence=(
            EvidenceRow("below the lowest published figure", below, limit, "dB", found.iteration, found.source),
            *(EvidenceRow(f"published PSNR ({row.title})", row.psnr, None, "dB", row.iteration) for row in found.rows),
        ),
        iterations=(found.iteration, found.iteration), confidence=0.7,
        facts={"below": f"{below:.1f}", "expected": f"{lowest.psnr:.2f}"},
    )


def _below_peers(run: Run, test_psnr: Series, alike: tuple[Peer, ...]) -> Finding | NotEvaluable | None:
    own = peer_of(run)
    found = spread((own, *alike))
    if found is None:
        return NotEvaluable(("an evaluation of test/psnr at an iteration at which all reference runs have one",))
    mine = test_psnr.at(found.iteration)
    others = [value for name, value in found.values if name != own.name]
    if mine is None or not others:
        return NotEvaluable(("reference runs by other names than this one's",))
    limit, below = noise_db(alike), min(others) - mine
    if not below > limit:
        return None
    measured = f", and lie {max(others) - min(others):.2f} dB apart" if len(others) > 1 else ""
    return Finding(
        f"Held-out PSNR is {mine:.2f} dB at iteration {found.iteration:,}; {len(others)} "
        f"{'runs' if len(others) > 1 else 'run'} of the same scene and settings had {min(others):.2f} dB or more{measured}",
        evidence=(
            EvidenceRow("below the lowest run that is alike", below, limit, "dB", found.iteration, test_psnr.source),
            *(EvidenceRow(f"held-out PSNR of {name}", value, None, "dB", found.iteration) for name, value in found.values),
        ),
        iterations=(found.iteration, found.iteration), confidence=0.7,
        facts={"below": f"{below:.1f}", "expected": f"{min(others):.2f}"},
    )


@detects("runs-disagree")
def runs_disagree(
    run: Run, alike_peers: tuple[Peer, ...], schedule: Schedule | None = None, *, apart_db: float = 1.0,
) -> Finding | NotEvaluable | None:
    """Three or more runs of one recipe on one scene end more than a decibel apart."""
    if len(alike_peers) + 1 < FEWEST_RUNS:
        return NotEvaluable((f"{FEWEST_RUNS - 1} runs beside this one of the same scene and settings (--reference RUN)",))
    kind = (peer_of(run), *alike_peers)
    found = spread(kind)
    if found is None:
        return NotEvaluable(("an evaluation of test/psnr at an iteration at which all of them have one",))
    if schedule is not None and schedule.is_muted(found.iteration):
        return NotEvaluable(("a common evaluation outside the dip after an opacity reset",))
    return _apart(found, spread(kind, "num_gaussians"), apart_db) if found.range > apart_db else None


def _apart(found: Spread, counts: Spread | None, limit: float) -> Finding:
    low, high = found.values[0], found.values[-1]
    told = "" if counts is None else f"; with {counts.values[0][1]:,.0f} to {counts.values[-1][1]:,.0f} Gaussians"
    return Finding(
        f"{len(found.values)} runs of the same scene and settings have between {low[1]:.2f} and {high[1]:.2f} dB at iteration "
        f"{found.iteration:,} (standard deviation {found.deviation:.2f} dB){told}: smaller differences say nothing here",
        evidence=(
            EvidenceRow("range of held-out PSNR", found.range, limit, "dB", found.iteration),
            EvidenceRow("standard deviation", found.deviation, None, "dB", found.iteration),
            *(EvidenceRow(f"held-out PSNR of {name}", value, None, "dB", found.iteration) for name, value in found.values),
        ),
        iterations=(found.iteration, found.iteration), confidence=0.9,
        facts={"runs": len(found.values), "noise": f"{2 * found.deviation:.1f}"},
    )
