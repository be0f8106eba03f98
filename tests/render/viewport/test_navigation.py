"""Moving about must never shear, flip or lose the picture, however wild the data and however long the drag."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from render.viewport.explorer import start
from render.viewport.navigation import (
    POLE_DEG,
    dolly,
    first_view,
    fit_into,
    frame,
    orbit,
    pan,
    pivot_for,
    robust_sphere,
    rotation,
    scene_up,
    turn,
    zoom_to,
)
from runs.arrays import Array
from runs.cameras import Camera, look_at
from tests.support.runs import ring_cameras

UP = np.array([0.0, -1.0, 0.0])
angles = st.floats(-7, 7)
small = st.floats(-3, 3)
centres = st.tuples(small, small, small).map(np.array)


def camera_at(eye: Array, target: Array) -> Camera:
    return look_at(eye, np.add(target, [0, 0, 1e-3]), size_px=(640, 360))


def pixel(camera: Camera, point: Array) -> Array:
    x, y, z = camera.camera_from_world[:3, :3] @ point + camera.camera_from_world[:3, 3]
    return np.array([camera.fx * x / z + camera.cx, camera.fy * y / z + camera.cy])


@given(angles, angles, centres)
def test_orbit_keeps_distance_rigidity_and_stays_off_the_poles(yaw: float, pitch: float, pivot: Array) -> None:
    """An orbit is a rotation about the pivot; past a pole the picture would turn upside down."""
    before = camera_at(np.add(pivot, [0.5, -0.3, -2]), pivot)
    after = orbit(before, pivot, yaw, pitch, UP)
    axes = after.world_from_camera[:3, :3]
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(axes) > 0
    assert np.linalg.norm(after.centre - pivot) == pytest.approx(np.linalg.norm(before.centre - pivot), rel=1e-9)
    polar = np.degrees(np.arccos(after.forward @ UP))
    assert POLE_DEG - 1e-6 <= polar <= 180 - POLE_DEG + 1e-6
    assert -after.world_from_camera[:3, 1] @ UP > 0  # still the right way up


@given(angles, st.floats(-1, 1), st.sampled_from([-1, 1]))
def test_a_camera_that_looks_along_the_pole_may_leave_it(turned: float, pitch: float, sign: int) -> None:
    """Rounding makes the cosine of such a view a little more than one, and its angle must not become NaN."""
    axis = rotation(np.array([0.6, 0.0, 0.8]), turned) @ UP
    pose = np.eye(4)
    pose[:3, 2] = sign * axis * (1 + 1e-15)
    pose[:3, 0] = np.linalg.svd(axis[None])[2][1]
    pose[:3, 1] = np.cross(pose[:3, 2], pose[:3, 0])
    before = Camera("a", pose, 500, 500, 320, 180, (640, 360))
    after = turn(before, 0.0, pitch, axis)
    assert np.arccos(np.clip(after.forward @ axis * sign, -1, 1)) == pytest.approx(max(sign * pitch, 0), abs=1e-6)


@given(centres)
def test_orbit_leaves_the_pivot_where_it_was_in_the_picture(pivot: Array) -> None:
    """What the user turns about must stand still."""
    before = camera_at(np.add(pivot, [0.5, -0.3, -2]), np.add(pivot, [0.1, 0.1, 0.0]))
    after = orbit(before, pivot, 0.7, -0.2, UP)
    np.testing.assert_allclose(pixel(after, pivot), pixel(before, pivot), atol=1e-6)


def test_a_thousand_small_drags_do_not_shear_the_camera() -> None:
    """Rounding adds up: a sheared pose draws a sheared scene."""
    camera = camera_at(np.array([0.5, -0.3, -2]), np.zeros(3))
    for step in range(1000):
        camera = orbit(camera, np.zeros(3), 0.01, 0.01 * (-1) ** step, UP)
    axes = camera.world_from_camera[:3, :3]
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-13)


@given(st.floats(-200, 200), st.floats(-200, 200))
def test_pan_moves_the_pivot_with_the_mouse(right: float, down: float) -> None:
    """The thing that was grabbed stays under the pointer."""
    camera, pivot = camera_at(np.array([0, 0, -3.0]), np.zeros(3)), np.array([0.2, 0.1, 0.3])
    np.testing.assert_allclose(pixel(pan(camera, pivot, right, down), pivot) - pixel(camera, pivot), [right, down], atol=1e-6)


@given(st.floats(0.1, 10))
def test_dolly_scales_the_distance(factor: float) -> None:
    """The wheel comes nearer without passing through."""
    camera = camera_at(np.array([0, 0, -3.0]), np.zeros(3))
    after = dolly(camera, np.zeros(3), factor)
    assert np.linalg.norm(after.centre) == pytest.approx(3 * factor)
    np.testing.assert_allclose(pixel(after, np.zeros(3)), pixel(camera, np.zeros(3)), atol=1e-6)


@given(st.integers(0, 2**31), st.floats(1e2, 1e9), st.floats(0, 0.15))
def test_far_outliers_never_wreck_the_framing(seed: int, far: float, share: float) -> None:
    """One floater at a million units must not make the scene a dot; 15 % of them neither."""
    rng = np.random.default_rng(seed)
    scene = rng.normal(0, 1, (400, 3))
    strays = rng.normal(0, 1, (int(share * 400), 3)) * far
    sphere = robust_sphere(np.concatenate([scene, strays]))
    alone = robust_sphere(scene)
    assert np.linalg.norm(sphere.centre - alone.centre) < 0.5
    assert alone.radius * 0.9 < sphere.radius < 2.5 * alone.radius


def test_framing_without_points_says_so() -> None:
    """NaN rows only: a camera at NaN would freeze the window in black."""
    with pytest.raises(ValueError, match="no points"):
        robust_sphere(np.full((3, 3), np.nan))


@given(centres, st.floats(0.01, 100))
def test_a_framed_sphere_fits_into_the_picture(centre: Array, radius: float) -> None:
    """Frame and zoom-to promise that everything asked for is visible."""
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(200, 3))
    points = centre + radius * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    camera = frame(camera_at(np.array([5.0, 1, -9]), centre), robust_sphere(points, share=1.0))
    pixels = np.array([pixel(camera, point) for point in points])
    assert (pixels >= -1e-6).all()
    assert (pixels <= np.array(camera.size_px) + 1e-6).all()
    assert np.ptp(pixels[:, 1]) > 0.8 * camera.size_px[1]  # and is not lost in it


@given(centres, st.floats(0.1, 1))
def test_the_sphere_of_a_scene_moves_with_it(centre: Array, share: float) -> None:
    """Its middle is the points' median and its radius holds the wanted share of them, wherever the world's origin lies."""
    points = centre * 100 + np.random.default_rng(1).normal(0, 1, (500, 3))
    sphere = robust_sphere(points, share)
    apart = np.linalg.norm(points - sphere.centre, axis=1)
    np.testing.assert_allclose(sphere.centre, np.median(points, axis=0))
    assert (apart <= sphere.radius).mean() == pytest.approx(share, abs=0.005)


def test_zoom_to_looks_at_the_chosen_points_from_the_same_side() -> None:
    """The user must not lose the sense of direction."""
    camera = camera_at(np.array([0.0, 0.0, -9.0]), np.zeros(3))
    after = zoom_to(camera, np.array([[1.0, 2.0, 3.0], [1.2, 2.0, 3.0]]))
    np.testing.assert_allclose(after.forward, camera.forward, atol=1e-9)
    np.testing.assert_allclose(pixel(after, np.array([1.1, 2.0, 3.0])), [320, 180], atol=1e-6)


def test_up_comes_from_level_horizons_even_where_all_cameras_look_down() -> None:
    """A drone looks down at 60 degrees: its image-up leans, its horizon does not."""
    ring = [look_at(np.array([3 * np.cos(a), -5.0, 3 * np.sin(a)]), np.zeros(3)) for a in np.linspace(0, 6, 20)]
    np.testing.assert_allclose(scene_up(ring), UP, atol=1e-6)


@pytest.mark.parametrize("tilt", [0.3, 1.2, 2.5])
def test_up_turns_with_the_world(tilt: float) -> None:
    """Structure from motion leaves worlds at any angle; orbits must follow the photographers' horizon."""
    turned = rotation(np.array([0.0, 0.0, 1.0]), tilt)
    cameras = []
    for camera in ring_cameras(12):
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = turned @ camera.world_from_camera[:3, :3], turned @ camera.centre
        cameras.append(Camera(camera.name, pose, camera.fx, camera.fy, camera.cx, camera.cy, camera.size_px))
    np.testing.assert_allclose(scene_up(cameras), turned @ scene_up(ring_cameras(12)), atol=1e-6)


