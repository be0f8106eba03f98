"""A tag read as another quantity, or in another unit, is an invented number: each trainer's own list, tag by tag."""

from collections.abc import Sequence

import pytest

from runs.canonical import unit_of
from runs.tags import (
    FOUR_D_TAGS,
    GRUT_TAGS,
    LIGHTNING_TAGS,
    NERFSTUDIO_TAGS,
    SCAFFOLD_TAGS,
    SPEEDY_TAGS,
    SPLATAM_TAGS,
    TWO_D_TAGS,
    TagRow,
    canonical_name,
)

# Tags as the trainers' sources write them, the name that they stand for, and the factor to our unit.
NERFSTUDIO = [
    ("Train Loss", "loss/total", 1), ("Train Loss Dict/main_loss", "loss/main_loss", 1),
    ("Train Loss Dict/scale_reg", "loss/scale_reg", 1), ("Train Metrics Dict/psnr", "view/psnr", 1),
    ("Train Metrics Dict/gaussian_count", "num_gaussians", 1),
    ("Train Metrics Dict/cc_psnr", "raw/Train_Metrics_Dict/cc_psnr", 1),
    ("Train Metrics Dict/Gradients/Total", "grad_norm/Total", 1),
    ("Train Metrics Dict/Gradients/gauss_params.means", "grad_norm/means", 1),
    ("GPU Memory (MB)", "vram", 1), ("learning_rate/means", "lr/means", 1), ("Train Iter (time)", "iter_time", 1000),
    ("Train Total (time)", "raw/Train_Total__time_", 1), ("Eval Images Metrics/psnr", "test_view/psnr", 1),
    ("Eval Images Metrics Dict (all images)/psnr", "test/psnr", 1),
    ("Eval Images Metrics Dict (all images)/lpips", "test/lpips", 1),
    ("Eval Images Metrics Dict (all images)/psnr_std", "raw/Eval_Images_Metrics_Dict__all_images_/psnr_std", 1),
    ("Eval Metrics Dict/psnr", "raw/Eval_Metrics_Dict/psnr", 1),
]
GRUT = [
    ("loss/total/train", "loss/total", 1), ("loss/l1/train", "loss/l1_weighted", 1), ("loss/ssim/train", "loss/ssim_weighted", 1),
    ("psnr/train", "view/psnr", 1), ("psnr/val", "test/psnr", 1), ("lpips/val", "test/lpips", 1),
    ("train/num_GS", "num_gaussians", 1), ("num_particles/train", "num_gaussians", 1),
    ("num_particles/val", "raw/num_particles/val", 1), ("loss/total/val", "raw/loss/total/val", 1),
]
LIGHTNING = [
    ("train/loss", "loss/total", 1), ("train/rgb_diff", "loss/l1", 1), ("train/ssim", "view/ssim", 1),
    ("val/psnr", "test/psnr", 1),
    ("val/loss", "raw/val/loss", 1), ("train/gaussians_count", "num_gaussians", 1), ("lr/0_xyz", "lr/xyz", 1),
    ("lr/0_means", "lr/xyz", 1), ("lr/0_f_dc", "lr/f_dc", 1),
]
SCAFFOLD = [
    ("garden/train_loss_patches/l1_loss", "loss/l1", 1), ("garden/test/loss_viewpoint - psnr", "test/psnr", 1),
    ("tandt/truck/total_points", "num_anchors", 1), ("garden/iter_time", "iter_time", 1), ("garden/PSNR", "raw/garden/PSNR", 1),
]
FOUR_D = [
    ("fine/train_loss_patchestotal_loss", "loss/total", 1), ("fine/train_loss_patches/l1_loss", "loss/l1", 1),
    ("coarse/train_loss_patches/l1_loss", "raw/coarse/train_loss_patches/l1_loss", 1), ("fine/total_points", "num_gaussians", 1),
    ("fine/test/loss_viewpoint - psnr", "test/psnr", 1), ("fine/deformation_rate", "raw/fine/deformation_rate", 1),
]
SPEEDY = [
    ("metrics_test/PSNR", "test/psnr", 1), ("metrics_train/L1 Loss", "train/l1", 1),
    ("metrics_test/FPS", "raw/metrics_test/FPS", 1),
    ("counts/total_points", "num_gaussians", 1), ("memory/peak_allocated_MB", "vram", 1),
    ("memory/peak_reserved_MB", "vram_reserved", 1), ("time/iter_time", "iter_time", 1),
    ("time/train_time_minutes", "raw/time/train_time_minutes", 1),
]
TWO_D = [
    ("train_loss_patches/reg_loss", "loss/l1", 1), ("train_loss_patches/dist_loss", "loss/dist_ema", 1),
    ("train_loss_patches/total_loss", "loss/total", 1),
]
SPLATAM = [
    ("Per Iteration Mapping/Loss", "loss/total", 1), ("Per Iteration Tracking/Loss", "raw/Per_Iteration_Tracking/Loss", 1),
    ("Mapping/Number of Gaussians", "num_gaussians", 1),
]
TABLES: Sequence[tuple[str, Sequence[TagRow], list[tuple[str, str, float]]]] = (
    ("nerfstudio", NERFSTUDIO_TAGS, NERFSTUDIO), ("3dgrut", GRUT_TAGS, GRUT), ("lightning", LIGHTNING_TAGS, LIGHTNING),
    ("scaffold", SCAFFOLD_TAGS, SCAFFOLD), ("4dgs", FOUR_D_TAGS, FOUR_D), ("speedy", SPEEDY_TAGS, SPEEDY),
    ("2dgs", TWO_D_TAGS, TWO_D), ("splatam", SPLATAM_TAGS, SPLATAM),
)


@pytest.mark.parametrize(
    ("tags", "tag", "name", "factor"),
    [pytest.param(tags, *case, id=f"{trainer} {case[0]}") for trainer, tags, cases in TABLES for case in cases],
)
def test_each_trainers_tags_have_the_meaning_of_its_source(tags: Sequence[TagRow], tag: str, name: str, factor: float) -> None:
    """One view is no test set, a smoothed or weighted loss is no loss, seconds are no milliseconds."""
    assert canonical_name(tag, tags) == (name, factor)


@pytest.mark.parametrize(
    ("name", "unit"),
    [("test_view/psnr", "dB"), ("vram_reserved", "MB"), ("num_anchors", "count"), ("lr/means", ""), ("loss/l1_weighted", "")],
)
def test_units_of_the_names_that_only_some_trainers_log(name: str, unit: str) -> None:
    """A learning rate that is not multiplied by the extent has no world units."""
    assert unit_of(name) == unit
