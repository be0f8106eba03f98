"""A small memory of checkpoints that were shown, bounded in bytes, so that scrubbing back is instant."""

import os
from collections import OrderedDict

from app.session import Shown


def budget_bytes() -> int:
    """A quarter of this machine's memory, at most 4 GiB."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 4 << 30
    return min(total // 4, 4 << 30)


def size_bytes(shown: Shown) -> int:
    """Stored columns and activated splats together, as if every column had been read."""
    splats = shown.splats
    arrays = (splats.rows, splats.means, splats.scales, splats.quats, splats.opacities, splats.sh)
    return shown.checkpoint.size_bytes + sum(array.nbytes for array in arrays)


class ShownCache:
    """Least recently shown goes first; the newest entry always stays. GUI thread only."""

    def __init__(self, budget: int | None = None) -> None:
        self._budget = budget_bytes() if budget is None else budget
        # By identity of the checkpoint, which each entry keeps alive, and by moment.
        self._kept: OrderedDict[tuple[int, float | None], Shown] = OrderedDict()

    def get(self, checkpoint: object, time: float | None = None) -> Shown | None:
        """The checkpoint as it was shown at this moment of its scene."""
        shown = self._kept.get((id(checkpoint), time))
        if shown is not None:
            self._kept.move_to_end((id(checkpoint), time))
        return shown

    def add(self, shown: Shown) -> None:
        key = id(shown.checkpoint), shown.time
        self._kept[key] = shown
        self._kept.move_to_end(key)
        while len(self._kept) > 1 and sum(map(size_bytes, self._kept.values())) > self._budget:
            self._kept.popitem(last=False)

    def clear(self) -> None:
        self._kept.clear()

    def __len__(self) -> int:
        return len(self._kept)
