"""`splatdoctor probe` for people and for programs: sentences, exit codes, and messages that no print can spoil."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from app import probe_command, probe_results
from app.cli import main
from app.probe_child import TEMPORARY
from app.probe_question import Question, command_line
from diagnostics.diagnosis import Diagnosis
from diagnostics.probes import ask, registry
from diagnostics.probes.answer import Answer, Judged, Result, Shot
from diagnostics.probes.bench import Bench, Limits, OutOfReach, Wish
from diagnostics.probes.json import from_json, to_json
from diagnostics.probes.registry import Page, Workload
from diagnostics.verdict import EvidenceRow, Finding
from runs.open_run import open_run
from runs.remote import mounting
from tests.support.data import REPOSITORY

SAMPLE = str(REPOSITORY / "resources" / "sample_run")
PATTERN = "needle-gaussians"


def tiny(bench: Bench) -> Answer:
    """Finds something with seed 1, is left open with seed 2, and lacks a fact with seed 3."""
    if bench.wish.seed == 3:
        raise OutOfReach("photos of the moon")
    for step in range(3):
        bench.point("PSNR", "dB", step, 20.0 + step)
        bench.progress(step / 3, f"step {step}")
    found = Finding("7 of 10 are needles", (EvidenceRow("needles", 7.0, 5.0),), iterations=(1500, 1500), cameras=("a.png",))
    missing = ("more time",) if bench.wish.seed == 2 else ()
    judged = Judged(PATTERN, found if bench.wish.seed == 1 else None, missing)
    shot = Shot("view", np.zeros((4, 6, 3), np.uint8), "a.png")
    return Answer("It was measured at 7 of 10", (judged,), shots=(shot,), missing=missing, iteration=1500, done={"steps": 3})


@pytest.fixture(autouse=True)
def _one_more_probe(monkeypatch) -> None:
    page = Page("tiny", 1, "Tiny probe", "Is it tiny?", "Counts to three.", "A run.", "Anything else.", (PATTERN,),
                MappingProxyType({}), ())
    every = MappingProxyType({"tiny": page, **registry.pages()})
    for module in (registry, ask, probe_command):
        monkeypatch.setattr(module, "pages", lambda: every)
    monkeypatch.setitem(registry.PROBES, "tiny", registry.Probe(
        "tiny", tiny, {}, lambda _bench: Workload(4, 2, 100, (32, 24))))


def test_probes_are_listed_and_told_about_without_a_run(capsys):
    """One reads what a probe asks before one waits for it."""
    assert main(["probe"]) == 0
    assert "Is it tiny?" in capsys.readouterr().out
    assert main(["probe", "tiny"]) == 0
    page = capsys.readouterr().out
    assert "Counts to three." in page
    assert "AF-06" in page
    assert main(["probe", "huge"]) == 2
    assert "'huge'" in capsys.readouterr().err


@pytest.mark.parametrize(("seed", "code", "lead"), [
    (0, 0, "Nothing found"), (1, 1, "Found"), (2, 3, "Left open"), (3, 3, "moon")])
def test_the_exit_code_tells_the_outcome(seed, code, lead, capsys):
    """Scripts tell clear from finding from open; people read the answer, with progress elsewhere."""
    assert main(["probe", "tiny", SAMPLE, "--seed", str(seed)]) == code
    told = capsys.readouterr()
    assert lead in told.out
    assert "step" not in told.out.split("Curves")[0]
    if seed < 3:
        assert "step 2" in told.err


@pytest.mark.parametrize("wrong", [
    ["--size", "3"], ["--seconds", "0"], ["--seconds", "nan"], ["--memory", "x"], ["--engine", "abacus"], ["--fix", "0"],
    ["--steps", "-1"], ["--seeds", "1.5"],
])
def test_wrong_options_are_one_sentence(wrong, capsys):
    """Before minutes of work."""
    with pytest.raises(SystemExit) as end:
        main(["probe", "tiny", SAMPLE, *wrong])
    assert end.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_range_outside_the_run_an_unknown_finding_and_no_run_are_wrong_use(capsys, tmp_path):
    """Each says what is wrong."""
    assert main(["probe", "tiny", SAMPLE, "--from", "9000"]) == 2
    assert main(["probe", "tiny", SAMPLE, "--finding", "ZZ-9"]) == 2
    assert main(["probe", "tiny", str(tmp_path)]) == 2
    assert main(["probe", "tiny", SAMPLE, "--json", str(tmp_path / "no" / "x.json")]) == 2
    assert capsys.readouterr().out == ""


def test_a_result_goes_through_a_file_into_the_diagnosis(tmp_path, capsys, monkeypatch):
    """What a probe found out on one machine counts in the diagnosis on another."""
    file = tmp_path / "tiny.json"
    assert main(["probe", "tiny", SAMPLE, "--seed", "1", "--json", str(file)]) == 1
    heard: list[Result] = []

    def diagnosed(run, span, *, probed, **_named):
        heard.extend(probed)
        return Diagnosis(run, span, (), (), (), ())

    monkeypatch.setattr("diagnostics.diagnose.diagnose", diagnosed)
    assert main(["diagnose", SAMPLE, "--probed", str(file), "--probed", str(file)]) == 0
    assert [result.answer.judged[0].finding.says for result in heard] == ["7 of 10 are needles"] * 2
    capsys.readouterr()


def test_json_on_standard_output_is_nothing_but_json(capsys):
    """`splatdoctor probe NAME RUN --json - | jq` must work."""
    assert main(["probe", "tiny", SAMPLE, "--json", "-"]) == 0
    assert from_json(json.loads(capsys.readouterr().out)).probe == "tiny"


def a_result(run: str) -> Result:
    return Result("tiny", run, Answer("says"), (), 1.0, 0, "2026-01-01T00:00:00+00:00", "x")


def test_results_that_are_damaged_or_of_another_run_are_refused(tmp_path, capsys):
    """A result of another run would decide about the wrong training."""
    files = {"no.json": "{", "deep.json": "[" * 100_000, "list.json": "[1]", "half.json": json.dumps({"schema": 1}),
             "other.json": json.dumps(to_json(a_result("/runs/another_run")))}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        assert main(["diagnose", SAMPLE, "--probed", str(tmp_path / name)]) == 2
        told = capsys.readouterr().err.splitlines()
        assert told[-1].startswith("splatdoctor: ")
        assert name in told[-1]
    assert main(["diagnose", SAMPLE, "--probed", str(tmp_path / "none.json")]) == 2
    assert "another run (/runs/another_run)" not in capsys.readouterr().err


@pytest.mark.parametrize("path", ["/elsewhere/sample_run", "sample_run/", "C:\\runs\\sample_run", SAMPLE])
def test_a_run_that_was_moved_is_still_the_same_run(path):
    """Results travel with their run's folder."""
    run = open_run(SAMPLE)
    assert probe_results.results_of(run, [(Path("x.json"), a_result(path))])


