"""SplatFile: what a look at one file of splats tells, whatever its format; no number of a Gaussian was read."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from runs.checkpoints import Rows
from runs.gaussians import Gaussians


@dataclass(frozen=True)
class Stamp:
    """Tells whether a file is still the one that was looked at."""

    size_bytes: int
    modified_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> "Stamp":
        return cls(status.st_size, status.st_mtime_ns)


@dataclass(frozen=True)
class SplatFile:
    """One file of splats. Two looks at the same unchanged file are equal."""

    path: Path
    format: str  # as the user knows it: "PLY", "compressed PLY", "splat", "spz", "ksplat", "SOG", "glTF"
    count: int
    sh_degree: int  # 0..4, stored
    stamp: Stamp
    read: Callable[[], Gaussians] = field(repr=False)  # equal to another one if that would read the same unchanged file
    comments: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # reservations, one sentence each
    iteration: int | None = None  # where the file itself says it
    holds: Rows = "splats"
    keeps_rows: bool = True  # False: rows were reordered, dropped or quantised
    antialiased: bool | None = None  # trained with a screen-space filter that keeps opacity; None: the file does not say
