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


# INRIA and the trainers that kept its tags (MCMC, Mip-Splatting, Taming, Deformable-3DGS, LightGaussian, AbsGS …), read in
# each trainer's `training_report`.
INRIA_TAGS: tuple[TagRow, ...] = (
    row(r"train_loss_patches/l1_loss", "loss/l1"),
    row(r"train_loss_patches/total_loss", "loss/total"),
    row(r"(test|train)/loss_viewpoint_-_l1_loss", r"\1/l1"),
    row(r"(test|train)/loss_viewpoint_-_(psnr|ssim|lpips)", r"\1/\2"),
    row(r"total_points", "num_gaussians"),
    row(r"iter_time", "iter_time"),  # ms
)

# 2DGS logs its L1 loss as `reg_loss`, and a total that leaves out its own regularisers; dist and normal are smoothed.
TWO_D_TAGS: tuple[TagRow, ...] = (
    row(r"train_loss_patches/reg_loss", "loss/l1"),
    row(r"train_loss_patches/(dist|normal)_loss", r"loss/\1_ema"),
    *INRIA_TAGS,
)

# Scaffold-GS puts the data set's name before each tag and counts anchors, of ten Gaussians each; the scores of its last
# evaluation have no iteration of their own.
SCAFFOLD_TAGS: tuple[TagRow, ...] = (
    row(r"(?:.+/)?train_loss_patches/(l1|total)_loss", r"loss/\1"),
    row(r"(?:.+/)?(test|train)/loss_viewpoint_-_l1_loss", r"\1/l1"),
    row(r"(?:.+/)?(test|train)/loss_viewpoint_-_(psnr|ssim|lpips)", r"\1/\2"),
    row(r"(?:.+/)?total_points", "num_anchors"),
    row(r"(?:.+/)?iter_time", "iter_time"),  # ms
)

# 4DGaussians puts the stage before each tag, once without a slash after it. Both stages count their iterations from one,
# so the coarse one is left raw.
FOUR_D_TAGS: tuple[TagRow, ...] = (
    row(r"coarse/(.+)", RAW + r"coarse/\1"),
    row(r"fine/train_loss_patches/?total_loss", "loss/total"),
    row(r"fine/train_loss_patches/l1_loss", "loss/l1"),
    row(r"fine/(test|train)/loss_viewpoint_-_l1_loss", r"\1/l1"),
    row(r"fine/(test|train)/loss_viewpoint_-_(psnr|ssim|lpips)", r"\1/\2"),
    row(r"fine/total_points", "num_gaussians"),
    row(r"fine/iter_time", "iter_time"),  # ms
)

# Speedy-Splat renamed everything.
SPEEDY_TAGS: tuple[TagRow, ...] = (
    row(r"metrics_(test|train)/L1_Loss", r"\1/l1"),
    row(r"metrics_(test|train)/PSNR", r"\1/psnr"),
    row(r"metrics_(test|train)/SSIM", r"\1/ssim"),
    row(r"metrics_(test|train)/LPIPS", r"\1/lpips"),
    row(r"counts/total_points", "num_gaussians"),
    row(r"memory/peak_allocated_MB", "vram"),
    row(r"memory/peak_reserved_MB", "vram_reserved"),
    row(r"time/iter_time", "iter_time"),  # ms
)

# What a folder of INRIA's layout may hold, whichever fork wrote it: no tag of one means another thing in another.
FAMILY_TAGS: tuple[TagRow, ...] = (*TWO_D_TAGS, *FOUR_D_TAGS, *SPEEDY_TAGS, *SCAFFOLD_TAGS)

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

# nerfstudio (steps count from 0). The scores of a batch are those of one training view, "Eval Images Metrics" those of one
# test view, and only "all images" those of the test set. The rate of the means is not multiplied by the scene's extent, so
# it is not `lr/xyz`.
NERFSTUDIO_TAGS: tuple[TagRow, ...] = (
    row(r"Train_Loss", "loss/total"),
    row(r"Train_Loss_Dict/(.+)", r"loss/\1"),
    row(r"Train_Metrics_Dict/(psnr|ssim|lpips)", r"view/\1"),
    row(r"Train_Metrics_Dict/gaussian_count", "num_gaussians"),
    row(r"Train_Metrics_Dict/Gradients/(?:gauss_params\.)?(.+)", r"grad_norm/\1"),
    row(r"Eval_Images_Metrics/(psnr|ssim|lpips)", r"test_view/\1"),
    row(r"Eval_Images_Metrics_Dict__all_images_/(psnr|ssim|lpips)", r"test/\1"),
    row(r"GPU_Memory__MB_", "vram"),
    row(r"learning_rate/(.+)", r"lr/\1"),
    row(r"Train_Iter__time_", "iter_time", 1000.0),  # s, mean of the last iterations
)

# 3DGRUT (steps count from 1). Each term is logged as it enters the loss, already weighted, so it is no L1 and no SSIM.
GRUT_TAGS: tuple[TagRow, ...] = (
    row(r"loss/total/train", "loss/total"),
    row(r"loss/(.+)/train", r"loss/\1_weighted"),
    row(r"(psnr|ssim|lpips)/train", r"view/\1"),
    row(r"(psnr|ssim|lpips)/val", r"test/\1"),
    row(r"num_particles/train|train/num_GS", "num_gaussians"),
)

# gaussian-splatting-lightning (steps count from 0). `rgb_diff` is an L1 loss unless `rgb_diff_loss` was set to l2; a reader
# that knows of this puts a row before these.
LIGHTNING_TAGS: tuple[TagRow, ...] = (
    row(r"train/loss", "loss/total"),
    row(r"train/rgb_diff", "loss/l1"),
    row(r"train/(ssim|psnr|lpips)", r"view/\1"),
    row(r"val/(psnr|ssim|lpips)", r"test/\1"),
    row(r"val/rgb_diff", "test/l1"),
    row(r"train/gaussians_count", "num_gaussians"),
    row(r"lr/\d+_(?:xyz|means)", "lr/xyz"),
    row(r"lr/\d+_(.+)", r"lr/\1"),
)

# SplaTAM, under W&B: each group counts steps of its own. Mapping steps are optimisation steps, "Mapping" counts frames.
SPLATAM_TAGS: tuple[TagRow, ...] = (
    row(r"Per_Iteration_Mapping/Loss", "loss/total"),
    row(r"Per_Iteration_Mapping/(Image|Depth)_Loss", r"loss/\1"),
    row(r"Mapping/Number_of_Gaussians", "num_gaussians"),
)


def clean_tag(tag: str) -> str:
    """A tag as torch's older writer and tensorboardX store it: blanks and signs become underscores."""
    return re.sub(r"[^-/\w.]", "_", tag)


def canonical_name(tag: str, tags: Sequence[TagRow] = FAMILY_TAGS) -> tuple[str, float]:
    """The canonical name of a tag and the factor that brings its values to our unit; unknown tags go under `raw/`."""
    cleaned = clean_tag(tag)
    for known in tags:
        if match := known.pattern.fullmatch(cleaned):
            return match.expand(known.name), known.factor
    return RAW + cleaned, 1.0


def series_from_tags(scalars: Mapping[str, Scalars], source: str, tags: Sequence[TagRow] = FAMILY_TAGS) -> dict[str, Series]:
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
