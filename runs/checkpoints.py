"""Saved states of a training run: splat files by iteration, and resumable training states."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal
from weakref import WeakValueDictionary

from runs.arrays import F32
from runs.gaussians import Gaussians
from runs.motion import Motion

# What the rows of a file are. Only splats can be judged: anchors become splats by networks that are never run, and of
# points everything but the position is ours, so that they can be seen.
Rows = Literal["splats", "anchors", "points"]


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """One saved set of Gaussians. Only the header was read; columns are read on first use."""

    iteration: int  # iterations done, counted from the start of the run, whatever number its trainer gives the file
    path: Path
    count: int
    sh_degree: int
    size_bytes: int
    read: Callable[[], Gaussians] = field(repr=False)
    _shared: WeakValueDictionary[str, Gaussians] = field(default_factory=WeakValueDictionary, repr=False)
    shards: tuple[int, int] | None = None  # files found, files expected, where each process saved its part; else None
    holds: Rows = "splats"
    keeps_rows: bool = True  # False: the format reorders, drops or quantises rows, so they match no other file's row by row
    label: str | None = None  # what the trainer calls this save, where the iteration alone misleads: "coarse 3,000", "frame 12"
    motion: Motion | None = None  # of a moving scene: `gaussians` are canonical, this takes them to a moment
    antialiased: bool | None = None  # trained with a screen-space filter that keeps opacity; None: the file does not say

    @property
    def gaussians(self) -> Gaussians:
        """Shared by all who hold them and let go with the last, so that many large saves do not pile up in memory.

        Raises UnreadableFile if the file vanished or was damaged since the run was opened.
        """
        held = self._shared.get("gaussians")
        if held is None:
            held = self._shared["gaussians"] = self.read()
        return held


@dataclass(frozen=True, eq=False)
class AdamGroup:
    """Adam's memory of one parameter group; None where the group never stepped."""

    name: str  # xyz, f_dc, f_rest, opacity, scaling, rotation, …
    learning_rate: float
    step: int | None
    exp_avg: F32 | None  # float32, shape of the parameter
    exp_avg_sq: F32 | None
    eps: float | None = None


@dataclass(frozen=True, eq=False)
class TrainingState:
    """What a resume would start from: parameters, Adam moments and densification statistics."""

    iteration: int
    path: Path
    kind: str  # "inria 12-tuple", …
    active_sh_degree: int | None
    gaussians: Gaussians
    adam: Mapping[str, AdamGroup]
    statistics: Mapping[str, F32]  # xyz_gradient_accum, denom, max_radii2D, …: [N]
    spatial_lr_scale: float | None  # "cameras extent", world units
    missing: tuple[str, ...]  # what a complete state of this trainer would also hold
    dropped: tuple[str, ...] = ()  # what is stored and means nothing, with the reason; a resume loses nothing by it
    iterations_per_step: int = 1  # of trainers that count views and step once per batch of them


@dataclass(frozen=True, eq=False)
class StateFile:
    """A resumable file of which only the name was looked at."""

    iteration: int
    path: Path
    read: Callable[[], TrainingState] = field(repr=False)

    @cached_property
    def state(self) -> TrainingState:
        """Raises UnreadableFile or RefusedFile."""
        return self.read()
