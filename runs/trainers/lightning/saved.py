"""Checkpoints of gaussian-splatting-lightning: `checkpoints/epoch=E-step=S.ckpt`, as PyTorch Lightning saves a module.

`global_step` counts finished steps. Objects of the trainer's own classes are named, never built.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from runs.advice import FOREIGN
from runs.arrays import F32, Array
from runs.checkpoints import AdamGroup, TrainingState
from runs.errors import UnreadableFile
from runs.formats.torch.opaque import plain
from runs.formats.torch_file import read_torch_file
from runs.formats.zip_members import numbers_left
from runs.trainers.shared.adam_state import adam_groups, as_float, missing_moments
from runs.trainers.shared.tensor_columns import REST, Columns, Layout, Parameter, find_columns

CHECKPOINT = re.compile(r"epoch=\d{1,12}-step=(?P<step>\d{1,12})(?:-rank=(?P<rank>\d{1,4}))?\.ckpt")
# Since 2024 parameters lie in `gaussian_model.gaussians.`, before in attributes of INRIA's names.
LAYOUT: Layout = {
    "means": Parameter(("gaussian_model.gaussians.means", "gaussian_model._xyz"), ((3,),)),
    "log_scales": Parameter(("gaussian_model.gaussians.scales", "gaussian_model._scaling"), ((3,), (2,))),
    "quats_wxyz": Parameter(("gaussian_model.gaussians.rotations", "gaussian_model._rotation"), ((4,),)),
    "logit_opacities": Parameter(("gaussian_model.gaussians.opacities", "gaussian_model._opacity"), ((1,), ())),
    "sh0": Parameter(("gaussian_model.gaussians.shs_dc", "gaussian_model._features_dc"), ((1, 3), (3,))),
    REST: Parameter(("gaussian_model.gaussians.shs_rest", "gaussian_model._features_rest"), ((None, 3),)),
}
GROUPS: Mapping[str, tuple[str, str]] = {  # group of the trainer -> INRIA's, and our column
    "means": ("xyz", "means"), "shs_dc": ("f_dc", "sh0"), "shs_rest": ("f_rest", REST),
    "opacities": ("opacity", "logit_opacities"), "scales": ("scaling", "log_scales"), "rotations": ("rotation", "quats_wxyz"),
}
STATISTICS = ("max_radii2D", "xyz_gradient_accum", "denom")
DENSITY, EXTRA = "density_controller.", "gaussian_model_extra_state_dict"
ACTIVE_DEGREE = "gaussian_model._active_sh_degree"


@dataclass(frozen=True, eq=False)
class _Saved:
    """One file: the module's tensors, and everything beside them."""

    state: Mapping[str, Any]
    whole: Mapping[str, Any]

    @property
    def extra(self) -> Mapping[str, Any]:
        found = self.whole.get(EXTRA)
        return found if isinstance(found, dict) else {}


def _saved(path: Path) -> _Saved:
    whole = read_torch_file(path)
    state = whole.get("state_dict") if isinstance(whole, dict) else None
    if not isinstance(state, dict) or not isinstance(whole.get("global_step"), int):
        raise UnreadableFile(f"this is no checkpoint of PyTorch Lightning (no state_dict and global_step); {FOREIGN}", path)
    return _Saved(state, whole)


def columns_of(path: Path) -> Columns:
    """The Gaussians of one checkpoint. Raises UnreadableFile or RefusedFile."""
    saved = _saved(path)
    return Columns(find_columns(saved.state, LAYOUT, path), iteration=saved.whole["global_step"])


def read_state(path: Path) -> TrainingState:
    """What a resume would start from. Raises UnreadableFile or RefusedFile."""
    saved = _saved(path)
    columns = Columns(find_columns(saved.state, LAYOUT, path))
    parameters = {inria: columns.stored[column] for inria, column in GROUPS.values()}
    trained = [name for name, values in parameters.items() if values.size]
    adam = {group.name: group for group in _adam(saved.whole.get("optimizer_states"), parameters) if group.name in trained}
    extent = as_float(saved.extra.get("spatial_lr_scale"))
    degree = as_float(saved.state.get(ACTIVE_DEGREE, saved.extra.get("active_sh_degree")))
    return TrainingState(
        saved.whole["global_step"], path, "gs-lightning", None if degree is None else int(degree), columns.gaussians(), adam,
        dict(_statistics(saved, columns.count)), extent, tuple(missing_moments(trained, adam)),
    )


def _adam(optimizers: Any, parameters: Mapping[str, Array]) -> Iterator[AdamGroup]:
    """Of all optimizers: the means have one of their own."""
    known = {**parameters, **{own: parameters[inria] for own, (inria, _) in GROUPS.items()}}
    for optimizer in optimizers if isinstance(optimizers, list) else ():
        for group in adam_groups(optimizer, known) if isinstance(optimizer, dict) else ():
            yield replace(group, name=GROUPS.get(group.name, (group.name, ""))[0])


def _statistics(saved: _Saved, count: int) -> Iterator[tuple[str, F32]]:
    for name in STATISTICS:
        values = saved.state.get(f"{DENSITY}{name}", saved.extra.get(name))
        if isinstance(values, np.ndarray) and values.size == count:
            yield name, np.asarray(values, np.float32).reshape(count)


def read_hyper_parameters(path: Path) -> Mapping[str, Any]:
    """The settings of module and data, as plain values. Raises UnreadableFile or RefusedFile."""
    with numbers_left():
        whole = _saved(path).whole
    model, data = (plain(whole.get(key)) for key in ("hyper_parameters", "datamodule_hyper_parameters"))
    return {**(model if isinstance(model, dict) else {}), **({"data": data} if isinstance(data, dict) else {})}
