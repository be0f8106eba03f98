"""Links between saves that were computed: each once, for as long as both saves are held, within a bound of memory."""

from collections.abc import Callable
from weakref import ReferenceType, WeakKeyDictionary, ref

from runs.checkpoints import Checkpoint
from runs.lineage.link import Link, link_between
from runs.run import Run

MOST_ROWS = 40_000_000  # of all links together, 7 bytes each; beyond, the longest unused go

_kept: WeakKeyDictionary[Checkpoint, tuple[ReferenceType[Checkpoint], Link]] = WeakKeyDictionary()  # by the later save


def linked(run: Run, earlier: Checkpoint, later: Checkpoint, beat: Callable[[], None]) -> Link:
    """As `link_between`, which is asked once per pair. Checkpoints outlive a look for new saves, and so do their links."""
    held = _kept.pop(later, None)
    if held is None or held[0]() is not earlier:
        held = ref(earlier), link_between(run, earlier, later, beat)
    _kept[later] = held  # again, as the last used
    while len(_kept) > 1 and sum(len(link.kinds) for _, link in list(_kept.values())) > MOST_ROWS:
        del _kept[next(iter(_kept))]
    return held[1]
