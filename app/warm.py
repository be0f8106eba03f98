"""Loads what pages and pictures need before the window shows: done by a worker, it would hold the interpreter meanwhile."""

from diagnostics.catalogue import load_catalogue
from runs.kernels import kernel


@kernel
def _smallest(value: float) -> float:
    return value


def warm_up() -> None:
    """About 0.3 s once per process: numba's compiler, so that every later kernel only reads its own file, and the catalogue."""
    _smallest(1.0)
    load_catalogue()
