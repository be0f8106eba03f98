"""Motion of Deformable-3D-Gaussians: `deform/iteration_N/deform.pth` applied to the canonical set of the same save."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from runs.arrays import F32
from runs.errors import UnreadableFile
from runs.formats.splat_file import Stamp
from runs.gaussians import Gaussians
from runs.motion import chunks, moved
from runs.trainers.moving.deformable_network import DeformNetwork, read_network
from runs.trainers.moving.deformable_shape import as_drawn
from runs.trainers.moving.layers import Misfit, read_tensors
from runs.trainers.moving.saved_motion import OTHER_NETWORK


@dataclass(frozen=True)
class Deformation:
    """Moves Gaussians as the trainer's `gaussian_renderer` does: to means, activated scales and unit quats it adds."""

    path: Path
    stamp: Stamp
    span: tuple[float, float] = (0.0, 1.0)  # the trainer divides the number of a frame by that of the last

    def at(self, canonical: Gaussians, time: float) -> Gaussians:
        """Raises UnreadableFile or RefusedFile."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # what the file holds may be anything
            return moved(canonical, _columns(_network(self.path, self.stamp), canonical, time))


def read_motion(path: Path) -> Deformation:
    """The motion in a deform.pth, its shapes checked. Raises UnreadableFile or RefusedFile."""
    stamp = Stamp.of(path.stat())
    _network(path, stamp)
    return Deformation(path, stamp)


@lru_cache(maxsize=2)  # of 2 MB each; the stamp tells a replaced file
def _network(path: Path, _stamp: Stamp) -> DeformNetwork:
    try:
        return read_network(read_tensors(path))
    except Misfit as error:
        raise UnreadableFile(f"its network {error}, {OTHER_NETWORK}", path) from error


def _columns(network: DeformNetwork, canonical: Gaussians, time: float) -> dict[str, F32]:
    count = canonical.count
    means, scales, quats = (np.empty((count, width), np.float32) for width in (3, 3, 4))
    for rows in chunks(count):
        hidden = network.hidden(canonical.means[rows], time)
        means[rows] = network.moved(canonical.means[rows], hidden)
        scales[rows] = canonical.scales[rows] + network.scaling(hidden)
        unit = canonical.quats_wxyz[rows] / np.maximum(canonical.quat_norms[rows, None], np.float32(1e-12))
        quats[rows] = unit + network.rotation(hidden)
    log_scales, quats = as_drawn(scales, quats)
    return {"means": means, "log_scales": log_scales, "quats_wxyz": quats}
