"""Build a scene by name: photograph its world, find its points, and keep the result on disk."""

import hashlib
import os
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import BadZipFile
from zlib import crc32

import numpy as np

from diagnostics.optimiser.views import TrainingData, View
from runs.arrays import F32, U8, Array
from runs.cameras import Camera
from runs.formats.cameras.colmap import Observations
from runs.points import PointCloud
from tests.lab.scenes.layouts import cameras
from tests.lab.scenes.points import reconstruct
from tests.lab.scenes.scene import Scene
from tests.lab.scenes.tracks import track_lengths
from tests.lab.scenes.world import Plan, World
from tests.lab.scenes.worlds import corridor, court, garden, shelf, statue, studio
from tests.lab.scenes.writing import levels

PLANS: Mapping[str, Callable[[np.random.Generator], Plan]] = {
    "studio": studio.plan,
    "court": court.plan,
    "shelf": shelf.plan,
    "garden": garden.plan,
    "statue": statue.plan,
    "corridor": corridor.plan,
}
HERE = Path(__file__).resolve().parent
NO_SAY = (  # they come after
    "transforms.py", "photo_transforms.py", "planting.py", "fox.py", "writing.py", "scene.py", "__init__.py",
)


def build(
    name: str, size_px: int = 64, seed: int = 0, views: int = 24, test_views: int = 4, points: int | None = None, *,
    principal_shift: tuple[float, float] = (0.0, 0.0), samples: int = 3,
) -> Scene:
    """The scene `name`, from the cache or photographed anew.

    `size_px` is the longer side of the photos; `points` is the plan's own number by default; `principal_shift` moves the
    principal point by this share of width and height; `samples` squared rays make a pixel. The seed moves objects,
    cameras, keypoint noise and the choice of points.
    """
    plan = PLANS[name](_rng(name, seed, 0))
    arguments = {
        "name": name, "size_px": size_px, "seed": seed, "views": views, "test_views": test_views,
        "points": points or plan.points, "principal_shift": tuple(principal_shift), "samples": samples,
    }
    path = cache_folder() / f"{name}-{_digest(arguments)}.npz"
    arrays = _load(path)
    if arrays is None:
        arrays = _made(plan, arguments)
        _store(path, arrays)
    return _scene(plan, arguments, arrays)


def cache_folder() -> Path:
    """`SPLATDOCTOR_LAB_CACHE`, or `.lab` in the repository."""
    return Path(os.environ.get("SPLATDOCTOR_LAB_CACHE", HERE.parents[2] / ".lab")) / "scenes"


def _rng(name: str, seed: int, stream: int) -> np.random.Generator:
    """Streams of their own, so that more views or points leave the objects where they are."""
    return np.random.default_rng([crc32(name.encode()), seed, stream])


def _digest(arguments: Mapping[str, Any]) -> str:
    """Of the arguments and of every source file that has a say in the scene."""
    told = hashlib.sha256(repr(sorted(arguments.items())).encode())
    for source in sorted(HERE.rglob("*.py")):
        if source.name not in NO_SAY:
            told.update(source.read_bytes())
    return told.hexdigest()[:20]


def _load(path: Path) -> Mapping[str, Array] | None:
    """None where the file is not there or cut short."""
    try:
        with path.open("rb") as file, np.load(file) as stored:
            return {key: stored[key] for key in stored.files}
    except (OSError, ValueError, EOFError, BadZipFile):
        return None


def _store(path: Path, arrays: Mapping[str, Array]) -> None:
    """Under its name only when complete: two processes may build the same scene at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
        np.savez(file, allow_pickle=False, **arrays)
    os.replace(file.name, path)


def _made(plan: Plan, arguments: Mapping[str, Any]) -> Mapping[str, Array]:
    """Everything that takes time: photos and points."""
    world = World.of(plan)
    taken = _cameras(plan, arguments)
    pictures = np.stack([levels(world.picture(camera, arguments["samples"])) for camera in taken])
    shown = [View(camera, _floats(picture[..., :3])) for camera, picture in zip(taken, pictures, strict=True)]
    cloud, seen = reconstruct(world, shown, arguments["points"], _rng(arguments["name"], arguments["seed"], 3))
    assert cloud.rgb is not None
    assert cloud.error_px is not None
    return {
        "pictures": pictures, "xyz": cloud.xyz, "rgb": cloud.rgb, "error_px": cloud.error_px,
        "image": seen.image_index, "point": seen.point_index, "xy_px": seen.xy_px,
    }


def _cameras(plan: Plan, arguments: Mapping[str, Any]) -> tuple[Camera, ...]:
    name, seed, size_px, shift = (arguments[key] for key in ("name", "seed", "size_px", "principal_shift"))
    train = cameras(plan.capture, "train", arguments["views"], size_px, shift, _rng(name, seed, 1))
    return train + cameras(plan.capture, "test", arguments["test_views"], size_px, shift, _rng(name, seed, 2))


def _scene(plan: Plan, arguments: Mapping[str, Any], arrays: Mapping[str, Array]) -> Scene:
    taken = _cameras(plan, arguments)
    seen = Observations(tuple(camera.name for camera in taken), arrays["image"], arrays["point"], arrays["xy_px"])
    lengths = track_lengths(seen, len(arrays["xyz"]))
    cloud = PointCloud(arrays["xyz"], arrays["rgb"], "0/points3D", arrays["error_px"], lengths)
    views = tuple(View(camera, _floats(picture[..., :3])) for camera, picture in zip(taken, arrays["pictures"], strict=True))
    data = TrainingData(views[:arguments["views"]], views[arguments["views"]:], cloud)
    mattes = {view.name: _floats(picture[..., 3]) for view, picture in zip(views, arrays["pictures"], strict=True)}
    return Scene(arguments["name"], data, seen, mattes if plan.matted else {}, World.of(plan), arguments)


def _floats(stored: U8) -> F32:
    """0..1, as a reader of the 8-bit file sees it."""
    return np.asarray(stored, np.float32) / np.float32(255)


SCENES: Mapping[str, Callable[..., Scene]] = {name: partial(build, name) for name in PLANS}
