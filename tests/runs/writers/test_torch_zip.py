"""What the lab saves must be a checkpoint to torch itself, not only to our reader, for any nesting and any array."""

from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from runs.formats.torch_file import read_torch_file
from runs.writers.torch_zip import Parameter, write_torch_file

TYPES = [np.float32, np.float64, np.float16, np.int64, np.int32, np.int16, np.int8, np.uint8, np.bool_]
ARRAYS = hnp.arrays(st.sampled_from(TYPES), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.integers(-(2**70), 2**70)
PLAIN = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8)
VALUES = st.recursive(
    PLAIN | ARRAYS,
    lambda inner: st.lists(inner, max_size=4) | st.lists(inner, max_size=4).map(tuple) | st.dictionaries(KEYS, inner, max_size=4)
    | st.dictionaries(KEYS, inner, max_size=4).map(OrderedDict),
    max_leaves=12,
)


def assert_same(found: Any, expected: Any) -> None:
    """Same kinds, same values; arrays of the same type and shape, bit for bit."""
    if isinstance(expected, np.ndarray):
        found = np.asarray(found)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        assert found.tobytes() == expected.tobytes()
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        for key, value in expected.items():
            assert_same(found[key], value)
    elif isinstance(expected, list | tuple):
        assert type(found) is type(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, float):
        assert np.array_equal(found, expected, equal_nan=True)
    else:
        assert found == expected
        assert type(found) is type(expected)


@settings(max_examples=60, deadline=None)
@given(value=VALUES)
def test_any_value_comes_back(value: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Through our own reader: every kind, every shape, also empty ones and integers of any size."""
    path = tmp_path_factory.mktemp("torch") / "value.pth"
    write_torch_file(path, value)
    assert_same(read_torch_file(path), value)


@settings(max_examples=30, deadline=None)
@given(value=VALUES)
def test_torch_loads_the_same_without_trust(value: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    """`weights_only=True` refuses whatever is not plain data, and torch's kinds are ours."""
    torch = pytest.importorskip("torch", reason="torch is a peer for proofs, not needed by the product")
    path = tmp_path_factory.mktemp("torch") / "value.pth"
    write_torch_file(path, value)
    found = torch.load(path, weights_only=True)
    assert_same(found, value)
    assert isinstance(found, OrderedDict) == isinstance(value, OrderedDict)


def test_one_value_gives_one_file(tmp_path: Path) -> None:
    """The lab's cache goes by content: no time or place may enter the file."""
    value = {"step": 3, "p": Parameter(np.arange(6.0).reshape(2, 3)), "s": np.float32(2.5)}
    for folder in ("a", "b"):
        write_torch_file(tmp_path / folder / "c.pth", value)
    assert (tmp_path / "a" / "c.pth").read_bytes() == (tmp_path / "b" / "c.pth").read_bytes()


@pytest.mark.parametrize("value", [b"bytes", {1, 2}, object(), np.array(["text"]), np.zeros(2, np.complex64)])
def test_what_has_no_place_is_a_mistake(value: object, tmp_path: Path) -> None:
    """Silently written as text, it would be read as something else; nothing may be left behind."""
    with pytest.raises(TypeError, match=r"no place|no tensor"):
        write_torch_file(tmp_path / "x.pth", {"value": value})
    assert list(tmp_path.iterdir()) == []
