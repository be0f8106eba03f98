"""Folders of desktop trainers and SLAM systems on another machine are the same runs; unfetched bytes are noise here."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from runs.open_run import open_run
from runs.remote.blocks import BLOCK_BYTES
from tests.runs.remote import conftest  # noqa: F401  (fixtures)
from tests.runs.remote.test_remote_runs import everything, mirror_of
from tests.runs.trainers.slam.test_monogs import write as write_monogs
from tests.runs.trainers.slam.test_splatam import write as write_splatam
from tests.runs.trainers.test_physgaussian import write as write_physgaussian
from tests.support.files import random_gaussians, ring_of_cameras
from tests.support.lichtfeld_writer import Written, adam_of
from tests.support.retold_apps import write_brush, write_opensplat
from tests.support.web_server import Web

SAVES = {1_000: random_gaussians(400, degree=2, seed=1), 2_000: random_gaussians(500, degree=2, seed=2)}


def brush(to: Path) -> Path:
    write_brush(to, SAVES)
    (to / "args.txt").write_text("--total-steps 2000")
    return to


def opensplat(to: Path) -> Path:
    return write_opensplat(to, SAVES, ring_of_cameras(["a.jpg", "b.jpg"]))


def lichtfeld(to: Path) -> Path:
    gone = np.arange(500) % 7 == 0
    Written(SAVES[2_000], iteration=2_000, adam=adam_of(SAVES[2_000]), adam_version=2, weave=True, deleted=gone,
            densification=np.ones((2, 500), np.float32)).write(to / "checkpoints" / "checkpoint.resume")
    return to


def splatam(to: Path) -> Path:
    to.mkdir(exist_ok=True)
    return write_splatam(to)


def monogs(to: Path) -> Path:
    return write_monogs(to, shift=0.5)


@pytest.mark.parametrize("make", [brush, opensplat, lichtfeld, splatam, monogs, write_physgaussian])
@pytest.mark.usefixtures("poison")
def test_a_remote_run_tells_what_the_local_one_does(make: Callable[[Path], Path], served: Path, web: Web) -> None:
    """Every number and note."""
    local = make(served / "scene")
    run = open_run(f"{web.url}/scene")
    assert everything(run, run.path) == everything(open_run(local), local)


@pytest.mark.usefixtures("poison")
def test_opening_a_large_checkpoint_fetches_its_descriptions(served: Path, web: Web) -> None:
    """Not its numbers: a checkpoint of millions of splats has gigabytes."""
    large = random_gaussians(40_000, degree=3)
    path = Written(large, adam=adam_of(large)).write(served / "scene" / "checkpoints" / "checkpoint.resume")
    run = open_run(f"{web.url}/scene")
    assert run.checkpoints[0].count == 40_000
    size = os.path.getsize(path)
    assert mirror_of(run).fetched_bytes < size / 2 + 4 * BLOCK_BYTES
