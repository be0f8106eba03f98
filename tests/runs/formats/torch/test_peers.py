"""torch itself as the writer: what it saves, in either format and with foreign classes, must come back number for number."""

import argparse
import collections
import pathlib
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs.errors import UnreadableFile
from runs.formats.torch.opaque import Opaque, plain
from runs.formats.torch.values import TensorShape
from runs.formats.torch_file import describe_torch_file, read_torch_file
from tests.support.hostile import only_our_error

torch = pytest.importorskip("torch")


def same(found: Any, expected: Any) -> None:
    """Equal structure and numbers; tensors of torch against our arrays."""
    if isinstance(expected, torch.Tensor):
        assert found.shape == tuple(expected.shape)
        numbers = expected.detach()
        np.testing.assert_array_equal(found, numbers.float() if expected.dtype is torch.bfloat16 else numbers)
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        for key, value in expected.items():
            same(found[key], value)
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    else:
        np.testing.assert_array_equal(found, expected)


def training_state() -> dict[str, Any]:
    """What trainers save: parameters, views on one storage, buffers of many types, a used optimizer, numpy values."""
    base = torch.arange(24, dtype=torch.float32)
    parameter = torch.nn.Parameter(torch.randn(5, 3))
    optimizer = torch.optim.Adam([{"params": [parameter], "lr": np.float64(1.6e-4), "name": "xyz"}], eps=1e-15)
    parameter.sum().backward()
    optimizer.step()
    kinds = ("float16", "bfloat16", "float64", "int64", "int32", "int16", "int8", "uint8", "bool")
    return {
        "step": 6999, "parameter": parameter, "whole": base, "views": [base[3:9], base.view(4, 6).T, base[::5], base[7]],
        "kinds": {kind: torch.tensor([0, 1, 1, 0]).to(getattr(torch, kind)) for kind in kinds}, "empty": torch.empty(0, 15, 3),
        "optimizer": optimizer.state_dict(), "extent": np.float64(4.1), "count": np.int32(7), "flag": np.bool_(True),
        "table": np.arange(6, dtype=">f8").reshape(2, 3), "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "sizes": torch.Size([2, 3]), "texts": ("é", b"\x00\xff", None, True, 1 << 70, -0.5),
        "ordered": collections.OrderedDict(a=1),
        "factory": collections.defaultdict(dict, a={"b": 1}), (1, "a"): "key", "dtype": "x",
    }


@pytest.mark.parametrize("zipped", [True, False])
def test_a_training_state_in_either_format(zipped: bool, tmp_path: Path) -> None:
    """Since 1.6 a zip, before it pickles in a row; in both the views share their storage and stay where they lie."""
    state = training_state()
    torch.save(state, tmp_path / "state.pth", _use_new_zipfile_serialization=zipped)
    found = read_torch_file(tmp_path / "state.pth")
    same(found, state)
    assert found["whole"].base is not None
    assert np.shares_memory(found["whole"], found["views"][0])
    assert not found["whole"].flags.writeable
    assert describe_torch_file(tmp_path / "state.pth")["views"][1] == TensorShape((6, 4), "f4")


def test_a_small_view_of_a_big_storage_is_the_view(tmp_path: Path) -> None:
    """torch saves the whole storage behind a view; the tensor is still the small one (T17)."""
    big = torch.arange(100_000, dtype=torch.float32)
    torch.save({"view": big[500:503], "again": big[501:]}, tmp_path / "view.pt")
    found = read_torch_file(tmp_path / "view.pt")
    assert found["view"].tolist() == [500, 501, 502]
    assert found["again"].shape == (99_499,)


@pytest.fixture
def foreign() -> Any:
    """Classes of a trainer that is not installed here, while they are saved."""
    module = types.ModuleType("trainer_of_others")

    class Config:
        def __init__(self) -> None:
            self.sh_degree, self.path, self.lr = 3, pathlib.PurePosixPath("/data/garden"), [1e-3, 2]

    class Bag(dict):
        pass

    for kind in (Config, Bag):
        kind.__module__, kind.__qualname__ = module.__name__, kind.__name__
        setattr(module, kind.__name__, kind)
    sys.modules[module.__name__] = module
    yield module
    del sys.modules[module.__name__]


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_foreign_classes_are_named_and_never_imported(foreign: Any, protocol: int, tmp_path: Path) -> None:
    """Lightning and 3DGRUT put their settings objects into checkpoints (T18); the tensors beside them must be readable."""
    bag = foreign.Bag(a=1, config=foreign.Config())
    saved = {"hyper_parameters": bag, "means": torch.ones(2, 3), "parsed": argparse.Namespace(eval=True), "kinds": {1, 2}}
    torch.save(saved, tmp_path / "x.ckpt", pickle_protocol=protocol)
    del sys.modules["trainer_of_others"]
    try:
        found = read_torch_file(tmp_path / "x.ckpt")
    finally:
        sys.modules["trainer_of_others"] = foreign
    np.testing.assert_array_equal(found["means"], np.ones((2, 3)))
    config = found["hyper_parameters"].content["config"]
    assert isinstance(config, Opaque)
    assert str(config) == "trainer_of_others.Config"
    assert config.attributes["sh_degree"] == 3
    assert plain(found["hyper_parameters"]) == {"a": 1, "config": {"sh_degree": 3, "path": "/data/garden", "lr": [1e-3, 2]}}
    assert plain(found["parsed"]) == {"eval": True}
    assert sorted(found["kinds"]) == [1, 2]


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.99])
def test_a_cut_legacy_file_ends_in_a_sentence(share: float, tmp_path: Path) -> None:
    """Its parts stand one behind the other, so a half-written one must be told by what is missing."""
    path = tmp_path / "state.pth"
    torch.save(training_state(), path, _use_new_zipfile_serialization=False)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    with only_our_error(path), pytest.raises(UnreadableFile):
        read_torch_file(path)
