"""A reader looks at a run while it trains: half a file would be read as a damaged one."""

from pathlib import Path

import pytest

from runs.writers.atomic import whole_file, write_text


def test_a_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    """Until the last byte is written the old content stands."""
    path = tmp_path / "new" / "file.bin"
    write_text(path, "old\n")
    with whole_file(path) as file:
        file.write(b"half")
        file.flush()
        assert path.read_bytes() == b"old\n"
        assert all(p.name.startswith(".") or p == path for p in path.parent.iterdir())
    assert path.read_bytes() == b"half"


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    """A full disk or an exception in the trainer must not leave a file that looks finished, nor rubbish."""
    path = tmp_path / "file.bin"
    with pytest.raises(TypeError), whole_file(path) as file:
        file.write("no bytes")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
