"""`exposure.json`: one affine colour correction per training image."""

from pathlib import Path

import numpy as np

from runs.advice import FOREIGN
from runs.arrays import F64
from runs.errors import UnreadableFile
from runs.formats.small_files import read_json


def read_exposures(path: Path) -> dict[str, F64]:
    """float64 [3, 4] per image name: rgb' = rgb @ E[:, :3] + E[:, 3]. Non-finite values are kept.

    Raises UnreadableFile, naming the first entry that is no 3x4 matrix.
    """
    stored = read_json(path)
    if not isinstance(stored, dict):
        raise UnreadableFile(f"this exposure file holds no JSON object; {FOREIGN}", path)
    return {name: _matrix(name, rows, path) for name, rows in stored.items()}


def _matrix(name: str, rows: object, path: Path) -> F64:
    try:
        matrix = np.array(rows, np.float64)
    except (ValueError, TypeError, OverflowError):
        matrix = np.empty(0)
    if matrix.shape != (3, 4):
        raise UnreadableFile(f"the exposure of {name} is not a 3x4 matrix; {FOREIGN}", path)
    return matrix
