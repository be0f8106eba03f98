"""The Report value is what every layout shows; what it leaves out no reader will ever learn."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from diagnostics.registry import DETECTORS, Detector
from diagnostics.report.provenance import CHUNK_BYTES, SMALL_BYTES, hashed, small_files, software
from diagnostics.report.report import build_report, limits_of, run_facts
from diagnostics.report.story import story
from runs.run import UNKNOWN_TRAINER
from tests.diagnostics.report.support import PATTERN, diagnosis, pattern, reported, training_run


def test_the_story_tells_root_causes_first_with_what_follows() -> None:
    """Who reads only the first page must fix the cause and not the symptom."""
    told = story(diagnosis(reported(), reported(pattern(1), severity="minor", consequence_of=("AF-01",))))
    assert "2\N{NO-BREAK SPACE}findings, from 1\N{NO-BREAK SPACE}root cause: 1 major, 1 minor." in told[0]
    assert told[1].startswith("Floaters (AF-01): 60 of 400")
    assert "From this follows N-01, made-up pattern 1: 60 of 400" in told[1]
    assert len(told) == 3
    assert "1\N{NO-BREAK SPACE}pattern was not evaluable" in told[2]


def test_a_healthy_story_claims_no_more_than_was_looked_at() -> None:
    """No finding is not the same as healthy."""
    told = story(diagnosis(not_evaluable=()))
    assert len(told) == 1
    assert "judged 2\N{NO-BREAK SPACE}patterns. It reports no finding." in told[0]


def test_long_stories_point_to_the_list() -> None:
    """Sixty root causes do not fit a summary."""
    told = story(diagnosis(*(reported(pattern(index)) for index in range(8))))
    assert told[-2] == "3\N{NO-BREAK SPACE}more root causes in the list below."


def test_limits_carry_the_detector_s_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number shown is the one that was used, taken from the detector and not from prose."""
    monkeypatch.setitem(DETECTORS, PATTERN.name, Detector(PATTERN.name, (), (), {"share": 0.02}, lambda: None))
    assert [(limit.name, limit.value) for limit in limits_of(PATTERN)] == [("share", 0.02), ("seen_by", None)]


def test_facts_of_a_run_say_what_is_missing() -> None:
    """Missing reads "not available", never 0."""
    facts = dict(run_facts(training_run(checkpoints={}, cameras=(), series={}, trainer=UNKNOWN_TRAINER)))
    assert facts["Trainer"] == "unknown: no file names the trainer"
    for label in ("Photos and camera model", "Saved iterations", "Gaussians", "Cameras", "Photos found", "Resumable states",
                  "Logged series"):
        assert facts[label] == "not available"


def test_hashes_are_of_the_whole_file(tmp_path: Path) -> None:
    """A hash of the first megabyte would call two different checkpoints the same."""
    big = tmp_path / "chkpnt.pth"
    big.write_bytes(b"x" * (CHUNK_BYTES + 5))
    ticks: list[int] = []
    found = hashed([big, tmp_path / "gone", big], tmp_path, ticks.append)
    assert ticks == [CHUNK_BYTES, 5]
    assert (found[0].name, found[0].size_bytes) == ("chkpnt.pth", CHUNK_BYTES + 5)
    assert found[0].sha256 == hashlib.sha256(big.read_bytes()).hexdigest()
    assert (found[1].size_bytes, found[1].sha256) == (None, "not available (No such file or directory)")
    assert len(found) == 2


def test_files_that_are_not_hashed_are_counted(tmp_path: Path) -> None:
    """A list that silently ends reads as complete."""
    (tmp_path / "cfg_args").write_text("Namespace()")
    with (tmp_path / "huge").open("wb") as stream:
        stream.truncate(SMALL_BYTES + 1)
    (tmp_path / "point_cloud").mkdir()
    assert small_files(tmp_path) == ((tmp_path / "cfg_args",), 1)
    assert small_files(tmp_path / "cfg_args") == ((), 0)


def test_the_files_read_are_those_that_findings_stand_on(tmp_path: Path) -> None:
    """The checkpoint of each finding and the last of the range; others were not looked at."""
    run = training_run(path=tmp_path)
    for checkpoint in run.checkpoints:
        (tmp_path / f"{checkpoint.iteration}.ply").write_text(f"{checkpoint.iteration}")
    saved = tuple(replace(c, path=tmp_path / f"{c.iteration}.ply") for c in run.checkpoints)
    run = replace(run, checkpoints=saved, path=tmp_path / "run")
    report = build_report(diagnosis(reported(), run=run, span=(0, 1200)))
    assert [Path(file.name).name for file in report.files] == ["1000.ply", "1500.ply"]


def test_progress_only_rises_and_notes_are_told_once() -> None:
    """A bar that jumps back looks broken."""
    fractions: list[float] = []
    report = build_report(diagnosis(reported(), reported()), progress=lambda fraction, _: fractions.append(fraction))
    assert fractions == sorted(fractions)
    assert len(report.notes) == 1
    assert dict(report.software).keys() >= {"splatdoctor", "Python", "numpy", "numba", "reportlab"}
    assert "not available" not in dict(software()).values()
