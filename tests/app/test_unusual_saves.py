"""Saves that hold no Gaussians, move, or have a name of their own are told so wherever a save is named."""

import json
from dataclasses import replace

import pytest

from app import wording
from app.cli import main
from app.panels.diagnosis import headline
from app.terminal import diagnosis_text, run_facts
from diagnostics.diagnose import diagnose
from diagnostics.facts.saved import WITHOUT_SPLATS
from diagnostics.report.report import run_facts as report_facts
from runs.run import Run, Trainer
from tests.app.viewport.test_moments import Sliding
from tests.support.runs import cloud, made_run, ring_cameras


def a_run(**unlike: object) -> Run:
    run = made_run(checkpoints={17_000: cloud(50)}, cameras=ring_cameras(6))
    return replace(run, checkpoints=(replace(run.checkpoints[0], **unlike),))


@pytest.fixture
def staged() -> Run:
    return a_run(label="fine 14,000", motion=Sliding())


def test_a_save_is_named_as_its_trainer_does(staged: Run) -> None:
    """17,000 stands in no file of that run: the user looks for 14,000."""
    (save,) = staged.checkpoints
    assert wording.save(save) == "Iteration 17,000 (fine 14,000)"
    assert dict(report_facts(staged))["Saved iterations"] == "17,000 (fine 14,000)"
    (told,) = run_facts(staged)["checkpoints"]
    assert (told["label"], told["moments"], told["holds"]) == ("fine 14,000", [0.0, 1.0], "splats")
    json.dumps(told, allow_nan=False)


@pytest.mark.parametrize("holds", ["anchors", "points"])
def test_without_gaussians_silence_is_not_health(holds: str) -> None:
    """"Nothing found" over files of which nothing could be judged would sound like praise."""
    run = replace(a_run(holds=holds), trainer=Trainer("scaffold-gs", 0.9, "the test"))
    assert wording.rows(run.checkpoints[0]) == f"50 {holds}"
    diagnosis = diagnose(run)
    assert diagnosis.findings == ()
    assert any(WITHOUT_SPLATS[holds] in undecided.missing for undecided in diagnosis.not_evaluable)
    assert all("a saved point cloud in the chosen range" not in " ".join(u.missing) for u in diagnosis.not_evaluable)
    bare = replace(diagnosis, clear=())
    assert headline(bare).startswith("Nothing could be judged")
    assert "Nothing could be judged" in diagnosis_text(bare)
    assert dict(report_facts(run))["Gaussians"].startswith("not available")


@pytest.mark.parametrize("moment", ["nan", "inf", "soon"])
def test_a_moment_is_a_number(moment: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence, as for every wrong use."""
    with pytest.raises(SystemExit) as end:
        main(["--time", moment])
    assert end.value.code == 2
    assert "is no moment" in capsys.readouterr().err
