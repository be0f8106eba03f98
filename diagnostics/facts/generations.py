"""Facts about what densification made of the Gaussians: states that lie few densifications apart, and who became whom."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from diagnostics.facts import cameras, logged, saved  # noqa: F401  (cameras_spread, schedule, checkpoints, state_files)
from diagnostics.measures.extent import CameraSpread
from diagnostics.measures.generations import Generation, generation
from diagnostics.registry import fact
from diagnostics.schedule import Schedule
from diagnostics.verdict import NotEvaluable
from runs.checkpoints import Checkpoint, StateFile
from runs.errors import RunError
from runs.gaussians import Gaussians
from runs.lineage.births import Births
from runs.lineage.recorded import lineage_of, recorded
from runs.lineage.trace import Lineage
from runs.run import Run
from runs.strategy import moves_the_dead
from runs.trainers.shared.filtered import as_trained

FEW = 5  # densifications: after more of them too many Gaussians are somebody's grandchildren
# Pairs of states that are looked at, those with the fewest densifications first: so many, and of so many Gaussians together,
# which takes some ten seconds; one pair in any case.
MOST, MOST_ROWS = 8, 3_000_000
# Share of survivors that must be found again: 0.80-1.00 measured in sound runs; 0.6-0.7 right after a reset, and where one of
# two processes' files was missing.
FOLLOWED = 0.75
LEFT = 0.02  # share of all that must have survived: what training tore apart or moved through the scene cannot be followed
NEAR = f"two saved states at most {FEW} densifications apart in the chosen range, whose rows can be followed"


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One saved state: a point cloud, written before the densification of its iteration, or a training state, after it."""

    iteration: int
    densified: bool
    source: str
    read: Callable[[], Gaussians]


Pair = tuple[Snapshot, Snapshot, int]  # earlier, later, densifications between them


@fact(missing="whether the trainer clones, splits and prunes (3DGS) or relocates (MCMC)")
def relocates(run: Run) -> bool:
    """The MCMC strategy: it moves dead Gaussians instead of pruning them, up to a cap (Kheradmand et al. 2024)."""
    return moves_the_dead(run)


@fact(missing=NEAR)
def generations(
    run: Run, checkpoints: tuple[Checkpoint, ...], schedule: Schedule, relocates: bool, beat: Callable[[], None],
    state_files: tuple[StateFile, ...] | None = None, cameras_spread: CameraSpread | None = None,
) -> tuple[Generation, ...] | NotEvaluable | None:
    """Intervals in which rows could be followed, by iteration; at least one. Some seconds for states of a million."""
    if relocates:
        return NotEvaluable(("clones and splits (this trainer relocates Gaussians instead)",))
    if any(checkpoint.shards is not None for checkpoint in checkpoints):
        return NotEvaluable(("saved states of one process (several each saved a part, so newborns do not come last)",))
    if not any(checkpoint.keeps_rows for checkpoint in checkpoints):
        return NotEvaluable((saved.IN_ORDER,))
    pairs = [(earlier, later, events) for earlier, later in pairwise(_snapshots(checkpoints, state_files or ()))
             if 1 <= (events := _between(earlier, later, schedule.densifications)) <= FEW]
    affordable = max(1, min(MOST, MOST_ROWS // max(checkpoint.count for checkpoint in checkpoints)))
    chosen = sorted(sorted(pairs, key=lambda pair: pair[2])[:affordable], key=lambda pair: pair[0].iteration)
    extent = cameras_spread.extent if cameras_spread is not None else None
    return tuple(_followed(run, chosen, schedule, extent, beat)) or None


def _followed(
    run: Run, pairs: list[Pair], schedule: Schedule, extent: float | None, beat: Callable[[], None],
) -> Iterator[Generation]:
    for earlier, later, events in pairs:
        beat()
        before, after = earlier.read(), later.read()
        found = generation(
            before, after, first=earlier.iteration, last=later.iteration, densifications=events,
            resets=_between(earlier, later, schedule.resets), settled=earlier.iteration == later.iteration,
            source=later.source, saved=not later.densified, extent=extent,
            known=_recorded(run, earlier, later, (before.count, after.count)))
        if found is not None and found.matched >= FOLLOWED and found.survivors >= LEFT and found.born:
            yield found  # where nobody was born, the densifications are those of a default that this run did not keep


def _recorded(run: Run, earlier: Snapshot, later: Snapshot, counts: tuple[int, int]) -> tuple[Lineage, Births] | None:
    """What a recorder in the training loop wrote of the time between; None where it did not, or of other rows."""
    try:
        found = recorded(run.path, *_span(earlier, later), counts[0])
    except RunError as error:
        run.book.add_error(error)
        return None
    return None if found is None or len(found.rows) != counts[1] else lineage_of(found, counts[0])


def _snapshots(checkpoints: tuple[Checkpoint, ...], states: tuple[StateFile, ...]) -> list[Snapshot]:
    """In the order in which the trainer wrote them: where both are of one iteration, the point cloud comes first."""
    clouds = [Snapshot(c.iteration, False, saved.file_of(c), lambda c=c: as_trained(c.gaussians))  # type: ignore[misc]
              for c in checkpoints if c.keeps_rows]
    known = {checkpoint.path for checkpoint in checkpoints}
    resumable = [Snapshot(s.iteration, True, s.path.name, lambda s=s: s.state.gaussians)  # type: ignore[misc]
                 for s in states if s.path not in known]
    return sorted((*clouds, *resumable), key=lambda snapshot: (snapshot.iteration, snapshot.densified))


def _between(earlier: Snapshot, later: Snapshot, events: tuple[int, ...]) -> int:
    """How many of the events happened after the earlier and before the later state was written."""
    first, last = _span(earlier, later)
    return sum(first <= event <= last for event in events)


def _span(earlier: Snapshot, later: Snapshot) -> tuple[int, int]:
    """First and last iteration whose densification lies between."""
    return earlier.iteration + earlier.densified, later.iteration - (not later.densified)
