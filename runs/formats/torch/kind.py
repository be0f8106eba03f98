"""What a file of torch.save holds, by the structure of its description; no number of a tensor is read."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from runs.formats.torch.values import TensorShape
from runs.formats.torch_file import describe_torch_file, is_torchscript

Kind = Literal[
    "inria", "gsplat", "nerfstudio", "lightning", "3dgrut", "splat-trainer", "deform", "deformation", "deformation-table",
    "torchscript", "other",
]
Value = TypeVar("Value")
WRAPPERS = frozenset({"module", "_orig_mod"})  # what distributed training and torch.compile put around a module
DEEPEST = 50  # parts of a name


def torch_kind(path: Path) -> Kind:
    """Which trainer's kind of file this is; "other" for any that is not known. Raises UnreadableFile or RefusedFile."""
    return "torchscript" if is_torchscript(path) else kind_of(describe_torch_file(path))


def kind_of(saved: Any) -> Kind:
    """The kind of a saved object, described or read."""
    if isinstance(saved, tuple) and len(saved) == 2 and isinstance(saved[0], tuple) and type(saved[1]) is int:
        return "inria" if len(saved[0]) in range(12, 16) else "other"
    if isinstance(saved, TensorShape):
        return "deformation-table" if saved.code == "?" and len(saved.shape) == 1 else "other"
    if not isinstance(saved, dict):
        return "other"
    names = {name for name in saved if isinstance(name, str)}
    return next((kind for kind, fits in _BY_KEYS if fits(names)), "other")


def strip_prefixes(state: Mapping[str, Value]) -> dict[str, Value]:
    """The entries of a state dict without the names of wrappers (`module.`, `_model.module.`), repeated or not.

    Where two names become the same, the one that had no wrapper stays.
    """
    bare: dict[str, Value] = {}
    for name, value in state.items():
        short = _without_wrappers(name)
        if short not in bare or short == name:
            bare[short] = value
    return bare


def _without_wrappers(name: str) -> str:
    """Wrappers stand first, or behind nerfstudio's `_model`."""
    parts = name.split(".", DEEPEST)
    kept: list[str] = []
    for part in parts:
        if part not in WRAPPERS or (kept and kept != ["_model"]):
            kept.append(part)
    return ".".join(kept)


def _has(*needed: str) -> Callable[[set[str]], bool]:
    return lambda names: set(needed) <= names


_BY_KEYS: tuple[tuple[Kind, Callable[[set[str]], bool]], ...] = (
    ("gsplat", _has("splats")),
    ("nerfstudio", _has("pipeline", "optimizers", "step")),
    ("lightning", _has("pytorch-lightning_version")),
    ("3dgrut", _has("positions", "density", "global_step")),
    ("splat-trainer", _has("scene", "controller", "view_selection")),
    ("deformation", lambda names: any(name.startswith("deformation_net.") for name in names)),
    ("deform", lambda names: "linear.0.weight" in names or any(name.startswith("timenet.") for name in names)),
)
