"""The resumable states of INRIA's trainer and its forks: `chkpntN.pth`, a tuple of 12 to 15 items and an iteration.

Forks put further items anywhere into the tuple, so items are told by type and shape.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from runs.advice import FOREIGN, UNFINISHED
from runs.arrays import F32, Array
from runs.checkpoints import StateFile, TrainingState
from runs.errors import UnreadableFile
from runs.formats.ply.activated import are_opacities
from runs.formats.ply.columns import DEGREE_OF_REST, FLAT_LOG_SCALE
from runs.formats.splat_file import Stamp
from runs.formats.torch_file import is_unfinished, read_torch_file
from runs.gaussians import Gaussians
from runs.notes import NoteBook
from runs.storage import present
from runs.trainers.inria.linear_opacity import from_linear
from runs.trainers.shared.adam_state import adam_groups, missing_moments
from runs.trainers.shared.saved import LEFT_OUT, ReadState, numbered

# The six parameters in the order of the tuple: group name, and the shapes that it may have after [N].
PARAMETERS: Mapping[str, tuple[tuple[int, ...], ...]] = {
    "xyz": ((3,),), "f_dc": ((1, 3),), "f_rest": tuple((properties // 3, 3) for properties in DEGREE_OF_REST),
    "scaling": ((3,), (2,)), "rotation": ((4,),), "opacity": ((1,),),
}
# Statistics between the parameters and the optimizer, by how many there are.
STATISTICS: Mapping[int, tuple[str, ...]] = {
    3: ("max_radii2D", "xyz_gradient_accum", "denom"),
    4: ("max_radii2D", "xyz_gradient_accum", "xyz_gradient_accum_abs", "denom"),  # FastGS
    5: ("max_radii2D", "max_weight", "xyz_gradient_accum", "xyz_gradient_accum_abs", "denom"),  # AbsGS
    6: ("max_radii2D", "xyz_gradient_accum", "lff_xyz_grad_accum", "prev_lff_xyz_grad", "denom", "lff_denom"),  # EFA-GS
}
FORK_BY_STATISTICS = {4: "fastgs", 5: "absgs", 6: "efa-gs"}
USUAL_STATISTICS = STATISTICS[3]
OTHER_COUNT = "(stored for another number of Gaussians)"
UNUSED = "(zeros for another number of Gaussians: this trainer never fills it)"
FIXED = "Adam moments of opacity (older than the opacities, which this trainer stops training)"


def read_state(path: Path) -> TrainingState:
    """The state in one chkpntN.pth; arrays stay in the file until they are used. Raises UnreadableFile or RefusedFile."""
    saved = read_torch_file(path)
    if not (isinstance(saved, tuple) and len(saved) == 2 and isinstance(saved[0], tuple) and isinstance(saved[1], int)):
        raise UnreadableFile(f"this checkpoint is no training state of INRIA's family ({_what(saved)}); {FOREIGN}", path)
    capture, iteration = saved
    parts = _sort(capture)
    lacking = ", ".join(name for name in PARAMETERS if name not in parts.parameters)
    if lacking:
        raise UnreadableFile(f"this training state holds no parameters of the expected shape for {lacking}; {FOREIGN}", path)
    return _state(path, iteration, capture, parts)


def state_files(folder: Path, book: NoteBook) -> tuple[StateFile, ...]:
    """Every finished chkpntN.pth in `folder`, by iteration; NerfBaselines writes chkpnt-N.pth."""
    found = []
    files = (path for path in folder.glob("chkpnt*.pth") if path.is_file())
    for iteration, path in sorted(numbered(files, r"chkpnt-?(\d{1,12})\.pth")):
        if is_unfinished(path):
            book.add(str(path), f"{LEFT_OUT}this checkpoint is not whole; {UNFINISHED}")
        else:
            found.append(StateFile(iteration, path, ReadState(path, Stamp.of(path.stat()), read_state)))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Parts:
    """The items of a tuple, told apart."""

    numbers: tuple[Any, ...]
    parameters: Mapping[str, Array]
    statistics: tuple[Array, ...]  # everything shaped like one number per Gaussian after the parameters
    optimizers: tuple[Mapping[str, Any], ...]
    others: tuple[Any, ...]


def _sort(capture: Sequence[Any]) -> _Parts:
    wanted = list(PARAMETERS)
    parameters: dict[str, Array] = {}
    numbers, statistics, optimizers, others = [], [], [], []
    for item in capture:
        if isinstance(item, np.ndarray):
            if wanted and _fits(item, wanted[0], parameters):
                parameters[wanted.pop(0)] = item
            elif not wanted and item.ndim in (1, 2) and item.shape[1:] in ((), (1,)):
                statistics.append(item)
            else:
                others.append(item)
        elif isinstance(item, dict) and "param_groups" in item:
            optimizers.append(item)
        elif isinstance(item, int | float) and not isinstance(item, bool):
            numbers.append(item)
        else:
            others.append(item)
    return _Parts(tuple(numbers), parameters, tuple(map(present, statistics)), tuple(optimizers), tuple(others))


def _fits(item: Array, name: str, found: Mapping[str, Array]) -> bool:
    count = len(found["xyz"]) if found else len(item) if item.ndim else -1
    return item.ndim > 0 and len(item) == count and item.dtype.kind == "f" and item.shape[1:] in PARAMETERS[name]


def _state(path: Path, iteration: int, capture: Sequence[Any], parts: _Parts) -> TrainingState:
    stored = _gaussians(parts.parameters)
    statistics, stale = _statistics(parts.statistics, stored.count)
    unused = stale if _never_filled(parts.statistics, stored.count) else []
    fork = _fork(parts, statistics, iteration)
    fixed = ["opacity"] if fork == "taming" and are_opacities(present(parts.parameters["opacity"])) else []
    adam = {group.name: group for optimizer in parts.optimizers for group in adam_groups(optimizer, parts.parameters)}
    trained = [name for name, values in parts.parameters.items() if values.size and name not in fixed]
    degree = next((n for n in parts.numbers if isinstance(n, int)), None)
    extent = next((float(n) for n in reversed(parts.numbers) if isinstance(n, float)), None)
    lost = [name for name in stale if name not in unused]
    return TrainingState(
        iteration, path, f"{fork} {len(capture)}-tuple", degree, from_linear(stored) if fixed else stored,
        {name: group for name, group in adam.items() if name not in fixed}, statistics, extent,
        missing=(*missing_moments(trained, adam), *_missing_parts([*statistics, *unused], lost, degree, extent)),
        dropped=(*(f"{name} {UNUSED}" for name in unused), *(FIXED for _ in fixed)),
    )


def _fork(parts: _Parts, statistics: Mapping[str, F32], iteration: int) -> str:
    if len(parts.optimizers) > 1:
        return "taming"
    if any(isinstance(item, dict) for item in parts.others):
        return "4dgaussians"
    denom = statistics.get("denom")
    if len(parts.statistics) == len(USUAL_STATISTICS) and denom is not None and denom.size and denom.max() > iteration:
        return "pixel-gs"  # it counts pixels; of views there is one per iteration
    return FORK_BY_STATISTICS.get(len(parts.statistics), "inria")


def _gaussians(parameters: Mapping[str, Array]) -> Gaussians:
    count, rest = len(parameters["xyz"]), parameters["f_rest"]
    stored = {
        "means": parameters["xyz"], "log_scales": parameters["scaling"], "quats_wxyz": parameters["rotation"],
        "logit_opacities": parameters["opacity"].reshape(count), "sh0": parameters["f_dc"].reshape(count, 3), "sh_rest": rest,
    }
    read: dict[str, F32] = {}

    def load(name: str) -> F32:
        if name not in read:
            values = np.array(present(stored[name]), np.float32, order="C")
            flat = name == "log_scales" and values.shape[1] == 2  # 2DGS: discs without thickness
            read[name] = np.hstack([values, np.full((count, 1), FLAT_LOG_SCALE)]) if flat else values
        return read[name]

    return Gaussians(count, DEGREE_OF_REST[3 * rest.shape[1]], load)


def _statistics(stored: Sequence[Array], count: int) -> tuple[dict[str, F32], list[str]]:
    """Statistics of N rows by name, and the names of those that belong to another set of Gaussians (3dgs-mcmc)."""
    names = STATISTICS.get(len(stored), tuple(f"statistic_{i}" for i in range(len(stored))))
    named = zip(names, stored, strict=True)
    usable = {name: np.asarray(values, np.float32).reshape(-1) for name, values in named if len(values) == count}
    return usable, [name for name in names if name not in usable]


def _never_filled(stored: Sequence[Array], count: int) -> bool:
    """3dgs-mcmc relocates by opacity: its statistics stay the zeros of the first Gaussians (trap T39)."""
    return bool(stored) and all(len(values) != count and not values.any() for values in stored)


def _missing_parts(
    told: Sequence[str], stale: Sequence[str], degree: int | None, extent: float | None,
) -> Iterator[str]:
    """What a complete state would also hold beside the optimizer, one entry each."""
    yield from (f"{name} {OTHER_COUNT}" for name in stale)
    yield from (name for name in USUAL_STATISTICS if name not in told and name not in stale)
    if degree is None:
        yield "active SH degree"
    if extent is None:
        yield "spatial_lr_scale"


def _what(saved: Any) -> str:
    """What a foreign checkpoint is, by its keys."""
    if not isinstance(saved, dict):
        return f"it holds a {type(saved).__name__}"
    kinds = {
        "splats": "it is gsplat's", "pipeline": "it is nerfstudio's", "pytorch-lightning_version": "it is PyTorch Lightning's",
        "density": "it is 3DGRUT's", "controller": "it is splat-trainer's",
    }
    keys = ", ".join(str(key)[:40] for key in list(saved)[:4])
    return next((says for key, says in kinds.items() if key in saved), f"it holds a dict with {keys}")
