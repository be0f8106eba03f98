"""Ancestry: one Gaussian through the saves of its run, back to the first that holds it or an ancestor and on to the last."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from runs.arrays import F32
from runs.checkpoints import Checkpoint
from runs.errors import RunError
from runs.gaussians import Gaussians
from runs.lineage.link import Link
from runs.lineage.links import MOST_ROWS, linked
from runs.lineage.moments import Moment, Remark, Told, after, before
from runs.run import Run

History = tuple[Moment | Remark, ...]  # by iteration, the inspected moment among them


def ignore(*_: object) -> None:
    """For whoever shows no progress."""


def history_of(
    run: Run, iteration: int, row: int, beat: Callable[[], None], looked: Callable[[int, int], None] = ignore,
) -> History:
    """Of the Gaussian in `row` of the save at `iteration`. Some seconds for each million rows of saves not linked before.

    `looked` is told how many of the other saves, of how many, were looked at. A save that cannot be read is a remark, unless it
    is the inspected one. Raises RunError for that one, and what `beat` raises.
    """
    saves = [c for c in run.checkpoints if c.holds == "splats" and c.count > 0]
    place = next(i for i, c in enumerate(saves) if c.iteration == iteration)
    inspected = saves[place].gaussians
    done = count(1)
    walk = Walk(run, beat, lambda: looked(next(done), len(saves) - 1), inspected.means[row].copy())
    here = walk.measured(inspected, Moment(iteration, row))
    past = list(walk.along(saves[place::-1], here, before, MOST_ROWS // 2))
    future = list(walk.along(saves[place:], here, after, MOST_ROWS // 2))
    alone = [Remark("This is the only save with Gaussians")] if len(saves) == 1 else []
    return (*reversed(past), here, *future, *alone)


@dataclass(frozen=True, eq=False)
class Walk:
    """From save to save of one run, from one Gaussian."""

    run: Run
    beat: Callable[[], None]
    looked: Callable[[], None]  # at one save more
    start: F32  # float32 [3], mean of the inspected Gaussian

    def along(
        self, saves: Sequence[Checkpoint], here: Moment, step: Callable[[Link, Moment, Checkpoint], Told], most_rows: int,
    ) -> Iterator[Moment | Remark]:
        """What `step` tells from each of `saves` to the next, the inspected one first, as long as they hold so few rows."""
        current, held, rows = here, saves[0], 0
        for save in saves[1:]:
            self.beat()
            rows += save.count
            if rows > most_rows:
                yield Remark(f"Not followed beyond {current.iteration:,}: the saves hold too many Gaussians")
                return
            try:
                told, onwards = self._step(held, save, current, step)
            except RunError as error:
                yield Remark(f"Iteration {save.iteration:,} is left out: {error.says}")
                continue
            finally:
                self.looked()
            yield from told
            if onwards is None:
                return
            current, held = onwards, save

    def _step(
        self, held: Checkpoint, save: Checkpoint, current: Moment, step: Callable[[Link, Moment, Checkpoint], Told],
    ) -> Told:
        gaussians = save.gaussians  # held meanwhile, so that they are read once
        pair = (held, save) if held.iteration < save.iteration else (save, held)
        told, onwards = step(linked(self.run, *pair, self.beat), current, save)
        return tuple(self.measured(gaussians, one) if isinstance(one, Moment) else one for one in told), onwards

    def measured(self, gaussians: Gaussians, moment: Moment) -> Moment:
        """With what the Gaussian is there."""
        one = Gaussians(1, gaussians.sh_degree, lambda name: gaussians.load(name)[[moment.row]])  # reads three columns alone
        moved = float(np.linalg.norm(one.means[0].astype(np.float64) - self.start))
        return replace(moment, opacity=float(one.opacities[0]), max_scale=float(one.scales[0].max()), moved=moved)
