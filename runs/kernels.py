"""The one way to compile a numeric kernel: numba, with settings that are safe on a shared desktop."""

import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

# Set before numba loads its OpenMP layer: with the default, waiting threads spin and one busy
# neighbour process makes two-thread kernels 3-16 times slower.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

# numba's fallback threading layer aborts the process when two Python threads run parallel kernels.
PARALLEL_LOCK = threading.RLock()

prange = numba.prange


def kernel(function: Kernel) -> Kernel:
    """Compile a serial kernel that releases the GIL; cached on disk, so it must be a module-level function."""
    return cast(Kernel, numba.njit(cache=True, nogil=True)(function))


def lane_kernel(function: Kernel) -> Kernel:
    """A serial kernel whose loops may become vector instructions even where they divide: x / 0 is inf or NaN instead of an
    error, and a product and a sum may be rounded once. Nothing is reordered, and NaN stays NaN.
    """
    return cast(Kernel, numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})(function))


def inlined(function: Kernel) -> Kernel:
    """A part of a `lane_kernel`, compiled into its caller: handing eight arrays to a function costs 50 ns, often
    more than its work.

    It takes arrays and an index, not slices: a slice is counted as a reference, with an atomic instruction.
    """
    return cast(Kernel, numba.njit(nogil=True, error_model="numpy", fastmath={"contract"}, forceinline=True)(function))


def parallel_kernel(function: Kernel) -> Kernel:
    """Compile a multi-threaded kernel; callers hold `PARALLEL_LOCK` while it runs."""
    return cast(Kernel, numba.njit(cache=True, nogil=True, parallel=True)(function))
