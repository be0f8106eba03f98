"""Explorer: where the user stands, what an orbit turns about and which way is up; every move answers a new one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from render.viewport import navigation
from render.viewport.navigation import Sphere
from runs.arrays import F32, F64, Array
from runs.cameras import Camera

RADIANS_PER_PX = 0.006  # a drag across 500 px turns half way round
STEP_PER_NOTCH = 0.85  # of the distance to the pivot
FLIGHT_PER_S = 0.7  # scene radii
SAMPLED = 10_000  # points that settle the middle and size of a scene; more would hold up the window


@dataclass(frozen=True, eq=False)
class Explorer:
    """The free camera and what its moves are measured by."""

    camera: Camera
    sphere: Sphere  # the middle of the scene, robust against far outliers
    up: F64  # float64 [3], unit
    pivot: F64  # float64 [3]
    points: F32  # float32 [S, 3], a sample of the means

    def orbited(self, right_px: float, down_px: float) -> "Explorer":
        """The scene follows the mouse: dragging right turns it to the right."""
        yaw, pitch = -right_px * RADIANS_PER_PX, down_px * RADIANS_PER_PX
        return replace(self, camera=navigation.orbit(self.camera, self.pivot, yaw * _sense(self), pitch, self.up))

    def panned(self, right_px: float, down_px: float) -> "Explorer":
        """Camera and pivot move together, in pixels of `camera`."""
        moved = navigation.pan(self.camera, self.pivot, right_px, down_px)
        return replace(self, camera=moved, pivot=self.pivot + moved.centre - self.camera.centre)

    def dollied(self, notches: float) -> "Explorer":
        """Positive comes nearer."""
        return replace(self, camera=navigation.dolly(self.camera, self.pivot, STEP_PER_NOTCH**notches))

    def flown(self, right_down_forward_s: Array) -> "Explorer":
        """Seconds of flight along the camera's axes; the pivot comes along."""
        step = np.asarray(right_down_forward_s, np.float64) * FLIGHT_PER_S * self.sphere.radius
        moved = navigation.fly(self.camera, step)
        return replace(self, camera=moved, pivot=self.pivot + moved.centre - self.camera.centre)

    def framed(self) -> "Explorer":
        """The whole scene in the picture, from the side that is looked at."""
        return replace(self, camera=navigation.frame(self.camera, self.sphere), pivot=self.sphere.centre)

    def zoomed_to(self, points: Array, nearest: float = 0.0) -> "Explorer":
        """`points` [K, 3] fill the picture; the camera stays at least `nearest` world units away."""
        sphere = navigation.robust_sphere(points, share=0.95)
        roomy = Sphere(sphere.centre, max(1.5 * sphere.radius, nearest))
        return replace(self, camera=navigation.frame(self.camera, roomy), pivot=sphere.centre)

    def turning_about(self, point: Array) -> "Explorer":
        """Orbits turn about `point` [3] from now on; the view stays."""
        return replace(self, pivot=np.asarray(point, np.float64))

    def at(self, camera: Camera) -> "Explorer":
        """Standing where `camera` stands."""
        return replace(self, camera=navigation.free(camera), pivot=navigation.pivot_for(camera, self.points, self.sphere))


def start(points: F32, cameras: Sequence[Camera], size_px: tuple[int, int]) -> Explorer:
    """The first view of a run; `points` float32 [M, 3] may be empty."""
    sampled = points[:: max(len(points) // SAMPLED, 1)]
    sphere = navigation.robust_sphere(sampled) if len(sampled) else Sphere(np.zeros(3), 1.0)
    camera = navigation.first_view(sampled, cameras, size_px)
    return Explorer(camera, sphere, navigation.scene_up(cameras), navigation.pivot_for(camera, sampled, sphere), sampled)


def _sense(explorer: Explorer) -> float:
    """-1 where the camera hangs upside down, or the scene would turn against the mouse."""
    return 1.0 if -explorer.camera.world_from_camera[:3, 1] @ explorer.up >= 0 else -1.0
