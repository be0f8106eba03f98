"""What happens to the last save of a finished run: exports in another space, in other columns, with fewer rows or colours."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from runs.arrays import Array
from runs.formats.ply import read_gaussians
from runs.gaussians import COLUMNS, Gaussians
from runs.writers.ply import write_splats

Columns = dict[str, Array]
FAR = 1e6  # world units


def _rewritten(run: Path, change: Callable[[Columns], Columns]) -> None:
    path = max(run.glob("point_cloud/iteration_*/point_cloud.ply"), key=lambda path: int(path.parent.name.split("_")[1]))
    gaussians = read_gaussians(path)
    columns = {name: gaussians.load(name).copy() for name in (*COLUMNS, "sh_rest")}
    write_splats(path, Gaussians.from_arrays(**change(columns)))


def activated(run: Path, _seed: int) -> None:
    """Lengths and opacities of 0 to 1, as a renderer uses them."""
    def change(columns: Columns) -> Columns:
        opacities = 1 / (1 + np.exp(-columns["logit_opacities"]))
        return columns | {"log_scales": np.exp(columns["log_scales"]), "logit_opacities": opacities}

    _rewritten(run, change)


def shifted(run: Path, _seed: int) -> None:
    """Quaternions of length one under the names of opacity and scales, and those under the name of the rotation."""
    def change(columns: Columns) -> Columns:
        quats = columns["quats_wxyz"] / np.linalg.norm(columns["quats_wxyz"], axis=1, keepdims=True)
        others = np.column_stack([columns["logit_opacities"], columns["log_scales"]])
        return columns | {"logit_opacities": quats[:, 0], "log_scales": quats[:, 1:], "quats_wxyz": others}

    _rewritten(run, change)


def flung(run: Path, seed: int, *, rows: int) -> tuple[int, ...]:
    """So many rows lie a million units away. Returns them."""
    guilty: list[int] = []

    def change(columns: Columns) -> Columns:
        rng = np.random.default_rng(seed)
        guilty.extend(sorted(rng.choice(len(columns["means"]), rows, replace=False).tolist()))
        columns["means"][guilty] = FAR * rng.normal(size=(rows, 3))
        return columns

    _rewritten(run, change)
    return tuple(guilty)


def rows_dropped(run: Path, seed: int, *, share: float) -> None:
    """The file holds only a part of the rows, in their order."""
    def change(columns: Columns) -> Columns:
        count = len(columns["means"])
        kept = np.sort(np.random.default_rng(seed).choice(count, round((1 - share) * count), replace=False))
        return {name: values[kept] for name, values in columns.items()}

    _rewritten(run, change)


def degree_cut(run: Path, _seed: int, *, degree: int) -> None:
    """Only the harmonics up to `degree` are there."""
    _rewritten(run, lambda columns: columns | {"sh_rest": columns["sh_rest"][:, :(degree + 1) ** 2 - 1]})
