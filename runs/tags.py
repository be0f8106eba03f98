"""Which TensorBoard tag of which trainer means which canonical series."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from re import Pattern

import numpy as np

from runs.arrays import I64
from runs.canonical import RAW, make_series
from runs.formats.tensorboard import Scalars
from runs.series import Series


@dataclass(frozen=True)
class TagRow:
    """One row of the table: a pattern over the whole cleaned tag, and the name that it stands for."""

    pattern: Pattern[str]
    name: str  # canonical; may refer to groups of the pattern
    factor: float = 1.0  # from the trainer's unit to ours


def row(pattern: str, name: str, factor: float = 1.0) -> TagRow:
    return TagRow(re.compile(pattern), name, factor)


# INRIA and the trainers that kept its tags (MCMC, Mip-Splatting, Taming, 2DGS, Scaffold-GS, 4DGaussians, Speedy-Splat …).
# Read in each trainer's `training_report`. Scaffold-GS puts a data set's name before each tag, 4DGaussians the stage;
# the coarse stage is left raw because both stages count their iterations from one.
INRIA_TAGS: tuple[TagRow, ...] = (
    row(r"coarse/(.+)", RAW + r"coarse/\1"),
    row(r"(?:[^/]+/)?train_loss_patches/l1_loss", "loss/l1"),
    row(r"(?:[^/]+/)?train_loss_patches/?total_loss", "loss/total"),
    row(r"train_loss_patches/reg_loss", "loss/l1"),  # 2DGS: the L1 loss under another tag
    row(r"train_loss_patches/(dist|normal)_loss", r"loss/\1"),
    row(r"(?:[^/]+/)?(test|train)/loss_viewpoint_-_l1_loss", r"\1/l1"),
    row(r"(?:[^/]+/)?(test|train)/loss_viewpoint_-_(psnr|ssim|lpips)", r"\1/\2"),
    row(r"(?:fine/|counts/)?total_points", "num_gaussians"),
    row(r"[^/]+/total_points", "num_anchors"),  # Scaffold-GS: anchors, ten Gaussians each
    row(r"(?:[^/]+/)?iter_time", "iter_time"),  # ms
    row(r"memory/peak_allocated_MB", "vram"),
    row(r"metrics_(test|train)/L1_Loss", r"\1/l1"),
    row(r"metrics_(test|train)/PSNR", r"\1/psnr"),
    row(r"metrics_(test|train)/SSIM", r"\1/ssim"),
    row(r"metrics_(test|train)/LPIPS", r"\1/lpips"),
)

# gsplat `examples/simple_trainer.py` and its 2DGS variant; the count of val/num_GS is another one (see gsplat_stats).
GSPLAT_TAGS: tuple[TagRow, ...] = (
    row(r"train/loss", "loss/total"),
    row(r"train/l1loss", "loss/l1"),
    row(r"train/ssimloss", "loss/ssim"),
    row(r"train/(depth|tv|normal|dist)loss", r"loss/\1"),
    row(r"train/num_GS", "num_gaussians"),
    row(r"train/mem", "vram", 1024.0),  # GiB
    row(r"val/(psnr|ssim|lpips)", r"test/\1"),
)


def clean_tag(tag: str) -> str:
    """A tag as torch's older writer and tensorboardX store it: blanks and signs become underscores."""
    return re.sub(r"[^-/\w.]", "_", tag)


def canonical_name(tag: str, tags: Sequence[TagRow] = INRIA_TAGS) -> tuple[str, float]:
    """The canonical name of a tag and the factor that brings its values to our unit; unknown tags go under `raw/`."""
    cleaned = clean_tag(tag)
    for known in tags:
        if match := known.pattern.fullmatch(cleaned):
            return match.expand(known.name), known.factor
    return RAW + cleaned, 1.0


def series_from_tags(scalars: Mapping[str, Scalars], source: str, tags: Sequence[TagRow] = INRIA_TAGS) -> dict[str, Series]:
    """One series per canonical name. Of several values at one step the last logged stays (a restart repeats steps)."""
    found: dict[str, Series] = {}
    for tag, logged in scalars.items():
        name, factor = canonical_name(tag, tags)
        found.setdefault(name, make_series(name, logged.steps, logged.values * factor, source))
    return found


def restarts(scalars: Mapping[str, Scalars]) -> tuple[int, ...]:
    """Iterations at which logging began again: steps of one tag go backwards in the order of time."""
    found = {int(step) for logged in scalars.values() for step in _going_back(logged.steps)}
    return tuple(sorted(found))


def _going_back(steps: I64) -> I64:
    return steps[1:][np.diff(steps) < 0]
