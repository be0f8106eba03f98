"""The command line is what scripts and continuous integration hold on to: exit codes, streams and sentences."""

import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

import diagnostics.diagnose as module
from app import terminal
from app.cli import main
from app.progress import Progress
from tests.support.data import shared_data


@pytest.fixture(scope="module")
def sample() -> tuple[str, str]:
    return str(shared_data("runs", "sample")), str(shared_data("scenes", "synth0"))


def test_help_and_version_do_not_import_qt_or_numba():
    """A command that waits a second to print its help feels broken, and must work where Qt cannot be loaded."""
    code = ("import sys; from app.cli import main\n"
            "try: main([sys.argv[1]])\n"
            "except SystemExit as end: assert end.code == 0\n"
            "heavy = {'PySide6', 'numba', 'numpy', 'vispy', 'reportlab'} & set(sys.modules)\n"
            "assert not heavy, heavy")
    for option in ("--help", "--version"):
        done = subprocess.run([sys.executable, "-c", code, option], capture_output=True, text=True, check=True)
        assert "splatdoctor" in done.stdout


@pytest.mark.parametrize("wrong", [
    ["diagnose"], ["diagnose", "x", "--fail-on", "info"], ["screenshot", "x"],
    ["screenshot", "x", "--out", "y", "--size", "900x500"],
    ["--panel", "nothing"],
])
def test_wrong_use_is_one_sentence_and_two(wrong, capsys):
    """A script must be able to tell wrong use from findings."""
    with pytest.raises(SystemExit) as end:
        main(wrong)
    assert end.value.code == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1


