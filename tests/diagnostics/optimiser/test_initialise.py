"""The start decides much of a training; a wrong scale or colour formula is a fault of the catalogue, not of ours."""

import numpy as np
import pytest

from diagnostics.optimiser.initialise import from_points, neighbour_distances
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.views import TrainingData
from runs.points import PointCloud
from tests.diagnostics.optimiser.made_up import tiny_scene


def data_with(points: PointCloud) -> TrainingData:
    return TrainingData(tiny_scene().train, (), points)


def test_neighbour_distance_is_the_root_mean_square_of_the_three_nearest() -> None:
    xyz = np.random.default_rng(0).random((40, 3))
    apart = np.sort(np.linalg.norm(xyz[:, None] - xyz[None], axis=2), axis=1)[:, 1:4]
    np.testing.assert_allclose(neighbour_distances(xyz), np.sqrt((apart**2).mean(axis=1)))


def test_points_on_one_spot_and_a_single_point_get_finite_scales() -> None:
    assert neighbour_distances(np.zeros((5, 3))) == pytest.approx(np.full(5, np.sqrt(1e-7)))
    assert np.isfinite(np.log(neighbour_distances(np.zeros((1, 3))))).all()


def test_gaussians_show_the_points_colours_and_are_round() -> None:
    rng = np.random.default_rng(1)
    cloud = PointCloud(rng.random((20, 3)), rng.integers(0, 256, (20, 3), dtype=np.uint8), "made up")
    settings = OptimiserSettings(sh_degree=2, init_opacity=0.3, init_scale=2.0)
    start = from_points(data_with(cloud), settings, rng)
    gaussians = start.gaussians()
    np.testing.assert_allclose(0.5 + 0.28209479 * gaussians.sh0, cloud.rgb / 255, atol=1e-6)
    np.testing.assert_allclose(gaussians.opacities, 0.3, atol=1e-6)
    np.testing.assert_allclose(gaussians.scales, np.repeat(2 * neighbour_distances(cloud.xyz)[:, None], 3, 1), rtol=1e-5)
    assert start.sh_degree == 2
    assert not start.sh_rest.any()
    assert (start.quats_wxyz == [1, 0, 0, 0]).all()


def test_an_empty_cloud_is_refused() -> None:
    with pytest.raises(ValueError, match="the point cloud nowhere is empty"):
        from_points(data_with(PointCloud(np.zeros((0, 3)), None, "nowhere")), OptimiserSettings(), np.random.default_rng(0))