def test_up_without_cameras_is_that_of_colmap() -> None:
    """A bare PLY has no cameras and still has to be orbited."""
    np.testing.assert_allclose(scene_up(()), UP)


@given(st.integers(50, 2000), st.integers(50, 2000))
def test_fit_into_shows_the_whole_photo_unstretched(width: int, height: int) -> None:
    """Looking through a camera in a window of another shape must not cut or squeeze its photo."""
    photo = Camera("a", np.eye(4), 500, 510, 300, 250, (640, 480))
    fitted = fit_into(photo, (width, height))
    assert fitted.fx / photo.fx == pytest.approx(fitted.fy / photo.fy)
    corners = [np.array([(x - 300) / 500, (y - 250) / 510, 1.0]) for x in (0, 640) for y in (0, 480)]
    pixels = np.array([pixel(fitted, corner) for corner in corners])
    assert (pixels >= -1e-6).all()
    assert (pixels <= np.array([width, height]) + 1e-6).all()
    assert np.ptp(pixels[:, 0]) == pytest.approx(width) or np.ptp(pixels[:, 1]) == pytest.approx(height)


def test_turn_stays_in_place_and_first_view_is_a_training_photo() -> None:
    """A run opens where someone stood, which is never inside a wall."""
    cameras = ring_cameras(6)
    view = first_view(np.zeros((5, 3)), cameras, (400, 300))
    np.testing.assert_allclose(view.centre, cameras[0].centre)
    np.testing.assert_allclose(turn(view, 0.3, 0.1, UP).centre, view.centre)
    assert view.name == "free"


