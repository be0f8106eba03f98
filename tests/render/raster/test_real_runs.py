"""Real trainings rendered at their own cameras must give the PSNR that the trainer logged.

This is where a wrong pixel centre, pose, colour order or dilation shows: half a pixel costs 7 dB here.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from render.raster.compare import psnr
from render.raster.cpu import rasterise
from render.splats import prepare
from runs.arrays import F32
from runs.cameras import Camera
from runs.formats.cameras.cameras_json import read_cameras_json
from runs.formats.cameras.colmap import read_model
from runs.formats.ply import read_gaussians
from tests.support.data import shared_data

TOLERANCE_DB = 0.01  # reached: 2e-5


def logged_test_psnr(run: Path) -> float:
    lines = (json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines())
    return float([line["eval"]["test"] for line in lines if "eval" in line][-1])


def photo(path: Path) -> F32:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), np.float32) / np.float32(255)


def mean_psnr(run: Path, iteration: int, cameras: list[Camera], images: Path, suffix: str = "") -> float:
    splats = prepare(read_gaussians(run / f"point_cloud/iteration_{iteration}/point_cloud.ply"))
    return float(np.mean([psnr(rasterise(splats, camera).rgb, photo(images / f"{camera.name}{suffix}")) for camera in cameras]))


@pytest.mark.parametrize(("name", "scene"), [("synth-e", "synth0"), ("synth-a", "synth1")])
def test_rendering_reproduces_the_logged_test_psnr(name: str, scene: str) -> None:
    """Healthy runs with exact poses: 31.5 dB to a hundredth."""
    run, images = shared_data("runs", name), shared_data("scenes", scene, "images")
    cameras, _ = read_cameras_json(run / "cameras.json")
    held_out = [camera for camera in cameras if camera.name.startswith("test")]
    assert mean_psnr(run, 2000, held_out, images, ".png") == pytest.approx(logged_test_psnr(run), abs=TOLERANCE_DB)


def test_a_real_capture_needs_the_principal_point_of_its_colmap_model() -> None:
    """cameras.json has no principal point: taking the image centre instead costs 8 dB on this capture."""
    run, scene = shared_data("runs", "fox-a"), shared_data("scenes", "fox")
    cameras = read_model(scene / "sparse" / "0").cameras
    held_out = [camera.resized((266, 474)) for camera in sorted(cameras, key=lambda camera: camera.name)[::8]]
    assert mean_psnr(run, 3000, held_out, scene / "images") == pytest.approx(logged_test_psnr(run), abs=TOLERANCE_DB)