def test_the_window_and_the_command_line_mean_the_same_question():
    """What the panel asks must arrive as it was put."""
    run = replace(open_run(SAMPLE), data=Path("photos"), data_was_named=True)
    wish = Wish(96, "cpu", 5, 3, 40, 750, "AF-06", 2)
    question = Question("tiny", wish, Limits(33.5, 3 << 30), (300, 900))
    arguments = command_line(question, run)
    options = probe_command.probe_parser().parse_args(arguments[1:])
    assert probe_command.within(probe_command.question_of(options), run, options) == question
    assert options.data.is_absolute()
    plain = probe_command.probe_parser().parse_args(command_line(Question("tiny"), run)[1:])
    assert probe_command.question_of(plain) == Question("tiny")


def test_a_password_is_remembered_by_the_address_that_is_shown(monkeypatch):
    """The command line of a process is for all to read, so the shown address travels there and the secret one apart."""
    monkeypatch.setattr(mounting, "_TYPED", {})
    mounting.remember_typed("sftp://me:secret@host/runs/one")
    mounting.remember_typed("sftp://host/runs/two")
    assert mounting.typed("sftp://host/runs/one") == "sftp://me:secret@host/runs/one"
    assert mounting.typed("sftp://host/runs/two") == "sftp://host/runs/two"


def test_an_estimate_comes_before_any_work(capsys, monkeypatch):
    """Cost first."""
    assert main(["probe", "tiny", SAMPLE, "--estimate", "--engine", "cpu"]) == 0
    told = capsys.readouterr().out
    assert "on the CPU" in told
    assert "4 steps and 2 pictures at 32 × 24 px, 100 Gaussians" in " ".join(told.split())

    def cannot(_bench: Bench) -> Workload:
        raise OutOfReach("photos of the moon")

    monkeypatch.setitem(registry.PROBES, "tiny", registry.Probe("tiny", tiny, {}, cannot))
    assert main(["probe", "tiny", SAMPLE, "--estimate"]) == 3
    assert "photos of the moon" in capsys.readouterr().out


