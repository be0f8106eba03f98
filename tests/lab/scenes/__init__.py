"""The lab's scenes: analytic worlds photographed by a ray tracer, one real capture, and ways to spoil their data."""

from tests.lab.scenes.building import SCENES, build
from tests.lab.scenes.scene import Scene

__all__ = ["SCENES", "Scene", "build"]
