"""A settings file comes from anyone: YAML can name code to run and values without end, and must do neither here."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from runs.errors import RefusedFile, UnreadableFile
from runs.formats.yaml_file import TAG, read_yaml
from tests.support.hostile import only_our_error

TEXT = st.text(st.characters(categories=["L", "N", "P", "Zs"]), max_size=8)
PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False) | TEXT
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=12)


def written(folder: Path, text: str) -> Path:
    path = folder / "cfg.yml"
    path.write_text(text, encoding="utf-8")
    return path


@settings(max_examples=60, deadline=None)
@given(value=VALUES)
def test_what_yaml_writes_is_read(value: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Numbers, texts that look like numbers, nothing, and any nesting of them."""
    assert read_yaml(written(tmp_path_factory.mktemp("yaml"), yaml.safe_dump(value, allow_unicode=True))) == value


def test_tags_of_python_become_plain_values(tmp_path: Path) -> None:
    """What yaml.dump writes of a trainer's settings: objects, tuples, paths, enums, names of classes."""
    text = """
strategy: !!python/object:gsplat.strategy.default.DefaultStrategy
  prune_opa: 0.005
  verbose: false
shape: !!python/tuple [16, 16, 8]
path: !!python/object/apply:pathlib.PosixPath [/, data]
model: !!python/object/apply:gsplat.cuda._wrapper.CameraModel [pinhole]
target: !!python/name:nerfstudio.models.splatfacto.SplatfactoModel ''
when: 2026-01-02
many: !!set {a: null}
raw: !!binary aGVsbG8=
"""
    assert read_yaml(written(tmp_path, text)) == {
        "strategy": {TAG: "object:gsplat.strategy.default.DefaultStrategy", "prune_opa": 0.005, "verbose": False},
        "shape": [16, 16, 8], "path": ["/", "data"], "model": ["pinhole"], "when": "2026-01-02", "many": {"a": None},
        "target": "name:nerfstudio.models.splatfacto.SplatfactoModel", "raw": "aGVsbG8=",
    }


@pytest.mark.parametrize("call", [
    "!!python/object/apply:os.system ['touch {path}']", "!!python/object/new:os.system ['touch {path}']",
    "!!python/object/apply:builtins.exec [\"open('{path}', 'w')\"]", "!!python/module:antigravity ''",
])
def test_nothing_is_run(call: str, tmp_path: Path) -> None:
    """yaml.load would have run each of these."""
    proof = tmp_path / "was_run"
    read_yaml(written(tmp_path, f"a: {call.format(path=proof)}"))
    assert not proof.exists()


def laughs(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]", *(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, levels))]
    return "\n".join(lines)


@pytest.mark.parametrize(("text", "why"), [
    (laughs(9), "more than 50,000 values"),
    ("a: &a [*a]", "refers to itself"),
    ("a: &a {b: *a}", "refers to itself"),
    ("[" * 60 + "]" * 60, "nested deeper"),
    ("[" * 3000 + "]" * 3000, "nested deeper"),
    ("\n".join(["a0: &a0 [x]", *(f"a{i}: &a{i} [*a{i - 1}]" for i in range(1, 70))]), "nested deeper"),
    ("a: &a {x: 1}\nb: {<<: [*a, *a]}", "merges"),
    ("x" * 300_000, "MiB"),
])
def test_bombs_are_refused(text: str, why: str, tmp_path: Path) -> None:
    """A few bytes that stand for billions of values, or for a value within itself, would end the process."""
    with pytest.raises(RefusedFile, match=why):
        read_yaml(written(tmp_path, text))


def test_honest_aliases_are_read(tmp_path: Path) -> None:
    """yaml.dump writes an alias wherever two settings share one list."""
    shared = [7000, 30000]
    assert read_yaml(written(tmp_path, yaml.dump({"a": shared, "b": shared}))) == {"a": shared, "b": shared}


@pytest.mark.parametrize("text", ["a: [1,", "a: b: c", "? [1]\n: 2", "a: !!unknown 1", "a: !!int x", "\x00", "%"])
def test_what_is_no_yaml_says_so(text: str, tmp_path: Path) -> None:
    """One sentence with the file's name, whatever the parser tripped over."""
    with pytest.raises(UnreadableFile, match=r"cfg\.yml"):
        read_yaml(written(tmp_path, text))


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    """A trainer that has just opened its settings file."""
    assert read_yaml(written(tmp_path, "")) is None


@settings(max_examples=80, deadline=None)
@given(data=st.binary(max_size=200) | TEXT.map(str.encode) | st.text("[]{}:-,&*!|>\n ab01", max_size=60).map(str.encode))
def test_any_bytes_end_in_a_value_or_a_sentence(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No other exception may reach the window."""
    path = tmp_path_factory.mktemp("yaml") / "cfg.yml"
    path.write_bytes(data)
    with only_our_error(path):
        read_yaml(path)
