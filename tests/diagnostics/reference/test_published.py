"""Published figures: typed as published, each with its source, and found only by scene, trainer and iteration."""

import numpy as np
import pytest

from diagnostics.reference.published import end_points, known_scenes, published

SCENES = {(row.dataset, row.scene) for row in end_points()}


def of(dataset: str, scene: str, trainer: str, iteration: int) -> dict[str, float]:
    """Title -> PSNR."""
    known = next(one for one in known_scenes().values() if (one.dataset, one.name) == (dataset, scene))
    return {row.title: row.psnr for row in published(known, trainer, iteration)}


def test_means_over_scenes_are_those_of_the_papers_first_table() -> None:
    """A slip of the pen in one of 26 rows would move a mean: 27.21, 23.14 and 29.41 dB are printed separately."""
    paper = [row for row in end_points() if row.title.startswith("Kerbl")]
    for dataset, iteration, mean in (("mipnerf360", 7000, 25.60), ("mipnerf360", 30_000, 27.21), ("tandt", 7000, 21.20),
                                     ("tandt", 30_000, 23.14), ("deepblending", 7000, 27.78), ("deepblending", 30_000, 29.41),
                                     ("blender", 30_000, 33.32)):
        values = [row.psnr for row in paper if (row.dataset, row.iteration) == (dataset, iteration)]
        assert np.mean(values) == pytest.approx(mean, abs=0.007), (dataset, iteration)


def test_means_of_gsplats_tables() -> None:
    """PSNR, SSIM and LPIPS of seven scenes, against the averages that the same page prints."""
    printed = (("inria", 7000, 27.23, 0.829, 0.204), ("gsplat", 7000, 27.21, 0.831, 0.202),
               ("inria", 30_000, 28.95, 0.870, 0.138), ("gsplat", 30_000, 28.95, 0.870, 0.135))
    page = [row for row in end_points() if row.title.startswith("gsplat")]
    for trainer, iteration, psnr, ssim, lpips in printed:
        rows = [row for row in page if (row.trainer, row.iteration) == (trainer, iteration)]
        assert len(rows) == 7
        assert np.mean([row.psnr for row in rows]) == pytest.approx(psnr, abs=0.006)
        assert np.mean([row.scores["ssim"] for row in rows]) == pytest.approx(ssim, abs=0.001)
        assert np.mean([row.scores["lpips"] for row in rows]) == pytest.approx(lpips, abs=0.001)


def test_one_scene_has_the_figures_of_three_sources() -> None:
    """bicycle at 30,000 iterations: 25.246, 25.19 and 25.20 dB; each keeps its name."""
    assert sorted(of("mipnerf360", "bicycle", "inria", 30_000).values()) == [25.19, 25.20, 25.246]
    assert list(of("mipnerf360", "bicycle", "gsplat", 7000).values()) == [23.71]


def test_nothing_is_told_between_published_iterations() -> None:
    """No curve is published, so none is drawn."""
    assert {row.iteration for row in end_points()} == {7000, 30_000}
    assert of("mipnerf360", "bicycle", "inria", 15_000) == {}


def test_every_figure_belongs_to_a_scene_that_can_be_recognised_and_has_a_source() -> None:
    """A row that no run can reach, or that nobody can check, is of no use."""
    assert {(scene.dataset, scene.name) for scene in known_scenes().values()} >= SCENES
    assert all(row.title and row.url.startswith("https://") and row.split for row in end_points())
    assert all(5 < row.psnr < 45 for row in end_points())
