"""The colour corrections that a trainer learned per photo, laid over renders before they are held against photos."""

from dataclasses import dataclass

import numpy as np

from diagnostics.facts.redrawn import corrects
from runs.arrays import F32, F64, Array
from runs.names import NameIndex
from runs.run import Run


@dataclass(frozen=True, eq=False)
class Learned:
    """A run's own corrections (exposure.json); none where every one of them is the identity."""

    matrices: dict[str, F64]  # float64 [3, 4] by the name that the file gives
    index: NameIndex

    @property
    def any(self) -> bool:
        return bool(self.matrices)

    def of(self, camera: str) -> F64 | None:
        """float64 [3, 4]; None for a photo without a usable correction."""
        matrix = self.matrices.get(self.index.find(camera) or "")
        return None if matrix is None or not np.isfinite(matrix).all() else matrix

    def over(self, rgb: Array, camera: str) -> F32:
        """float32 [H, W, 3]: the render as the trainer compared it; as it is for a photo without a correction."""
        matrix = self.of(camera)
        return np.asarray(rgb if matrix is None else rgb @ matrix[:, :3] + matrix[:, 3], np.float32)


def learned_by(run: Run) -> Learned:
    """rgb' = rgb @ E[:, :3] + E[:, 3], as INRIA's trainer stores it since 2024-08."""
    known = dict(run.exposures) if corrects(run.exposures) else {}
    return Learned(known, NameIndex(known))
