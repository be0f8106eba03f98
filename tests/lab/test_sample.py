"""The embedded sample run is what its script would make, and says what is wrong with it: a user meets it first."""

from pathlib import Path

import pytest

from diagnostics.diagnose import diagnose
from diagnostics.diagnosis import Diagnosis
from runs.open_run import open_run
from tests.lab import sample

MOST_BYTES = 4_000_000


@pytest.fixture(scope="module")
def diagnosis() -> Diagnosis:
    return diagnose(open_run(sample.FOLDER))


def test_the_fault_that_was_built_in_is_the_first_finding(diagnosis: Diagnosis) -> None:
    """The first thing a user sees must be right, and found without naming the data folder."""
    first = diagnosis.findings[0]
    assert (first.pattern.code, first.severity) == ("IF-05", "critical")


def test_it_was_trained_with_the_scripts_settings() -> None:
    """A changed script and an old run would tell two stories."""
    run, planned = open_run(sample.FOLDER), sample.plan()
    for name in ("iterations", "densify_grad_threshold", "opacity_reset_interval", "densify_until_iter", "sh_degree"):
        assert run.settings[name].value == planned.recorded[name]
    assert run.iterations == planned.settings.save_iterations
    assert {camera.name for camera in run.cameras} == {view.camera.name for view in planned.scene.views}


def test_it_is_small_and_says_what_is_wrong() -> None:
    """It is in every installation; nobody should have to guess."""
    assert sum(path.stat().st_size for path in sample.FOLDER.rglob("*") if path.is_file()) <= MOST_BYTES
    assert "white" in (sample.FOLDER / "README.md").read_text("utf-8")


def test_a_new_one_reaches_the_same_quality(tmp_path: Path) -> None:
    """The script still works, and its fault still shows; last bits may differ between processors."""
    sample.write(tmp_path / "run")
    new, old = (open_run(folder).series["test/psnr"].values[-1] for folder in (tmp_path / "run", sample.FOLDER))
    assert new == pytest.approx(old, abs=0.5)