def test_pivot_is_as_deep_as_what_is_seen_in_the_middle() -> None:
    """A scene's middle may lie far behind the thing that fills the picture, and an orbit about it would fling the thing away."""
    camera = look_at(np.array([0.0, 0, -5]), np.zeros(3), size_px=(640, 360))
    near, far = np.random.default_rng(0).normal(0, 0.05, (2, 300, 3))
    edge_x, edge_y = 9 * 640 / (6 * camera.fx), 9 * 360 / (6 * camera.fy)  # of the middle third of the picture, 9 deep
    for beside, depth in (([1.2 * edge_x, 0, 4], 0), ([0, 1.2 * edge_y, 4], 0), ([0, 0, -9], 0),
                          ([0.8 * edge_x, 0, 4], 4), ([0, 0.8 * edge_y, 4], 4)):
        points = np.concatenate([near, np.add(far, beside), np.add(far, np.multiply(beside, [-1, -1, 1]))])
        np.testing.assert_allclose(pivot_for(camera, points, robust_sphere(points)), [0, 0, depth], atol=0.06)


def test_explorer_moves_pivot_and_camera_together() -> None:
    """After a pan or a flight an orbit must still turn about what is in front."""
    here = start(np.random.default_rng(0).normal(0, 1, (500, 3)).astype(np.float32), ring_cameras(6), (640, 360))
    for moved in (here.panned(30, 20), here.flown(np.array([0.1, 0.0, 0.2]))):
        np.testing.assert_allclose(moved.pivot - here.pivot, moved.camera.centre - here.camera.centre)
    nearer = here.dollied(2)
    assert np.linalg.norm(nearer.camera.centre - here.pivot) < np.linalg.norm(here.camera.centre - here.pivot)


def test_dragging_right_turns_the_scene_to_the_right() -> None:
    """The hand expects to hold the scene, also when it hangs upside down."""
    here = start(np.random.default_rng(0).normal(0, 1, (500, 3)).astype(np.float32), (), (640, 360))
    front = here.pivot - 0.2 * here.camera.forward * np.linalg.norm(here.camera.centre - here.pivot)
    right, down = pixel(here.orbited(20, 0).camera, front), pixel(here.orbited(0, 20).camera, front)
    assert right[0] > pixel(here.camera, front)[0]
    assert down[1] > pixel(here.camera, front)[1]
