"""One look at the description of a checkpoint says who wrote it; a wrong answer would send it to the wrong reader."""

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.formats.torch.kind import Kind, kind_of, strip_prefixes, torch_kind
from runs.formats.torch.values import TensorShape
from runs.formats.torch_file import describe_torch_file, read_torch_file
from runs.writers.torch_zip import rebuild
from tests.support.files import random_gaussians
from tests.support.torch_zip import TorchZip, write_inria_state


@pytest.mark.parametrize(("keys", "kind"), [
    (("step", "splats"), "gsplat"), (("step", "pipeline", "optimizers", "schedulers", "scalers"), "nerfstudio"),
    (("epoch", "state_dict", "pytorch-lightning_version"), "lightning"),
    (("positions", "density", "rotation", "global_step"), "3dgrut"),
    (("step", "scene", "controller", "view_selection", "view_clustering"), "splat-trainer"),
    (("linear.0.weight", "linear.0.bias", "gaussian_warp.weight"), "deform"),
    (("deformation_net.grid.aabb", "timenet.0.weight"), "deformation"), (("timenet.0.weight",), "deform"),
    (("model",), "other"), ((), "other"),
])
def test_dictionaries_are_told_by_their_keys(keys: tuple[str, ...], kind: Kind, tmp_path: Path) -> None:
    """Every row of the table, from a file."""
    assert torch_kind(TorchZip().write(tmp_path / "x.pt", dict.fromkeys(keys, 1))) == kind


@pytest.mark.parametrize(("saved", "kind"), [
    (np.zeros(7, bool), "deformation-table"), (np.zeros((7, 3), np.float32), "other"), (np.zeros(7, np.uint8), "other"),
    ([1, 2], "other"), ((1, 2), "other"), (7, "other"),
])
def test_other_objects(saved: Any, kind: Kind, tmp_path: Path) -> None:
    """4DGaussians saves a bare tensor of truth values."""
    assert torch_kind(TorchZip().write(tmp_path / "x.pt", saved)) == kind


def test_inria_and_programs(tmp_path: Path) -> None:
    """A program is named and not read."""
    assert torch_kind(write_inria_state(tmp_path / "chkpnt7.pth", random_gaussians(3), 7)) == "inria"
    program = TorchZip().write(tmp_path / "mlp.pt", {}, extra={"constants.pkl": b"", "code/__torch__.py": b""})
    assert torch_kind(program) == "torchscript"


def test_describing_reads_no_number(tmp_path: Path) -> None:
    """A checkpoint of a million Gaussians has 700 MB; telling its size must cost the description only."""
    archive = TorchZip()
    values = np.zeros((1 << 20, 3), np.float32)
    halves = archive.store(np.zeros(1 << 20, np.float16), "BFloat16Storage")
    wide = rebuild(halves, 0, (1 << 10, 1 << 10), (1 << 10, 1))
    path = archive.write(tmp_path / "ckpt.pt", {"splats": {"means": values, "wide": wide}})
    tracemalloc.start()
    try:
        described = describe_torch_file(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 19
    finally:
        tracemalloc.stop()
    shapes = {"means": TensorShape((1 << 20, 3), "f4"), "wide": TensorShape((1 << 10, 1 << 10), "bfloat16")}
    assert described == {"splats": shapes}
    assert kind_of(described) == kind_of({"splats": read_torch_file(path)}) == "gsplat"


NAMES = st.lists(st.sampled_from(["gauss_params", "means", "linear", "0", "weight"]), min_size=1, max_size=3).map(".".join)


WRAPPERS = st.lists(st.sampled_from(["module", "_orig_mod"]), max_size=3)


@given(names=st.sets(NAMES, min_size=1), wrappers=WRAPPERS, inside=st.booleans())
def test_wrappers_are_stripped(names: set[str], wrappers: list[str], inside: bool) -> None:
    """Distributed training wraps once or more, around the pipeline or around the model in it (T29)."""
    first = "_model." if inside else ""
    wrapped = {first + ".".join([*wrappers, name]): index for index, name in enumerate(sorted(names))}
    assert strip_prefixes(wrapped) == {first + name: index for index, name in enumerate(sorted(names))}


def test_what_is_no_wrapper_stays() -> None:
    """A layer may be called `module`; and of two equal names the unwrapped one counts."""
    assert strip_prefixes({"encoder.module.weight": 1}) == {"encoder.module.weight": 1}
    assert strip_prefixes({"module.a": 1, "a": 2}) == strip_prefixes({"a": 2, "module.a": 1}) == {"a": 2}
