"""Motion of 4DGaussians: `deformation.pth` beside a saved point cloud of the fine stage, applied to its canonical set."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from runs.arrays import F32
from runs.errors import UnreadableFile
from runs.formats.splat_file import Stamp
from runs.gaussians import Gaussians
from runs.motion import chunks, moved
from runs.settings import Settings
from runs.trainers.moving.four_d_network import FourDNetwork, heads_at_work, read_network
from runs.trainers.moving.layers import Misfit, read_tensors
from runs.trainers.moving.saved_motion import OTHER_NETWORK

COLOURS = "sh"  # the head that adds to all coefficients at once, DC first


@dataclass(frozen=True)
class HexMotion:
    """Moves Gaussians as the trainer's `gaussian_renderer` does in the fine stage: it adds to the stored parameters."""

    path: Path
    stamp: Stamp
    columns: tuple[str, ...]  # what moves
    span: tuple[float, float] = (0.0, 1.0)  # the trainer divides the number of a frame by the count of frames

    def at(self, canonical: Gaussians, time: float) -> Gaussians:
        """Raises UnreadableFile or RefusedFile."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # what the file holds may be anything
            return moved(canonical, _columns(_loaded(self.path, self.stamp, self.columns), canonical, time))


def read_motion(path: Path, settings: Settings) -> HexMotion:
    """The motion in a deformation.pth, its shapes checked. Raises UnreadableFile or RefusedFile."""
    stamp = Stamp.of(path.stat())
    try:
        columns = heads_at_work(settings)
    except Misfit as error:
        raise _still(error, path) from error
    _network(path, columns)
    return HexMotion(path, stamp, columns)


def _network(path: Path, columns: Sequence[str]) -> FourDNetwork:
    try:
        return read_network(read_tensors(path), columns)
    except Misfit as error:
        raise _still(error, path) from error


def _still(error: Misfit, path: Path) -> UnreadableFile:
    return UnreadableFile(f"its network {error}, {OTHER_NETWORK}", path)


@lru_cache(maxsize=1)  # planes of up to 150 MB; the stamp tells a replaced file
def _loaded(path: Path, _stamp: Stamp, columns: tuple[str, ...]) -> FourDNetwork:
    network = _network(path, columns)
    return replace(network, planes=network.planes.loaded())


def _columns(network: FourDNetwork, canonical: Gaussians, time: float) -> dict[str, F32]:
    """The columns that move, at `time`."""
    starts = {column: _start(canonical, column) for column in network.heads}
    moving = {column: np.empty_like(values) for column, values in starts.items()}
    field = network.planes.at(time)
    for rows in chunks(canonical.count):
        added = network.added(field.features(canonical.means[rows]))
        for column, values in moving.items():
            start = starts[column][rows]
            values[rows] = start + added[column].reshape(len(start), -1)[:, : start[0].size].reshape(start.shape)
    colours = moving.pop(COLOURS, None)
    return moving if colours is None else {**moving, "sh0": colours[:, 0], "sh_rest": colours[:, 1:]}


def _start(canonical: Gaussians, column: str) -> F32:
    """float32 [N, …]: what the head adds to."""
    if column == COLOURS:
        return np.concatenate([canonical.sh0[:, None], canonical.sh_rest], axis=1)
    values: F32 = getattr(canonical, column)
    return values
