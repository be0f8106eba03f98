"""How far training moved the cameras, one row per trained camera in a checkpoint."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from runs.run import PoseDeltas
from runs.storage import present
from runs.trainers.shared.tensor_columns import is_rows


def deltas_of(stored: Any, width: int, names: Sequence[str]) -> PoseDeltas:
    """By the names of the trained cameras in the trainer's order, or by place where their number differs; {} for no such rows."""
    if not is_rows(stored, (width,)):
        return {}
    rows = np.asarray(present(stored), np.float64)
    keys: Sequence[str | int] = names if len(names) == len(rows) else range(len(rows))
    return dict(zip(keys, rows, strict=True))
