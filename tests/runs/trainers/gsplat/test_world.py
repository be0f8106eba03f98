"""gsplat moves a scene before it trains and does not store how: cameras in the wrong place would accuse every pose."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from runs.arrays import F64
from runs.cameras import Camera
from runs.gaussians import Gaussians
from runs.open_run import open_run
from runs.points import PointCloud
from runs.run import Run
from runs.trainers.gsplat.world import World, normalisations
from runs.trainers.shared.splits import held_out_every
from runs.writers.gsplat import GsplatWriter
from tests.support.colmap_writer import write_text
from tests.support.models import model_of
from tests.support.runs import ring_cameras, started_from

TURNS = ("none", "x", "y", "z")


def scene(seed: int = 0, *, count: int = 300, symmetric: bool = False) -> tuple[tuple[Camera, ...], PointCloud]:
    """Cameras and a lopsided cloud, both moved, turned and scaled in a world that has nothing to do with the axes."""
    rng = np.random.default_rng(seed)
    xyz = rng.gamma(2.0, size=(count, 3)) * [2.0, 0.4, 1.0]
    if symmetric:
        xyz = np.concatenate([xyz * signs for signs in ([1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1])])
    rgb = np.full((len(xyz), 3), 90, np.uint8) if symmetric else rng.integers(0, 256, (len(xyz), 3), np.uint8)
    matrix = np.eye(4)
    matrix[:3, :3] = 3.5 * Rotation.random(random_state=seed).as_matrix()
    matrix[:3, 3] = [5, -7, 11]
    world = World(matrix)
    cameras = tuple(world.camera(camera) for camera in ring_cameras(9, radius=5.0))
    return held_out_every(cameras, 8), world.points(PointCloud(xyz, rgb, "made"))


def trained(folder: Path, cameras: tuple[Camera, ...], points: PointCloud, gaussians: Gaussians, **settings: Any) -> Run:
    """A run in which `gaussians` were saved, with a data folder of the cameras and points as COLMAP left them."""
    writer = GsplatWriter(folder / "run", "/nowhere")
    writer.begin(cameras, points, {"normalize_world_space": True, **settings})
    writer.save(1, gaussians)
    writer.finish()
    write_text(model_of(cameras, points), folder / "data" / "sparse" / "0")
    return open_run(folder / "run", folder / "data")


def in_camera(camera: Camera, xyz: F64) -> F64:
    return xyz @ camera.camera_from_world[:3, :3].T + camera.camera_from_world[:3, 3]


def test_the_normalisation_is_what_gsplat_says_it_is() -> None:
    """The properties that its code establishes, step by step, whatever the scene's own frame was."""
    cameras, half = scene(1)
    points = replace(half, xyz=np.concatenate([half.xyz, 2 * half.xyz.mean(axis=0) - half.xyz]))  # one median in every frame
    back = np.linalg.inv(normalisations(cameras, points.xyz)["none"])
    moved = {name: World(matrix).points(points).xyz for name, matrix in normalisations(cameras, points.xyz).items()}
    for xyz in moved.values():
        covariance = np.cov(xyz, rowvar=False)
        np.testing.assert_allclose(np.median(xyz, axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-9)
        assert covariance[0, 0] > covariance[1, 1] > covariance[2, 2]
    scale = np.cbrt(np.linalg.det(back[:3, :3]))
    centres, forward = (np.stack([getattr(camera, part) for camera in cameras]) for part in ("centre", "forward"))
    up = -np.stack([camera.world_from_camera[:3, 1] for camera in cameras]).mean(axis=0)
    turn = Rotation.align_vectors([[0.0, -1.0, 0.0]], [up / np.linalg.norm(up)])[0].as_matrix()
    nearest = centres @ turn.T - ((centres @ turn.T) * (forward @ turn.T)).sum(axis=1, keepdims=True) * (forward @ turn.T)
    np.testing.assert_allclose(scale, np.median(np.linalg.norm(centres @ turn.T - np.median(nearest, axis=0), axis=1)), rtol=1e-6)
    np.testing.assert_allclose(moved["x"], moved["none"] * [1, -1, -1], atol=1e-9)


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_cameras_stand_where_they_trained(turn: str, seed: int, tmp_path: Path) -> None:
    """Whichever way version and library turned the axes: every camera sees the moved points where it saw them before."""
    cameras, points = scene(seed)
    moved = World(normalisations(cameras, points.xyz)[turn]).points(points)
    run = trained(tmp_path, cameras, points, started_from(moved))
    np.testing.assert_allclose(run.input_points.xyz, moved.xyz, atol=1e-9)
    np.testing.assert_allclose(run.sfm_points.xyz, points.xyz)
    for before, after in zip(cameras, run.cameras, strict=True):
        assert (before.name, before.split) == (after.name, after.split)
        seen, sees = in_camera(before, points.xyz), in_camera(after, run.input_points.xyz)
        np.testing.assert_allclose(sees[:, :2] / sees[:, 2:], seen[:, :2] / seen[:, 2:], atol=1e-9)
        np.testing.assert_allclose(after.world_from_camera[:3, :3] @ after.world_from_camera[:3, :3].T, np.eye(3), atol=1e-12)
    assert run.notes == ()


@pytest.mark.parametrize("moves", [True, False])
def test_without_settings_the_gaussians_tell_whether_it_was_moved(moves: bool, tmp_path: Path) -> None:
    """A checkpoint alone: either world is possible, and only one fits."""
    cameras, points = scene(3)
    world = World(normalisations(cameras, points.xyz)["y"]) if moves else World.of_model()
    trained(tmp_path, cameras, points, started_from(world.points(points)))
    (tmp_path / "run" / "cfg.yml").unlink()
    run = open_run(tmp_path / "run", tmp_path / "data")
    by_name = {camera.name: camera for camera in run.cameras}
    for camera in cameras:
        np.testing.assert_allclose(by_name[camera.name].world_from_camera, world.camera(camera).world_from_camera, atol=1e-9)


def test_what_fits_no_better_than_another_is_left_out(tmp_path: Path) -> None:
    """Of a cloud that looks the same upside down nothing tells the turn: no camera rather than a guessed one."""
    cameras, points = scene(0, symmetric=True)
    moved = World(normalisations(cameras, points.xyz)["none"]).points(points)
    run = trained(tmp_path, cameras, points, started_from(moved))
    assert (run.cameras, run.input_points) == ((), None)
    assert ["do not tell how" in note.says for note in run.notes] == [True]


def test_gaussians_of_another_scene_place_no_camera(tmp_path: Path) -> None:
    """The user may have named the wrong data folder."""
    cameras, points = scene(0)
    far = replace(points, xyz=points.xyz * 40 + 1000)
    run = trained(tmp_path, cameras, points, started_from(far))
    assert run.cameras == ()


def test_trained_gaussians_still_tell(tmp_path: Path) -> None:
    """After thousands of iterations there are more of them, moved and recoloured, a few of them far away."""
    cameras, points = scene(4)
    moved = World(normalisations(cameras, points.xyz)["x"]).points(points)
    rng = np.random.default_rng(0)
    rows = rng.integers(0, len(points), 2000)
    size = float(np.median(np.linalg.norm(moved.xyz, axis=1)))
    xyz = moved.xyz[rows] + rng.normal(size=(2000, 3)) * 0.05 * size
    xyz[:50] *= 30
    rgb = np.clip(moved.rgb[rows] + rng.normal(size=(2000, 3)) * 25, 0, 255).astype(np.uint8)
    some = started_from(PointCloud(xyz[:1200], rgb[:1200], "made"))
    run = trained(tmp_path, cameras, points, some)
    np.testing.assert_allclose(run.input_points.xyz, moved.xyz, atol=1e-9)
