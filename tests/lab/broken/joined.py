"""What happens to a finished run's last save when models are cut or joined: a hole, rows written twice, blocks that overlap."""

from pathlib import Path

import numpy as np

from runs.arrays import F32, I64
from runs.formats.ply import read_gaussians
from runs.gaussians import COLUMNS, Gaussians
from runs.writers.ply import write_splats

OVERLAP = 0.02  # of the cloud's width
FROM_THE_MIDDLE = (0.3, 0.7)  # quantiles between which a block's bound may lie


def cut_out(run: Path, seed: int, *, share: float) -> None:
    """A ball is cropped away around a Gaussian in the middle of things: this share of the Gaussians."""
    path, gaussians = _last(run)
    centre = gaussians.means[np.random.default_rng(seed).permutation(np.flatnonzero(gaussians.opacities > 0.5))[0]]
    distances = np.linalg.norm(gaussians.means - centre, axis=1)
    write_splats(path, gaussians.take(distances > np.quantile(distances, share)))


def written_twice(run: Path, seed: int, *, share: float) -> tuple[int, ...]:
    """This share of the rows stands in the file twice. Returns both."""
    path, gaussians = _last(run)
    visible = np.flatnonzero(gaussians.opacities > 0.1)
    rows = np.sort(np.random.default_rng(seed).choice(visible, round(share * gaussians.count), replace=False))
    write_splats(path, _with(gaussians, rows, gaussians.means[rows]))
    return (*rows.tolist(), *range(gaussians.count, gaussians.count + len(rows)))


def blocks_overlap(run: Path, seed: int, *, shift: float) -> tuple[int, ...]:
    """Two blocks hold the same margin; where they are joined it is there twice, off by so many of the usual distances."""
    path, gaussians = _last(run)
    axis, rng = int(np.argmax(np.ptp(np.quantile(gaussians.means, (0.1, 0.9), axis=0), axis=0))), np.random.default_rng(seed)
    along = gaussians.means[:, axis]
    bound = np.quantile(along, rng.uniform(*FROM_THE_MIDDLE))
    rows = np.flatnonzero(np.abs(along - bound) < OVERLAP * np.ptp(np.quantile(along, (0.01, 0.99))) / 2)
    usual = np.median(np.exp(gaussians.log_scales[rows]).max(axis=1))
    write_splats(path, _with(gaussians, rows, gaussians.means[rows] + rng.normal(0, shift * usual, (len(rows), 3))))
    return (*rows.tolist(), *range(gaussians.count, gaussians.count + len(rows)))


def _last(run: Path) -> tuple[Path, Gaussians]:
    path = max(run.glob("point_cloud/iteration_*/point_cloud.ply"), key=lambda path: int(path.parent.name.split("_")[1]))
    return path, read_gaussians(path)


def _with(gaussians: Gaussians, rows: I64, means: F32) -> Gaussians:
    """These rows once more at the end, at these places."""
    again = gaussians.take(rows)
    stored = {name: np.concatenate([gaussians.load(name), means if name == "means" else again.load(name)])
              for name in (*COLUMNS, "sh_rest")}
    return Gaussians.from_arrays(**stored)