# In a process of its own

CHILD = """
import os, sys, tempfile, time
from types import MappingProxyType
from diagnostics.probes import ask, registry
from diagnostics.probes.answer import Answer
from diagnostics.probes.registry import Page, Workload

def slow(bench):
    print("a print of a library")
    os.write(1, b"a print of a C library\\n")
    with tempfile.TemporaryDirectory() as folder:
        bench.progress(0.1, folder)
        for step in range(10_000):
            bench.point("x", "", step, float(step))
            bench.progress(0.5, f"step {step}")
            time.sleep(STEP_S)
    return Answer("done")

page = Page("slow", 1, "Slow", "?", "?", "?", "?", (), MappingProxyType({}), ())
registry.PROBES["slow"] = registry.Probe("slow", slow, {}, lambda bench: Workload(1, 1, 10, (8, 8)))
import app.probe_command as command
for module in (registry, ask, command):
    module.pages = lambda: {"slow": page}
from app.cli import main
sys.exit(main(["probe", "slow", RUN, "--stream"]))
"""


class Child:
    """A probe of ten thousand steps, with its standard streams in our hands."""

    def __init__(self, folder: Path, step_s: float) -> None:
        code = CHILD.replace("STEP_S", str(step_s)).replace("RUN", repr(SAMPLE))
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(folder), TEMPORARY: str(folder), "PYTHONPATH": str(REPOSITORY)})

    def until(self, wanted: str) -> list[dict]:
        """Messages up to the one that says this."""
        told = []
        for line in self.process.stdout:
            told.append(json.loads(line))
            if wanted in line.decode():
                return told
        raise AssertionError(self.process.stderr.read().decode())

    def left(self) -> list[str]:
        """What lies in its folder of temporary files after it has ended."""
        self.process.stdout.read()
        self.process.wait(30)
        return os.listdir(self.folder) if self.folder.exists() else []


@pytest.fixture
def child(tmp_path) -> Iterator[Child]:
    (tmp_path / "its own").mkdir()
    started = Child(tmp_path / "its own", 0.002)
    yield started
    with started.process:
        started.process.kill()


def test_prints_of_libraries_do_not_mix_with_messages(child):
    """Every line on standard output is a message, whoever prints."""
    told = child.until("step 20")
    assert all(len(message) == 1 and set(message) <= {"progress", "point"} for message in told)
    child.process.stdin.write(b"cancel\n")
    child.process.stdin.flush()
    assert child.left() == []
    assert "a print of a C library" in child.process.stderr.read().decode()
    assert child.process.returncode == 2


def test_a_dead_window_leaves_no_probe_behind(child):
    """The end of standard input is all that a killed window can still say."""
    child.until("step 5")
    child.process.stdin.close()
    assert child.left() == []
    assert not child.folder.exists()


def test_a_terminated_probe_puts_its_things_away(child):
    """Killing it leaves nothing behind."""
    child.until("step 5")
    assert os.listdir(child.folder)
    child.process.send_signal(signal.SIGTERM)
    assert child.left() == []


def test_a_probe_that_does_not_look_up_is_interrupted(tmp_path):
    """A step that takes a minute must not keep a cancelled probe alive."""
    child = Child(tmp_path, 60.0)
    child.until("step 0")
    child.process.stdin.write(b"cancel\n")
    started = time.monotonic()
    child.process.stdin.flush()
    with child.process:
        assert child.left() == []
    assert time.monotonic() - started < 30


def test_a_paused_probe_stands_still_and_goes_on(child):
    """Whoever needs the machine gets it, and loses nothing."""
    child.until("step 5")
    child.process.stdin.write(b"pause\n")
    child.process.stdin.flush()
    time.sleep(0.3)
    os.set_blocking(child.process.stdout.fileno(), False)
    while child.process.stdout.read(1 << 20):
        pass
    time.sleep(0.2)
    assert not child.process.stdout.read(1 << 20)
    os.set_blocking(child.process.stdout.fileno(), True)
    child.process.stdin.write(b"go\n")
    child.process.stdin.flush()
    assert child.process.stdout.readline()
