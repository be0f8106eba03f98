"""The surfaces of an analytic scene, and the questions that a test may ask them."""

from dataclasses import dataclass

import numpy as np

from runs.arrays import F32, F64, I64, Array
from runs.cameras import Camera
from tests.lab.scenes.layouts import Capture
from tests.lab.scenes.solids import Solid, pack
from tests.lab.scenes.tracing import trace_hits, trace_normals, trace_picture


@dataclass(frozen=True)
class Plan:
    """Everything that a scene is made of, before a photo is taken."""

    solids: tuple[Solid, ...]
    lights: tuple[tuple[float, float, float, float, float], ...]  # x, y, z, strength, casts shadows
    capture: Capture
    ambient: float = 0.35
    points: int = 1500  # as many as structure from motion finds in such a scene
    matted: bool = False  # photos are RGBA cut-outs


@dataclass(frozen=True, eq=False)
class World:
    """The packed solids and lights."""

    solids: Array  # SOLID [S]
    lights: F64  # float64 [L, 5]: x, y, z, strength, casts shadows
    ambient: float

    @classmethod
    def of(cls, plan: Plan) -> "World":
        return cls(pack(plan.solids), np.array(plan.lights, np.float64).reshape(-1, 5), plan.ambient)

    def picture(self, camera: Camera, samples: int = 3) -> F32:
        """float32 [H, W, 4]: colour on black and coverage, 0..1, with samples x samples rays per pixel."""
        lens = np.array([camera.fx, camera.fy, camera.cx, camera.cy], np.float64)
        pose = np.ascontiguousarray(camera.world_from_camera, np.float64)
        return trace_picture(self.solids, self.lights, self.ambient, pose, lens, camera.size_px, samples)

    def moved(self, turn: F64, scale: float, shift: F64) -> "World":
        """The same surfaces after x -> scale * turn @ x + shift; their textures move along."""
        solids, lights = self.solids.copy(), self.lights.copy()
        solids["linear"] = self.solids["linear"] @ turn.T / scale
        solids["centre"] = scale * self.solids["centre"] @ turn.T + shift
        solids["offset"] = -np.einsum("sij,sj->si", solids["linear"], solids["centre"])
        solids["reach2"] *= scale**2
        lights[:, :3] = scale * self.lights[:, :3] @ turn.T + shift
        return World(solids, lights, self.ambient)

    def hits(self, origins: F64, directions: F64) -> tuple[F64, I64]:
        """float64 [N] distance to the first surface (1e30 for none) and int64 [N] its solid (-1 for none)."""
        lengths = np.linalg.norm(directions, axis=1, keepdims=True)
        distances, rows = trace_hits(self.solids, np.ascontiguousarray(origins), np.ascontiguousarray(directions / lengths))
        return distances, rows

    def normals(self, places: F64, directions: F64, rows: I64) -> F64:
        """float64 [N, 3]: unit normals at places on the solids in `rows`, turned against the directions."""
        return trace_normals(self.solids, np.ascontiguousarray(places), np.ascontiguousarray(directions), rows)
