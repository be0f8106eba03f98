"""Trained scenes for the benchmark: sound ones to plant into, and spoiled ones in which floaters grow by themselves."""

import os
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType

from diagnostics.optimiser.train import train
from runs.formats.ply import read_gaussians
from runs.gaussians import Gaussians
from runs.writers.ply import write_splats
from tests.lab.case import Size
from tests.lab.corpus import SIZE_PX, settings_of
from tests.lab.fingerprint import training_key
from tests.lab.plan import Plan
from tests.lab.scenes import Scene, build, photo_transforms, transforms
from tests.lab.scenes.building import cache_folder
from tests.lab.scenes.fox import fox
from tests.lab.split import CAPTURE

Spoil = Callable[[Plan], Plan]
BEFORE_BLACK = frozenset(("studio", "statue"))  # objects before a background that can be another one


def sound(scene: str, seed: int, size: Size = "large") -> Plan:
    """The lab's usual training of a scene."""
    made = fox(SIZE_PX[size]) if scene == CAPTURE else build(scene, SIZE_PX[size], seed)
    return Plan.of(made, settings_of(size, seed))


def spoils_of(scene: str) -> Mapping[str, Spoil]:
    """By name: the faults that make floaters grow in this scene."""
    return {name: spoil for name, spoil in SPOILS.items() if name != "wrong background" or scene in BEFORE_BLACK}


def trained(plan: Plan) -> Gaussians:
    """What the training ends with, from the cache or trained now."""
    path = cache_folder().parent / "floaters" / f"{plan.scene.name}-{training_key(plan)}.ply"
    if not path.exists():
        optimiser, _ = train(plan.data, plan.settings, plan.recipe)
        _store(path, optimiser.parameters.gaussians())
    return read_gaussians(path)


def _store(path: Path, gaussians: Gaussians) -> None:
    """Under its name only when complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        written = Path(folder) / "splats.ply"
        write_splats(written, gaussians)
        os.replace(written, path)


def _few_views(plan: Plan, count: int) -> Plan:
    return plan.with_scene(transforms.fewer_views(plan.scene, count))


def _exposure(plan: Plan, spread: float) -> Plan:
    return plan.with_scene(photo_transforms.exposure_drift(plan.scene, spread, plan.settings.seed))


def _poses(plan: Plan, shift: float, turn_deg: float) -> Plan:
    return plan.with_scene(transforms.perturbed_poses(plan.scene, shift, turn_deg, seed=plan.settings.seed))


def _passers_by(plan: Plan, size: float) -> Plan:
    return plan.with_scene(photo_transforms.passers_by(plan.scene, size, seed=plan.settings.seed))


def _black_behind(plan: Plan) -> Plan:
    """Photos on white, trained before black."""
    scene = _cut_out(plan.scene)
    return plan.with_scene(photo_transforms.on_background(scene, (1.0, 1.0, 1.0)))


def _cut_out(scene: Scene) -> Scene:
    return scene if scene.alphas else photo_transforms.cut_out(scene)


SPOILS: Mapping[str, Spoil] = MappingProxyType({
    "few views": partial(_few_views, count=8),
    "exposure": partial(_exposure, spread=0.2),
    "poses": partial(_poses, shift=0.01, turn_deg=0.5),
    "passers-by": partial(_passers_by, size=0.4),
    "wrong background": _black_behind,
})
