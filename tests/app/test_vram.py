"""The command that tells which GPU suffices: the numbers of the published table, and no number where none is known."""

import json
from pathlib import Path

import pytest

from app.cli import main
from diagnostics.memory.sizes import size_text
from tests.support.data import REPOSITORY

SAMPLE = str(REPOSITORY / "resources" / "sample_run")
MIP_GARDEN = ["--count", "5,710,000", "--trainer", "inria"]


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main(["vram", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_published_garden_fits_where_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    """11.04 GiB were measured with photos of 12 bytes per pixel; today's trainer keeps 16, so 0.75 GiB more of them."""
    told = asked(capsys, *MIP_GARDEN, "--images", "185", "--size", "1297x840")
    newer = 185 * 1297 * 840 * 4
    assert (told["peak"]["total_bytes"] - newer) / 2**30 == pytest.approx(11.04, rel=0.03)
    verdicts = {gpu["name"]: gpu["fits"] for gpu in told["gpus"]}
    assert verdicts["GeForce RTX 3080"] == "too small"  # 10 GiB, whatever the seed's table says
    assert verdicts["GeForce RTX 3090"] == "fits"
    assert sum(part["bytes"] for part in told["peak"]["parts"]) == pytest.approx(told["peak"]["total_bytes"], abs=10)


def test_the_seeds_numbers_do_not_come_back(capsys: pytest.CaptureFixture[str]) -> None:
    """The seed asked for 17.5 GiB at 300,000 and 49 GiB at a million Gaussians; gsplat takes 1.9 GiB at a million."""
    assert asked(capsys, "--count", "1e6", "--trainer", "gsplat")["peak"]["total_bytes"] / 2**30 == pytest.approx(1.86, abs=0.02)


def test_a_run_speaks_for_itself(capsys: pytest.CaptureFixture[str]) -> None:
    """Trainer, degree, photos and count come from its files; the text names what is exact and what is measured."""
    assert main(["vram", SAMPLE]) == 0
    out = capsys.readouterr().out
    assert "sample_run" in out
    assert "SH degree 1" in out
    assert "extrapolated" in out
    assert "GeForce RTX 4090" in out


def test_without_a_run_a_count_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is assumed for a number that nobody gave."""
    assert main(["vram"]) == 2
    assert "--count" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [
    ["--count", "0"], ["--count", "many"], ["--count", "5", "--images", "3"], ["--count", "5", "--gpu", "toaster"],
    ["--count", "5", "--images", "3", "--size", "0x5"], ["--count", "5", "--trainer", "guess"],
])
def test_wrong_use_is_one_sentence(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """No traceback for a slip."""
    try:
        code = main(["vram", *wrong])
    except SystemExit as error:
        code = error.code
    assert code == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_a_missing_folder_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vram", str(tmp_path / "nothing")]) == 2
    assert "nothing" in capsys.readouterr().err


def test_sizes_read_well() -> None:
    assert [size_text(x) for x in (0, 5e5, 5e6, 5e8, 5e9)] == ["0", "488 KiB", "4.8 MiB", "477 MiB", "4.66 GiB"]
