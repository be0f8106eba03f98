"""Checkpoints in which any one value is another: they are read, or refused in one sentence; nothing else comes out."""

import contextlib
import copy
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.errors import RunError
from runs.writers.torch_zip import write_torch_file
from tests.support.plain_states import KINDS

ODD: tuple[Any, ...] = (
    None, 0, -1, 7, 2**40, 1.5, float("nan"), "text", [], {}, (), [1, 2], {"a": 1}, True, np.zeros(0, np.float32),
    np.zeros((3, 3), np.int64), np.zeros((3, 3), np.float64), np.zeros((2, 3), np.float32), np.zeros((3, 2, 2), np.float32),
    np.full((), 5, np.float32), np.full((3, 3), np.nan, np.float32), np.zeros((3, 0), np.float32), np.zeros((0, 3), np.float32),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside, through mappings and lists."""
    if path:
        yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield from places(part, (*path, key))


def replaced(saved: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy with one value replaced, or left out where it is `...`."""
    found = copy.deepcopy(saved)
    target = found
    for key in path[:-1]:
        target = target[key]
    if value is ...:
        del target[path[-1]]
    else:
        target[path[-1]] = value
    return found


@pytest.mark.parametrize("name", KINDS)
def test_a_valid_one_is_read(name: str, tmp_path: Path) -> None:
    """Else the damage below would prove nothing."""
    kind = KINDS[name]
    write_torch_file(tmp_path / kind.file_name, kind.saved)
    kind.read(tmp_path / kind.file_name)


@pytest.mark.parametrize("name", KINDS)
@given(data=st.data())
def test_any_value_may_be_another(name: str, data: st.DataObject) -> None:
    """Any exception but RunError would end the opening of a run."""
    kind = KINDS[name]
    path = data.draw(st.sampled_from(list(places(kind.saved))))
    saved = replaced(kind.saved, path, data.draw(st.sampled_from((*ODD, ...))))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / kind.file_name
        write_torch_file(file, saved)
        with contextlib.suppress(RunError):
            kind.read(file)
