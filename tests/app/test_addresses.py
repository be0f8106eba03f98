"""A run on another machine is opened by typing its address; the password in it must not outlive the process."""

import json
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QInputDialog

from app.cli import main
from app.lanes import settled
from app.show import dispose
from app.window import Window
from tests.runs.remote.conftest import cache, served, sftp  # noqa: F401  (fixtures)
from tests.support.files import write_inria_run
from tests.support.sftp_server import Sftp


@pytest.fixture
def run_url(served: Path, sftp: Sftp) -> str:  # noqa: F811
    write_inria_run(served / "run", iterations=(100, 200), cameras=["a", "b"])
    return sftp.url("run")


def test_info_and_its_json_name_the_address(run_url: str, sftp: Sftp, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    """Not a path in the cache, and nothing secret."""
    assert main(["info", run_url]) == 0
    text = capsys.readouterr().out
    assert main(["info", run_url, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert text.splitlines()[0] == facts["path"] == sftp.url("run", user="")
    assert [c["iteration"] for c in facts["checkpoints"]] == [100, 200]
    assert all(note["file"].startswith("sftp://127.0.0.1") for note in facts["notes"])
    assert "s3cret" not in text + json.dumps(facts)


def test_what_cannot_be_reached_is_one_sentence(
    sftp: Sftp, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,  # noqa: F811
) -> None:
    """A misspelt path, an address of no kind that opens, a package that is not installed."""
    monkeypatch.setitem(sys.modules, "s3fs", None)
    for place, says in ((sftp.url("nothing"), "nothing at this path"), ("ftp://ada:s3cret@host/x", "opens this kind of address"),
                        ("s3://bucket/run", "pip install 'splatdoctor[remote]'")):
        assert main(["info", place]) == 2
        told = capsys.readouterr().err
        assert told.startswith("splatdoctor: ")
        assert told.count("\n") == 1
        assert says in told
        assert "s3cret" not in told


def test_an_address_is_typed_opened_and_remembered_without_its_password(
    run_url: str, sftp: Sftp, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,  # noqa: F811
) -> None:
    """The list of recent runs is a file that others may read; opening from it works while the window is open."""
    settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    window = Window(settings)
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: (run_url, True))
    window.actions_.open_address.trigger()
    qtbot.waitUntil(lambda: window.session.state.run is not None and settled(window), timeout=20_000)
    run = window.session.state.run
    assert run is not None
    assert run.iterations == (100, 200)
    assert window.actions_.recent_paths() == [sftp.url("run", user="")]
    window.actions_._open(window.actions_.recent_paths()[0])
    qtbot.waitUntil(lambda: window.session.state.run is not run and settled(window), timeout=20_000)
    window.close()
    dispose(window)
    settings.sync()
    assert "s3cret" not in (tmp_path / "window.ini").read_text()
