"""Loads numba's compiler before the window shows: done by a worker, it would hold the interpreter while the user waits."""

from runs.kernels import kernel


@kernel
def _smallest(value: float) -> float:
    return value


def warm_up() -> None:
    """About 0.2 s once per process; every later kernel only reads its own file."""
    _smallest(1.0)
