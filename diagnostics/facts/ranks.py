"""Facts about the processes of a distributed training: how many there were, and whether they share the scene or each hold it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.spatial import cKDTree

from diagnostics.facts import logged, rates, saved, taken  # noqa: F401  (the facts named below)
from diagnostics.facts.saved import file_of
from diagnostics.registry import fact
from diagnostics.verdict import NotEvaluable
from runs.arrays import F32
from runs.checkpoints import Checkpoint, TrainingState
from runs.errors import RunError
from runs.formats.torch_file import describe_torch_file
from runs.run import Run
from runs.settings import Settings
from runs.trainers.shared.shards import ReadMerged

SAVED_BY_RANKS = "saves of several processes (gsplat's ckpt_*_rankR.pt, Grendel's point_cloud_rkR_wsW.ply), all of them here"
ENOUGH = 5_000  # rows of each part that are looked up in another
FEWEST = 50  # Gaussians of a part: neighbours of fewer tell nothing
RANK_COUNT = re.compile(r"raw/(?:train/)?num_g\w*_of_rank_(\d{1,4})", re.IGNORECASE)
WRAPPER = "module."
TORCH_ENDINGS = frozenset({".pt", ".pth", ".ckpt"})
DEEPEST = 6  # levels of dicts in which names are looked for


@dataclass(frozen=True)
class Parts:
    """What each process saved, and how near its Gaussians are to those of another process."""

    iteration: int
    counts: tuple[int, ...]  # by rank
    nearness: float  # median over pairs: distance to the nearest Gaussian of the other part / to the nearest of the own
    source: str


@fact(missing=SAVED_BY_RANKS)
def rank_parts(checkpoints: tuple[Checkpoint, ...]) -> Parts | None:
    """Of the last save in the range that several processes wrote. Where the scene is shared out, `nearness` is about 1.

    Two processes that each train the whole scene begin with the same points, so every Gaussian has its double in the other.
    """
    shared = [c for c in checkpoints if isinstance(c.read, ReadMerged) and c.shards is not None and c.shards[0] >= 2]
    if not shared:
        return None
    last = shared[-1]
    assert isinstance(last.read, ReadMerged)
    means = [part().means for part in last.read.parts]
    nearness = [ratio for first, second in pairwise(means) if (ratio := _nearness(first, second)) is not None]
    if not nearness:
        return None
    return Parts(last.iteration, tuple(len(one) for one in means), float(np.median(nearness)), file_of(last))


def _nearness(own: F32, other: F32) -> float | None:
    own, other = (means[np.isfinite(means).all(axis=1)] for means in (own, other))
    if min(len(own), len(other)) < FEWEST:
        return None
    asked = own[:: max(1, len(own) // ENOUGH)]
    across = np.asarray(cKDTree(other).query(asked)[0])
    within = np.asarray(cKDTree(own).query(asked, k=2)[0])[:, 1]
    typical = float(np.median(within))
    return float(np.median(across)) / typical if typical > 0 else None


@fact(missing="how many processes trained (names of files or of series)")
def processes(run: Run) -> int | None:
    """By the shards of saves, else by the series of ranks; None where nothing tells of several."""
    by_files = max((c.shards[1] for c in run.checkpoints if c.shards is not None), default=0)
    by_series = max((int(match[1]) + 1 for name in run.series if (match := RANK_COUNT.fullmatch(name))), default=0)
    count = max(by_files, by_series)
    return count if count > 1 else None


@dataclass(frozen=True)
class Batch:
    """Views per optimiser step, and by what the learning rates were scaled for it."""

    views: int
    mode: str | None  # Grendel's lr_scale_mode, "sqrt" for gsplat's trainer, which knows no other; None: not stored
    linear_decay: bool  # Adam's decays are 1 - views · (1 - decay), which reaches zero at ten views
    scale: float | None  # rate used / rate set, of the opacities; None without a training state
    source: str


@fact(missing="the batch of views per step (settings bsz or batch_size, and the number of processes)")
def batch(
    run: Run, settings: Settings, processes: int | None = None, training_state: TrainingState | None = None,
) -> Batch | NotEvaluable | None:
    """Of the trainers whose rule was read: Grendel's and gsplat's."""
    if run.trainer.name == "grendel":
        stored, mode = settings.get("bsz"), settings.get("lr_scale_mode")
        if stored is None or not _is_whole(stored.value):
            return None
        scale = _scale(settings, training_state)
        return Batch(stored.value, None if mode is None else str(mode.value), False, scale, stored.source)
    if run.trainer.name == "gsplat":
        stored = settings.get("batch_size")
        if stored is None or not _is_whole(stored.value):
            return None
        return Batch(stored.value * (processes or 1), "sqrt", True, None, stored.source)
    return NotEvaluable((f"how the trainer ({run.trainer.name}) scales its rates with the batch",))


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _scale(settings: Settings, state: TrainingState | None) -> float | None:
    """Of the opacities: their rate does not fall, and is no multiple of the extent."""
    told = rates.set_for("opacity", settings)
    group = None if state is None else state.adam.get("opacity")
    return group.learning_rate / float(told.value) if told is not None and group is not None and told.value else None


@dataclass(frozen=True)
class Wrapped:
    """Names of tensors in one checkpoint file that stand behind a wrapper's prefix."""

    names: tuple[str, ...]
    tensors: int  # in the file
    iteration: int
    source: str


@fact(missing="a checkpoint of torch (ckpt_N.pt, chkpntN.pth, step-N.ckpt)")
def wrapped(run: Run, span: tuple[int, int]) -> Wrapped | None:
    """Of the last torch file of the range. Its description is read, none of its numbers."""
    found = [(c.iteration, c.path) for c in run.checkpoints if c.path.suffix in TORCH_ENDINGS]
    found += [(state.iteration, state.path) for state in run.state_files if state.path.suffix in TORCH_ENDINGS]
    within = sorted(one for one in found if span[0] <= one[0] <= span[1])
    if not within:
        return None
    iteration, path = within[-1]
    try:
        names = tuple(_names(describe_torch_file(path), DEEPEST))
    except RunError as error:
        run.book.add_error(error)
        return None
    return Wrapped(tuple(name for name in names if name.startswith(WRAPPER)), len(names), iteration, path.name)


def _names(stored: object, levels: int) -> Iterator[str]:
    """Names of tensors in dicts, whatever they lie in."""
    if levels == 0:
        return
    values: Mapping[object, object] = stored if isinstance(stored, dict) else dict(enumerate(stored)) if isinstance(
        stored, (list, tuple)) else {}
    for name, value in values.items():
        if hasattr(value, "shape") and isinstance(name, str):
            yield name
        else:
            yield from _names(value, levels - 1)
