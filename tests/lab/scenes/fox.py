"""The real capture of the shared data: photos of a toy fox with COLMAP's poses, points and observations."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from diagnostics.optimiser.views import TrainingData, View
from runs.cameras import Camera
from runs.formats.cameras.colmap import ColmapModel, Observations, read_model
from tests.lab.scenes.scene import Scene, reprojected
from tests.support.data import shared_data

TEST_EVERY = 8  # the usual rule for captures without a list of test photos


def fox_available() -> bool:
    """Whether the capture is on this machine."""
    try:
        shared_data("scenes", "fox")
    except pytest.skip.Exception:
        return False
    return True


def fox(size_px: int = 64) -> Scene:
    """The capture with photos shrunk to `size_px` along the longer side; skips the test, with the reason, where it is absent."""
    return _read(shared_data("scenes", "fox"), size_px)


@lru_cache(maxsize=4)
def _read(folder: Path, size_px: int) -> Scene:
    model = read_model(folder / "sparse" / "0")
    shown = [_view(folder, camera, size_px, "train" if i % TEST_EVERY else "test") for i, camera in enumerate(model.cameras)]
    assert model.points is not None
    data = TrainingData(
        tuple(view for view in shown if view.camera.split == "train"),
        tuple(view for view in shown if view.camera.split == "test"), model.points,
    )
    # The stored reprojection errors are those of larger photos, before the capture was made small.
    return reprojected(Scene("fox", data, _tracks(model, shown[0].camera), arguments={"name": "fox", "size_px": size_px}))


def _view(folder: Path, camera: Camera, size_px: int, split: str) -> View:
    """PNG names, so that writing the photos again does not compress them twice."""
    longer = max(camera.size_px)
    width, height = (max(1, round(side * size_px / longer)) for side in camera.size_px)
    with Image.open(folder / "images" / camera.name) as stored:
        pixels = stored.convert("RGB").resize((width, height), Image.Resampling.BOX)
    small = replace(camera.resized((width, height)), name=_png(camera.name), split="test" if split == "test" else "train")
    return View(small, np.asarray(pixels, np.float32) / np.float32(255))


def _png(name: str) -> str:
    return str(Path(name).with_suffix(".png"))


def _scale(model: ColmapModel, small: Camera) -> tuple[float, float]:
    width, height = model.cameras[0].size_px
    return small.size_px[0] / width, small.size_px[1] / height


def _tracks(model: ColmapModel, small: Camera) -> Observations | None:
    seen = model.observations
    if seen is None:
        return None
    return replace(seen, image_names=tuple(map(_png, seen.image_names)), xy_px=seen.xy_px * _scale(model, small))

