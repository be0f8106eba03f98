"""How far estimated poses lie from true ones: a number that decides whether a map can be trusted."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from runs.arrays import F64
from runs.trainers.slam.poses import Lens, Trajectory

LENS = Lens(500.0, 510.0, 320.0, 240.0, (640, 480))


def walk(count: int, seed: int = 0) -> F64:
    """float64 [T, 4, 4]"""
    rng = np.random.default_rng(seed)
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :3, :3] = Rotation.random(count, random_state=seed).as_matrix()
    poses[:, :3, 3] = np.cumsum(rng.normal(size=(count, 3)), axis=0)
    return poses


def moved(poses: F64, scale: float) -> F64:
    """The same walk in another world."""
    turn, out = Rotation.from_euler("xyz", [0.4, -1.1, 2.0]).as_matrix(), poses.copy()
    out[:, :3, :3] = turn @ poses[:, :3, :3]
    out[:, :3, 3] = scale * poses[:, :3, 3] @ turn.T + [1.0, -2.0, 30.0]
    return out


@pytest.mark.parametrize("scale", [1.0, 0.2])
def test_another_world_is_no_error(scale: float) -> None:
    """Where a trajectory starts, and with one camera its size, is free."""
    true = walk(40)
    trajectory = Trajectory(tuple(range(40)), moved(true, scale), true)
    assert trajectory.position_error(any_scale=True) == pytest.approx(0, abs=1e-9)
    rigid = trajectory.position_error(any_scale=False)
    assert rigid == pytest.approx(0, abs=1e-9) if scale == 1 else rigid > 0.1


def test_the_error_is_that_of_an_independent_alignment() -> None:
    """scipy finds the same rotation; the residual is measured on what it leaves."""
    true, noise = walk(60, 3), np.random.default_rng(4).normal(0, 0.05, (60, 3))
    estimated = moved(true, 1.0)
    estimated[:, :3, 3] += noise
    centred = [poses[:, :3, 3] - poses[:, :3, 3].mean(axis=0) for poses in (true, estimated)]
    _, residual = Rotation.align_vectors(*centred)
    expected = residual / np.sqrt(60)
    assert Trajectory(tuple(range(60)), estimated, true).position_error(any_scale=False) == pytest.approx(expected, rel=1e-6)


def test_a_mirrored_walk_is_not_turned_inside_out() -> None:
    """The best orthogonal matrix would be a reflection, and hide that tracking failed."""
    true = walk(30, 5)
    mirrored = true.copy()
    mirrored[:, 0, 3] *= -1
    assert Trajectory(tuple(range(30)), mirrored, true).position_error(any_scale=True) > 0.1


def test_poses_that_are_no_poses_are_left_out() -> None:
    """Tracking that failed leaves NaN; it must not take the good ones with it."""
    true, estimated = walk(10), walk(10)
    estimated[4, 0, 3] = np.nan
    estimated[5, :3, :3] = 0
    trajectory = Trajectory(tuple(range(100, 110)), estimated, true)
    cameras = trajectory.cameras(LENS)
    assert [camera.name for camera in cameras] == [f"frame {n}" for n in range(100, 110) if n not in (104, 105)]
    assert trajectory.position_error(any_scale=False) == pytest.approx(0, abs=1e-9)
    assert (cameras[0].fx, cameras[0].cy, cameras[0].size_px, cameras[0].split) == (500, 240, (640, 480), "train")


@pytest.mark.parametrize("count", [0, 1, 2])
def test_too_few_poses_have_no_error(count: int) -> None:
    """Two points fit onto any two."""
    assert Trajectory(tuple(range(count)), walk(count), walk(count, 1)).position_error(any_scale=False) is None


def test_without_true_poses_nothing_is_said() -> None:
    """No number is made up."""
    assert Trajectory((0, 1, 2), walk(3)).error_note(any_scale=False) is None


def test_poses_at_one_place_have_an_error() -> None:
    """A tripod: nothing to align, and no division by zero."""
    still = np.tile(np.eye(4), (5, 1, 1))
    assert Trajectory(tuple(range(5)), still, still).position_error(any_scale=True) == 0
