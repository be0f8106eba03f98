"""Settings are quoted in every finding, and cfg_args is text that its own trainer evaluates: we must read it and never run it."""

from argparse import Namespace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.errors import RefusedFile, UnreadableFile
from runs.formats.cfg_args import read_cfg_args, read_settings_json
from tests.support.data import shared_data
from tests.support.hostile import only_our_error

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
keys = st.from_regex(r"[a-z_]{1,8}_", fullmatch=True)  # never a Python keyword


def written(folder: Path, text: str, name: str = "cfg_args") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    return path


@given(st.dictionaries(keys, plain, max_size=5))
def test_whatever_argparse_prints_is_read_back(tmp_path_factory: pytest.TempPathFactory, values: dict[str, object]) -> None:
    """Windows paths, quotes and line ends inside strings included: repr escapes them."""
    path = tmp_path_factory.mktemp("run") / "cfg_args"
    path.write_text(str(Namespace(**values)), encoding="utf-8", errors="surrogatepass")
    assert {name: setting.value for name, setting in read_cfg_args(path).items()} == values


def test_values_that_are_no_literals_stay_text(tmp_path: Path) -> None:
    """4DGaussians nests dicts, others print paths and infinities: shown as written, never computed."""
    settings = read_cfg_args(
        written(tmp_path, "Namespace(a=PosixPath('/x'), b=inf, c=-1e-3, d=(1, 2), e={'k': {'n': 3}}, f=Namespace(g=1))")
    )
    assert [settings.value(name) for name in "abcdef"] == [
        "PosixPath('/x')",
        "inf",
        -1e-3,
        [1, 2],
        {"k": {"n": 3}},
        "Namespace(g=1)",
    ]
    assert settings["a"].source == "cfg_args"


def test_code_is_never_run(tmp_path: Path) -> None:
    """The trainer's own loader would run this with eval()."""
    marker = tmp_path / "ran"
    settings = read_cfg_args(written(tmp_path, f"Namespace(x=__import__('pathlib').Path({str(marker)!r}).touch())"))
    assert not marker.exists()
    assert "__import__" in settings.value("x")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Namespace",
        "dict(a=1)",
        "Namespace(a=",
        "Namespace(a=1); import os",
        "x.Namespace(a=1)",
        "Namespace(a=" + "-" * 100_000 + "1)",
        "Namespace(a=" + "1+" * 100_000 + "1)",
        "Namespace(a=" + "9" * 10_000 + ")",
        "\0",
        "Namespace(a='\n')",
    ],
)
def test_other_text_is_one_clear_sentence(tmp_path: Path, text: str) -> None:
    """Half-written, foreign or hostile text must neither crash nor hang."""
    with pytest.raises(UnreadableFile, match=r"not the Namespace\(\.\.\.\) text"):
        read_cfg_args(written(tmp_path, text))


def test_deep_nesting_and_size_are_refused(tmp_path: Path) -> None:
    """Both exhaust Python's parser long before they could mean anything."""
    def nested(levels: int) -> Path:
        return written(tmp_path, "Namespace(a=[[], [], " + "[" * (levels - 2) + "]" * (levels - 2) + "])")  # Namespace( is one

    assert read_cfg_args(nested(50)).value("a")[:2] == [[], []]
    with pytest.raises(RefusedFile, match="nested deeper than 50"):
        read_cfg_args(nested(51))
    with pytest.raises(RefusedFile, match="over 1 MiB"):
        read_cfg_args(written(tmp_path, "Namespace(a='" + "x" * 2**20 + "')"))


@given(st.text(max_size=60) | st.text("Namespace(a=1,[]{}'\\\n*-:)0x", max_size=60).map("Namespace(".__add__))
def test_no_text_escapes_as_another_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """The only errors a caller has to know are ours."""
    path = tmp_path_factory.mktemp("run") / "cfg_args"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with only_our_error(path):
        read_cfg_args(path)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    """The operating system's reason is passed on."""
    with pytest.raises(UnreadableFile, match="No such file"):
        read_cfg_args(tmp_path / "cfg_args")


def test_settings_json(tmp_path: Path) -> None:
    """Extra settings files of trainers are plain JSON objects."""
    settings = read_settings_json(written(tmp_path, '{"iterations": 1500, "nested": {"a": [1]}, "odd": NaN}', "opt_args.json"))
    assert settings.value("iterations") == 1500
    assert settings.value("nested") == {"a": [1]}
    assert settings["iterations"].source == "opt_args.json"
    with pytest.raises(UnreadableFile, match="no JSON object"):
        read_settings_json(written(tmp_path, "[1]", "list.json"))
    with pytest.raises(UnreadableFile, match="not complete JSON"):
        read_settings_json(written(tmp_path, '{"a": ', "half.json"))


def test_inrias_own_file() -> None:
    """As the trainer wrote it for a real capture."""
    settings = read_cfg_args(shared_data("inria-real", "cfg_args"))
    assert settings.value("resolution") == 2
    assert settings.value("eval") is False
    assert settings.value("train_test_exp") is False
