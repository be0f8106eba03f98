"""What happens to a finished run's files: exports that lose rows, shards that are lost."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from runs.arrays import Array
from runs.formats.ply import read_gaussians
from runs.gaussians import COLUMNS, Gaussians
from runs.writers.ply import write_splats


def rows_overwritten(run: Path, seed: int, *, share: float, column: str, value: float) -> tuple[int, ...]:
    """A share of the last save's rows gets `value` in one column. Returns the rows."""
    path = max(run.glob("point_cloud/iteration_*/point_cloud.ply"), key=lambda path: int(path.parent.name.split("_")[1]))
    gaussians = read_gaussians(path)
    rows = np.sort(np.random.default_rng(seed).choice(gaussians.count, max(1, round(share * gaussians.count)), replace=False))
    columns = _columns(gaussians)
    columns[column][rows] = value
    write_splats(path, Gaussians.from_arrays(**columns))
    return tuple(rows.tolist())


def shard_lost(run: Path, _seed: int, *, rank: int) -> None:
    """The files of one of gsplat's processes are not where the others are."""
    for path in run.glob(f"ckpts/ckpt_*_rank{rank}.pt"):
        path.unlink()


def _columns(gaussians: Gaussians) -> dict[str, Array]:
    stored: Mapping[str, Array] = {name: gaussians.load(name) for name in (*COLUMNS, "sh_rest")}
    return {name: values.copy() for name, values in stored.items()}
