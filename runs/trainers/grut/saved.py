"""Checkpoints of 3DGRUT: `ours_N/ckpt_N.pt` and `ckpt_last.pt`, parameters, optimizer and densification statistics in one.

`global_step` counts finished steps (trainer.py run_train_iter), so step 7000 is iteration 7,000.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from runs.advice import FOREIGN
from runs.arrays import F32, Array
from runs.checkpoints import AdamGroup, TrainingState
from runs.errors import UnreadableFile
from runs.formats.ply.columns import DEGREE_OF_REST
from runs.formats.torch_file import read_torch_file
from runs.trainers.shared.adam_state import adam_groups, as_float, missing_moments
from runs.trainers.shared.tensor_columns import REST, Columns, Layout, Parameter, find_columns, is_rows

LAYOUT: Layout = {
    "means": Parameter(("positions",), ((3,),)), "log_scales": Parameter(("scale",), ((3,),)),
    "quats_wxyz": Parameter(("rotation",), ((4,),)), "logit_opacities": Parameter(("density",), ((1,), ())),
    "sh0": Parameter(("features_albedo",), ((3,),)),
}
SPECULAR = "features_specular"  # [N, 3 (K-1)], coefficient-major
INRIA_NAMES: Mapping[str, str] = {
    "positions": "xyz", "features_albedo": "f_dc", SPECULAR: "f_rest", "density": "opacity", "scale": "scaling",
    "rotation": "rotation",
}
STATISTICS = ("densify_grad_norm_accum", "densify_grad_norm_denom")  # each saved as a tuple of one tensor [N, 1]


def columns_of(path: Path) -> Columns:
    """The Gaussians of one checkpoint. Raises UnreadableFile or RefusedFile."""
    return _columns(_saved(path), path)


def _saved(path: Path) -> Mapping[str, Any]:
    saved = read_torch_file(path)
    if not isinstance(saved, dict) or "density" not in saved or not isinstance(saved.get("global_step"), int):
        raise UnreadableFile(f"this is no checkpoint of 3DGRUT (it has no density and global_step); {FOREIGN}", path)
    return saved


def _columns(saved: Mapping[str, Any], path: Path) -> Columns:
    found = find_columns(saved, LAYOUT, path)
    specular: Any = saved.get(SPECULAR)
    if not is_rows(specular, (None,)) or specular.shape[1] not in DEGREE_OF_REST or len(specular) != len(found["means"]):
        raise UnreadableFile(f"this checkpoint lacks {SPECULAR} of the expected shape; {FOREIGN}", path)
    return Columns({**found, REST: specular.reshape(len(specular), specular.shape[1] // 3, 3)}, iteration=saved["global_step"])


def read_state(path: Path) -> TrainingState:
    """What a resume would start from. Raises UnreadableFile or RefusedFile."""
    saved = _saved(path)
    columns = _columns(saved, path)
    parameters = {inria: saved[own] for own, inria in INRIA_NAMES.items()}
    trained = [name for name, values in parameters.items() if values.size]
    adam = {group.name: group for group in _adam(saved.get("optimizer"), parameters) if group.name in trained}
    degree = saved.get("n_active_features")
    return TrainingState(
        columns.iteration or 0, path, "3dgrut", degree if isinstance(degree, int) else None, columns.gaussians(), adam,
        dict(_statistics(saved, columns.count)), as_float(saved.get("scene_extent")), tuple(missing_moments(trained, adam)),
    )


def _adam(optimizer: Any, parameters: Mapping[str, Array]) -> Iterator[AdamGroup]:
    own = {name: parameters[inria] for name, inria in INRIA_NAMES.items()}
    groups = adam_groups(optimizer, own) if isinstance(optimizer, dict) else ()
    yield from (replace(group, name=INRIA_NAMES.get(group.name, group.name)) for group in groups)


def _statistics(saved: Mapping[str, Any], count: int) -> Iterator[tuple[str, F32]]:
    """Sums of gradients of positions times distance, and how many views gave them; under their own names, for INRIA's are of
    the image plane."""
    for name in STATISTICS:
        stored = saved.get(name)
        values = stored[0] if isinstance(stored, tuple) and len(stored) == 1 else stored
        if isinstance(values, np.ndarray) and values.size == count:
            yield name, np.asarray(values, np.float32).reshape(count)
