"""Checkpoints of nerfstudio's Gaussians (splatfacto): `nerfstudio_models/step-NNNNNNNNN.ckpt`, the state of everything in one.

Steps count from 0 and are saved when they are done, so step 29999 is iteration 30,000. Facts: nerfstudio 1.1.5,
`engine/trainer.py` save_checkpoint, `models/splatfacto.py` populate_modules and load_state_dict, `engine/optimizers.py`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from runs.advice import FOREIGN
from runs.arrays import Array
from runs.checkpoints import AdamGroup, TrainingState
from runs.errors import UnreadableFile
from runs.formats.torch_file import read_torch_file
from runs.formats.zip_members import numbers_left
from runs.run import PoseDeltas
from runs.trainers.shared.adam_state import adam_groups, missing_moments
from runs.trainers.shared.pose_deltas import deltas_of
from runs.trainers.shared.tensor_columns import REST, Columns, Layout, Parameter, find_columns

CHECKPOINT = re.compile(r"step-(\d{1,12})\.ckpt")
LAYOUT: Layout = {
    "means": Parameter(("means",), ((3,),)), "log_scales": Parameter(("scales",), ((3,),)),
    "quats_wxyz": Parameter(("quats",), ((4,),)), "logit_opacities": Parameter(("opacities",), ((1,), ())),
    "sh0": Parameter(("features_dc",), ((3,), (1, 3))), REST: Parameter(("features_rest",), ((None, 3),)),
}
# Wrappers around the Gaussians in the names of the pipeline: of processes, of the model, and (since 1.0) of the parameters.
AROUND = frozenset({"module", "_model", "gauss_params"})
POSES = "camera_optimizer.pose_adjustment"
# INRIA's name of each parameter group -> the names that versions gave it.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "xyz": ("means", "xyz"), "f_dc": ("features_dc",), "f_rest": ("features_rest",), "opacity": ("opacities", "opacity"),
    "scaling": ("scales", "scaling"), "rotation": ("quats", "rotation"),
}
INRIA_NAMES = {own: name for name, names in GROUPS.items() for own in names}
COLUMN_OF = {"xyz": "means", "f_dc": "sh0", "f_rest": REST, "opacity": "logit_opacities", "scaling": "log_scales",
             "rotation": "quats_wxyz"}


def columns_of(path: Path) -> Columns:
    """The Gaussians of one checkpoint. Raises UnreadableFile (for another method's too) or RefusedFile."""
    return _columns(_saved(path), path)


def _saved(path: Path) -> Mapping[str, Any]:
    saved = read_torch_file(path)
    if not isinstance(saved, dict) or not isinstance(saved.get("pipeline"), dict) or not isinstance(saved.get("step"), int):
        raise UnreadableFile(f"this is no checkpoint of nerfstudio (it has no pipeline and step); {FOREIGN}", path)
    return saved


def _columns(saved: Mapping[str, Any], path: Path) -> Columns:
    tensors = dict(_parameters(saved["pipeline"]))
    if not {"means", "scales", "quats"} <= tensors.keys():
        raise UnreadableFile("this checkpoint is of a nerfstudio method without Gaussians; open a run of splatfacto", path)
    found = find_columns(tensors, LAYOUT, path)
    # Without harmonics the model trains the logit of RGB (SplatfactoModel.colors).
    return Columns(found, "sh" if found[REST].shape[1] else "logit", iteration=saved["step"] + 1)


def _parameters(pipeline: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    """The model's own tensors by their last name, whatever they are wrapped in; parts of other modules are left out."""
    for key, value in pipeline.items():
        *around, name = str(key).split(".")
        if AROUND.issuperset(around):
            yield name, value


def read_state(path: Path) -> TrainingState:
    """What a resume would start from. Densification statistics are not saved. Raises UnreadableFile or RefusedFile."""
    saved = _saved(path)
    columns = _columns(saved, path)
    parameters = {name: columns.stored[column] for name, column in COLUMN_OF.items()}
    trained = [name for name, values in parameters.items() if values.size]
    adam = {group.name: group for group in _adam(saved.get("optimizers"), parameters, trained)}
    return TrainingState(
        saved["step"] + 1, path, "nerfstudio", None, columns.gaussians(), adam, {}, None, tuple(missing_moments(trained, adam)),
    )


def _adam(optimizers: Any, parameters: Mapping[str, Array], trained: Sequence[str]) -> Iterator[AdamGroup]:
    """One optimizer per group, under INRIA's names where it has such a group; one of nothing (no harmonics) is left out."""
    for own, optimizer in optimizers.items() if isinstance(optimizers, dict) else ():
        name = INRIA_NAMES.get(str(own), str(own))
        if not isinstance(optimizer, dict) or (name in parameters and name not in trained):
            continue
        yield from (replace(group, name=name) for group in adam_groups(optimizer, parameters, name))


def read_pose_deltas(path: Path, names: Sequence[str]) -> PoseDeltas:
    """The camera optimizer's [6] of each trained camera; {} where it was off. Raises UnreadableFile or RefusedFile."""
    with numbers_left():
        pipeline = _saved(path)["pipeline"]
    stored = next((value for key, value in pipeline.items() if str(key).endswith(POSES)), None)
    return deltas_of(stored, 6, names)
