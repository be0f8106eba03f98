"""Networks of moving scenes: deform.pth of Deformable-3D-Gaussians and deformation.pth of 4DGaussians."""

from pathlib import Path

from runs.gaussians import COLUMNS
from runs.motion import Motion
from runs.settings import Setting, Settings
from runs.trainers.moving import deformable_motion, four_d_motion
from runs.writers.torch_zip import write_torch_file
from tests.fuzz.seeds import written
from tests.fuzz.target import Target
from tests.support.files import random_gaussians
from tests.support.small_networks import deform_state, hexplane_state

ALL_ON = Settings({name: Setting(name, False, "cfg_args") for name in ("no_dx", "no_ds", "no_dr", "no_do", "no_dshs")})
STILL = random_gaussians(5, degree=3)


def _moved(motion: Motion) -> None:
    found = motion.at(STILL, 0.3)
    for name in (*COLUMNS, "sh_rest"):
        found.load(name)


def _deform(path: Path) -> None:
    _moved(deformable_motion.read_motion(path))


def _hexplane(path: Path) -> None:
    _moved(four_d_motion.read_motion(path, ALL_ON))


def _deform_seeds() -> tuple[bytes, ...]:
    return tuple(written(lambda path, screw=screw: write_torch_file(path, deform_state(screw=screw)), "deform.pth")  # type: ignore[misc]
                 for screw in (False, True))


def _hexplane_seeds() -> tuple[bytes, ...]:
    return (written(lambda path: write_torch_file(path, hexplane_state()), "deformation.pth"),)


TARGETS: tuple[Target, ...] = (
    Target("deform network", "deform.pth", _deform, _deform_seeds),
    Target("hexplane network", "deformation.pth", _hexplane, _hexplane_seeds),
)
