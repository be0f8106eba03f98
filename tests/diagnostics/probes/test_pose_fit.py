"""The place of a camera by its photo: it must be the one where the photo was taken, and what it cannot know it must say."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.optimiser.views import View
from diagnostics.probes.pose_common import lens_alone, own_moves
from diagnostics.probes.pose_fit import residual
from diagnostics.probes.pose_flow import LENS, NOTHING, POSE, SAME_LENS, added, flow, moved
from diagnostics.probes.pose_found import PoseLimits, moves_of
from diagnostics.probes.pose_views import Fitted, fitted
from render.raster.cpu import rasterise
from render.raster.picture import Picture
from runs.arrays import F64
from runs.cameras import Camera, look_at
from tests.support.splats import placed_splats, random_splats

SPLATS = random_splats(400, size=0.15, opaque=3.0, degree=0)
SIZE_PX = (72, 56)
LIMITS = PoseLimits(0.5, 0.3, 3.0)


def draw(camera: Camera) -> Picture:
    return rasterise(SPLATS, camera, threads=1)


def ring(count: int = 8) -> list[Camera]:
    turns = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return [look_at(6 * np.array([np.cos(t), -0.3, np.sin(t)]), np.zeros(3), size_px=SIZE_PX, name=f"{i}")
            for i, t in enumerate(turns)]


def taken(camera: Camera, pose: F64 = NOTHING, lens: F64 = SAME_LENS) -> View:
    """A photo taken from `pose` of the camera it is registered with, darker and tinted."""
    photo = np.clip(draw(moved(camera, pose, lens)).rgb * [0.8, 0.7, 0.9] + 0.03, 0, 1)
    return View(camera, photo.astype(np.float32))


def pose(turn_deg: tuple[float, float, float], shift: tuple[float, float, float]) -> F64:
    return np.concatenate([np.radians(turn_deg), shift])


def fits(views: list[View]) -> list[Fitted]:
    return [fitted(draw, view) for view in views]


def test_slopes_are_what_drawing_from_beside_shows() -> None:
    """The predicted change of the picture, against two pictures for each of the nine numbers."""
    camera = ring()[0]
    held = residual(draw(camera), np.zeros((*SIZE_PX[::-1], 3), np.float32), camera, 2.0)
    for column in range(POSE + LENS):
        step = np.zeros(POSE + LENS)
        step[column] = 0.3 / np.sqrt(held.motion[column, column])  # a third of a pixel
        pictures = [draw(moved(camera, sign * step[:POSE], sign * step[POSE:])) for sign in (1, -1)]
        shown = [residual(draw(camera), picture.rgb, camera, 2.0).left for picture in pictures]
        seen, told = (shown[0] - shown[1]) / 2, held.slopes[:, column] * step[column]
        assert np.corrcoef(seen, told)[0, 1] > 0.95, column
        assert np.linalg.norm(told) == pytest.approx(np.linalg.norm(seen), rel=0.15), column


def test_the_flow_of_a_pixel_is_the_derivative_of_its_projection() -> None:
    camera = replace(ring()[1], cx=30.0, cy=33.0)
    depth, row, column = 4.7, 12, 55
    ray = np.array([(column + 0.5 - camera.cx) / camera.fx, (row + 0.5 - camera.cy) / camera.fy, 1.0])
    point = camera.world_from_camera[:3, :3] @ (depth * ray) + camera.centre
    moves = flow(camera, np.full(SIZE_PX[::-1], 1 / depth))[:, row, column]
    for number in range(POSE + LENS):
        step = np.zeros(POSE + LENS)
        step[number] = 1e-6
        there = moved(camera, step[:POSE], step[POSE:])
        seen = there.camera_from_world[:3, :3] @ point + there.camera_from_world[:3, 3]
        px = np.array([there.fx * seen[0] / seen[2] + there.cx, there.fy * seen[1] / seen[2] + there.cy])
        assert (px - [column + 0.5, row + 0.5]) / 1e-6 == pytest.approx(moves[:, number], rel=1e-4, abs=1e-3)


def test_a_move_after_a_move_ends_where_both_lead() -> None:
    first, second = pose((3, -5, 8), (0.2, -0.1, 0.4)), pose((-2, 4, 1), (0.1, 0.3, -0.2))
    camera = ring()[2]
    both, one_by_one = moved(camera, added(first, second)), moved(moved(camera, first), second)
    assert both.world_from_camera == pytest.approx(one_by_one.world_from_camera)


@pytest.mark.parametrize(("turn_deg", "shift"), [((0.3, -0.2, 0.5), (0.02, -0.03, 0.05)), ((3, -4, 6), (0.2, 0.1, -0.3))])
def test_the_place_where_a_photo_was_taken_is_found(
    turn_deg: tuple[float, float, float], shift: tuple[float, float, float],
) -> None:
    """To a tenth of a degree and 2 % of the distance, however the photo was exposed."""
    true = pose(turn_deg, shift)
    found = fitted(draw, taken(ring()[0], true))
    assert np.degrees(np.abs(found.pose - true)[:3]).max() < 0.1
    assert np.abs(found.pose - true)[3:].max() < 0.02 * 6
    assert found.explained > 0.95
    assert found.psnr_after > found.psnr_before
    assert found.depth == pytest.approx(6, abs=1.5)


def test_a_photo_from_its_own_place_moves_nothing() -> None:
    found = fitted(draw, taken(ring()[3]))
    assert np.sqrt(found.pose @ found.motion[:POSE, :POSE] @ found.pose) < 0.05
    assert found.after < 1e-4 * found.varied


def test_a_photo_without_structure_says_that_it_does_not_know() -> None:
    """One wide blob tells no place: whatever is fitted there is uncertain, and no camera is accused by it."""
    blob = placed_splats(np.zeros((1, 3)), scales=6.0, opacities=np.array([0.9]), colours=np.array([[0.5, 0.5, 0.5]]))
    camera = ring()[0]
    noise = np.random.default_rng(0).normal(0, 0.02, (*SIZE_PX[::-1], 3))
    photo = (rasterise(blob, camera, threads=1).rgb + noise).astype(np.float32)
    found = fitted(lambda there: rasterise(blob, there, threads=1), View(camera, photo))
    assert found.uncertainty_px > 1
    told = moves_of([found], own_moves([found]), [1.0], LIMITS)
    assert (len(told.open), told.wrong) == (1, ())


def test_a_model_that_drifted_as_a_whole_accuses_no_camera_and_one_wrong_camera_is_told_from_the_rest() -> None:
    """Cameras that all moved with the world are right among each other."""
    drifted = [_in_drifted_world(camera) for camera in ring()]
    wrong = pose((0, 5, 0), (0.3, 0, 0))
    views = [View(camera, taken(there, wrong if camera.name == "2" else NOTHING).photo)
             for camera, there in zip(ring(), drifted, strict=True)]
    found = fits(views)
    assert np.median([one.explained for one in found]) > 0.9  # each fits better elsewhere …
    told = moves_of(found, own_moves(found), [2.0] * len(found), LIMITS)
    assert [one.name for one in told.wrong] == ["2"]  # … but only one in its own way
    assert told.wrong[0].turn_deg == pytest.approx(5, abs=1)
    assert told.wrong[0].full_px == pytest.approx(2 * told.wrong[0].motion_px)
    assert told.common_px > 0.5


def _in_drifted_world(camera: Camera) -> Camera:
    turn = np.eye(4)
    turn[:3, :3] = [[np.cos(0.02), -np.sin(0.02), 0], [np.sin(0.02), np.cos(0.02), 0], [0, 0, 1]]
    turn[:3, 3] = (0.05, -0.08, 0.06)
    return replace(camera, world_from_camera=turn @ camera.world_from_camera)


@pytest.mark.parametrize("lens", [(0.05, 0.0, 0.0), (0.0, 0.02, -0.01)])
def test_one_lens_for_all_is_told_from_poses(lens: tuple[float, float, float]) -> None:
    """Gaussians kept: cameras of another focal length or principal point, each of which a pose nearly makes good."""
    asked = lens_alone(fits([taken(camera, lens=np.array(lens)) for camera in ring()]))
    assert asked.lens == pytest.approx(np.array(lens), abs=0.004)
    assert asked.left_px < 0.5 * asked.before_px
