"""What a cached result depends on, as a hash: the contents of a plan and the sources of what works on it."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, partial
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from tests.lab.plan import Plan

REPOSITORY = Path(__file__).resolve().parents[2]
# What a training's files depend on, and what their diagnosis does: folders and files below the repository.
ENGINE = ("diagnostics/optimiser", "diagnostics/measures/extent.py", "render", "runs/writers", "runs/kernels.py",
          "runs/gaussians.py", "runs/cameras.py", "tests/lab/train.py", "tests/lab/scenes/writing.py")
DOCTOR = ("diagnostics", "render", "runs", "resources/catalogue", "tests/lab/judge.py", "tests/lab/outcome.py")
NO_SAY = ("render/viewport", "diagnostics/report", "diagnostics/accuracy.py")
ONLY_LOOKING = ("render/colouring.py", "render/raster/cpu.py", "render/raster/cuda.py", "render/raster/kernels_blend.py",
                "render/raster/kernels_project.py", "render/raster/kernels_removal.py", "render/raster/kernels_tiles.py",
                "render/raster/measures.py", "render/raster/prefetch.py", "render/raster/reference.py",
                "render/raster/removal.py")
# A probe runs when a user asks for it; no verdict from files depends on one.
NOT_FROM_FILES = ("diagnostics/optimiser", "runs/writers", "diagnostics/probes")
SUFFIXES = (".py", ".toml")


def training_key(plan: Plan) -> str:
    """Changes with anything that could change the folder of the run or of its data."""
    told = hashlib.sha256(sources(ENGINE, NO_SAY + ONLY_LOOKING).encode())
    _tell(told.update, plan)
    return told.hexdigest()[:20]


def diagnosis_key(training: str) -> str:
    """Changes with the run and with the doctor."""
    told = sources(DOCTOR, NO_SAY + NOT_FROM_FILES)
    return hashlib.sha256(f"{training} {told}".encode()).hexdigest()[:20]


@cache
def sources(parts: tuple[str, ...], without: tuple[str, ...] = ()) -> str:
    """The hash of source files, by name and content; told once per process."""
    told = hashlib.sha256()
    for name in sorted(_files(parts)):
        if not name.startswith(without):
            told.update(name.encode())
            told.update((REPOSITORY / name).read_bytes())
    return told.hexdigest()


def _files(parts: Iterable[str]) -> Iterable[str]:
    for part in parts:
        path = REPOSITORY / part
        found = [path] if path.is_file() else path.rglob("*")
        yield from (file.relative_to(REPOSITORY).as_posix() for file in found if file.suffix in SUFFIXES)


def _tell(update: Callable[[bytes], object], value: Any) -> None:
    """Feed a value, with everything it holds, in an order that does not depend on the process."""
    update(type(value).__name__.encode())
    if isinstance(value, np.ndarray):
        update(str((value.dtype, value.shape)).encode())
        update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, Mapping):
        _tell(update, sorted(value.items()))
    elif isinstance(value, (list, tuple)):
        for item in value:
            _tell(update, item)
    elif callable(value):
        _tell_callable(update, value)
    elif is_dataclass(value):
        for entry in fields(value):
            update(entry.name.encode())
            _tell(update, getattr(value, entry.name))
    else:
        update(repr(value).encode())


def _tell_callable(update: Callable[[bytes], object], value: Callable[..., Any]) -> None:
    """A function by its compiled code, so that moving it or its comments changes nothing, and by what it was given."""
    if isinstance(value, partial):
        _tell(update, (value.func, value.args, value.keywords))
        return
    code = getattr(value, "__code__", None)
    update(f"{value.__module__}.{value.__qualname__}".encode())
    if code is not None:
        _tell_code(update, code)
        _tell(update, [cell.cell_contents for cell in value.__closure__ or ()])
        _tell(update, value.__defaults__ or ())
        _tell(update, value.__kwdefaults__ or {})
        update(_module_helpers(value))


def _tell_code(update: Callable[[bytes], object], code: CodeType) -> None:
    update(code.co_code)
    update(repr(code.co_names).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _tell_code(update, constant)
        else:
            update(repr(constant).encode())


def _module_helpers(function: Callable[..., Any]) -> bytes:
    """The source of a broken step's module: its private helpers have a say too."""
    path = Path(function.__code__.co_filename)
    return path.read_bytes() if path.parent.name == "broken" else b""