@pytest.mark.parametrize("command", [["info"], ["diagnose"]])
def test_no_run_is_one_sentence_and_two(command, capsys, tmp_path):
    """No traceback: the sentence names the folder."""
    assert main([*command, str(tmp_path)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    sentences = [line for line in told.err.splitlines() if line.startswith("splatdoctor: ")]
    assert len(sentences) == 1
    assert str(tmp_path) in sentences[0]
    assert "Traceback" not in told.err


def test_diagnose_writes_json_and_tells_progress_apart(sample, capsys, tmp_path):
    """Findings on standard output, progress on standard error, the contract in the file."""
    run, data = sample
    out = tmp_path / "o.json"
    assert main(["diagnose", run, "--data", data, "--json", str(out)]) == 1
    told = capsys.readouterr()
    report = json.loads(out.read_text())
    assert report["schema"] == 1
    found = [finding["code"] for finding in report["findings"]]
    assert "IF-05" in found
    assert all(code in told.out for code in found)
    assert "100% Done" in told.err
    assert "100%" not in told.out


def test_json_on_standard_output_is_nothing_but_json(sample, capsys):
    """`splatdoctor diagnose RUN --json - | jq` must work."""
    run, data = sample
    main(["diagnose", run, "--data", data, "--json", "-"])
    assert json.loads(capsys.readouterr().out)["range"] == [1, 1500]


def test_fail_on_looks_at_the_level_asked_for(sample, monkeypatch):
    """A minor finding must not break a build that asked for critical ones only."""
    run, data = sample
    real = module.diagnose

    def only_major(*args, **named):
        diagnosis = real(*args, **named)
        return replace(diagnosis, findings=tuple(replace(f, severity="major") for f in diagnosis.findings[:1]))

    monkeypatch.setattr(module, "diagnose", only_major)
    codes = [main(["diagnose", run, "--data", data, "--fail-on", level]) for level in ("critical", "major", "minor")]
    assert codes == [0, 1, 1]


def test_a_range_is_clamped_to_the_run_and_an_empty_one_refused(sample, capsys):
    """`--to 99999` means "to the end"; a range that misses the run would diagnose nothing and call it clear."""
    assert terminal.chosen_span(None, 99_999, (1, 1500)) == (1, 1500)
    assert terminal.chosen_span(300, 600, (1, 1500)) == (300, 600)
    assert main(["diagnose", sample[0], "--from", "2000"]) == 2
    assert "iterations 1–1,500" in capsys.readouterr().err


def test_an_output_that_cannot_be_written_is_refused_before_the_work(sample, capsys, tmp_path):
    """Minutes of diagnosis must not be lost to a mistyped folder."""
    assert main(["diagnose", sample[0], "--json", str(tmp_path / "no" / "o.json")]) == 2
    told = capsys.readouterr()
    assert str(tmp_path / "no") in told.err
    assert "Floaters" not in told.err


def test_info_lists_what_is_there(sample, capsys):
    """What the product understood of a folder, before anything is judged."""
    run, data = sample
    assert main(["info", run, "--data", data]) == 0
    text = capsys.readouterr().out
    assert main(["info", run, "--data", data, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["trainer"] == "inria"
    assert [c["iteration"] for c in facts["checkpoints"]] == list(range(150, 1501, 150))
    assert facts["photos"] == 28
    for checkpoint in facts["checkpoints"]:
        assert f"{checkpoint['gaussians']:,} Gaussians" in text


def test_catalogue_prints_every_pattern_and_one_page(capsys):
    """The page of a pattern is found by code or name, whatever the case."""
    assert main(["catalogue"]) == 0
    listed = capsys.readouterr().out
    assert "AF-06" in listed
    assert main(["catalogue", "af-06"]) == 0
    page = capsys.readouterr().out
    assert main(["catalogue", "needle-gaussians"]) == 0
    assert capsys.readouterr().out == page
    assert "Sources" in page
    assert main(["catalogue", "ZZ-99"]) == 2
    assert "ZZ-99" in capsys.readouterr().err


def test_progress_is_a_bar_on_a_terminal_and_lines_elsewhere():
    """A log file full of carriage returns is unreadable."""
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal_, log = Terminal(), io.StringIO()
    for stream in (terminal_, log):
        progress = Progress(stream)
        progress(0.0, "Needles")
        progress(0.5, "Needles")
        progress(1.0, "Done")
        progress.end()
    assert log.getvalue() == "  0% Needles\n100% Done\n"
    assert "\n" not in terminal_.getvalue()
    assert terminal_.getvalue().endswith("\r\x1b[K")


def test_a_screenshot_needs_no_display(sample, tmp_path):
    """README's first minute on a server: the window as a picture, with the worst finding open."""
    run, data = sample
    out = tmp_path / "window with space.png"
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "app", "screenshot", run, "--data", data, "--diagnose", "--out", str(out), "--size", "1200x800"],
        capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, str(out), "")
    assert Path(os.devnull).is_char_device()  # Qt replaces whatever file it is told to keep settings in
    with Image.open(out) as picture:
        assert picture.size == (1200, 800)
        colours = picture.convert("RGB").getcolors(maxcolors=1_000_000)
        assert colours is not None
        assert len(colours) > 500  # the Gaussians are in it, not only flat widgets


def test_a_screenshot_of_no_run_is_a_sentence(tmp_path):
    """The same sentences as everywhere, and no picture of an empty window."""
    out = tmp_path / "w.png"
    done = subprocess.run([sys.executable, "-m", "app", "screenshot", str(tmp_path), "--out", str(out)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("splatdoctor: ")
    assert "Traceback" not in done.stderr
    assert not out.exists()


def test_no_display_is_a_sentence(tmp_path):
    """Qt would abort the process with a core dump."""
    done = subprocess.run([sys.executable, "-m", "app", str(tmp_path)], capture_output=True, text=True, check=False,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)})
    assert done.returncode == 2
    assert "no display" in done.stderr


def test_the_report_is_written_as_a_page(sample, tmp_path, capsys):
    """For whoever has a browser and no PDF reader; a missing folder is told before minutes of work."""
    run, data = sample
    assert main(["diagnose", run, "--data", data, "--html", str(tmp_path / "out.html")]) == 1
    assert (tmp_path / "out.html").read_text("utf-8").endswith("</html>\n")
    told = capsys.readouterr()
    assert f"Written: {tmp_path / 'out.html'}" in told.err
    assert "When it began: " in told.out
    assert "Not the cause if: " in told.out
    assert main(["diagnose", run, "--html", str(tmp_path / "no" / "out.html")]) == 2


def test_the_catalogue_is_written_as_pages(tmp_path, capsys):
    """Where there is no folder yet, and over an older book."""
    for _ in range(2):
        assert main(["catalogue", "--html", str(tmp_path / "book")]) == 0
    assert (tmp_path / "book" / "index.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert "begin at" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert main(["catalogue", "--html", str(tmp_path / "file")]) == 2
    assert main(["catalogue", "--html", str(tmp_path / "nowhere" / "book")]) == 2


def test_the_guide_is_listed_printed_and_refused(capsys):
    """A page by its name; an unknown one is a sentence."""
    assert main(["catalogue", "--guide"]) == 0
    assert "tuning" in capsys.readouterr().out
    assert main(["catalogue", "--guide", "tuning"]) == 0
    assert "Up: fewer Gaussians" in capsys.readouterr().out
    assert main(["catalogue", "--guide", "nothing"]) == 2
    assert "no page 'nothing'" in capsys.readouterr().err


def test_a_pattern_is_found_by_each_of_its_codes(capsys):
    """The literature numbers some failures twice."""
    for code in ("CK-5", "n-13"):
        assert main(["catalogue", code]) == 0
        assert "parameters-in-the-wrong-space" in capsys.readouterr().out
