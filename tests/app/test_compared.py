"""A run beside others, in words."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.cli import _diagnose_parser
from app.compared import comparison_text, with_references
from runs.remote.cache import VARIABLE
from tests.support.training import healthy_run


@pytest.fixture(autouse=True)
def nothing_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may have recorded runs of their own."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))


def test_alone_there_is_nothing_to_say() -> None:
    assert comparison_text(healthy_run()) == ""
    run = healthy_run()
    assert with_references(run, []) is run


def test_differences_and_noise_are_told() -> None:
    """Scores with their iteration, and the deviation of three runs of one kind."""
    others = tuple(healthy_run(series={"test/psnr": {2000: psnr}}, path=Path(f"run-{psnr}")) for psnr in (30.0, 32.0))
    text = comparison_text(replace(healthy_run(series={"test/psnr": {2000: 31.0}}), references=others))
    told = " ".join(text.split())
    assert "run-30.0: test/psnr 31 against 30 at iteration 2,000" in told
    assert "3 runs of this kind: test/psnr from 30.00 to 32.00 dB at iteration 2,000, standard deviation 1.00 dB" in told


def test_what_is_not_alike_says_why() -> None:
    """A score beside another recipe's is shown, and called what it is."""
    other = healthy_run(settings={"lambda_dssim": 0.5}, path=Path("other"))
    assert "other: not alike (lambda_dssim 0.2 and 0.5)" in comparison_text(replace(healthy_run(), references=(other,)))


def test_several_references_may_be_named() -> None:
    options = _diagnose_parser().parse_args(["a", "--reference", "b", "--reference", "c", "--record"])
    assert [Path(place).name for place in options.reference] == ["b", "c"]
    assert options.record
