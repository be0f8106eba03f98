"""A file in any exchange format opens as a run, a folder of them as a series, and damage to one is told in a sentence."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnostics.diagnose import diagnose
from runs.errors import NotARun
from runs.formats.splat_formats import look_at
from runs.gaussians import COLUMNS
from runs.open_run import open_run, reopen
from runs.storage import mount, unmount
from tests.support.exchange import FOREIGN
from tests.support.hostile import only_our_error

FILES = ("transform_sh1.compressed.ply", "gsplat.splat", "spzjs_v2_sh1.spz", "transform_v3_sh1.spz", "transform_v4_sh1.spz",
         "splats3d_level1_sh1.ksplat", "transform_sh1.sog", "transform_sh3.glb")


@pytest.mark.parametrize("name", FILES)
def test_a_single_file_is_a_run_with_one_save(name: str, tmp_path: Path) -> None:
    """Whatever the format, the number in the name is the iteration, and rows of a lossy file match no other's."""
    path = tmp_path / f"scene_7000{''.join(Path(name).suffixes)}"
    shutil.copy(FOREIGN / name, path)
    run = open_run(path)
    assert run.trainer.name == "unknown"
    saved = run.checkpoints[0]
    assert (run.iterations, saved.count, saved.keeps_rows, saved.holds) == ((7000,), 300, False, "splats")
    assert np.isfinite(saved.gaussians.means).all()


@pytest.mark.parametrize("name", FILES)
def test_a_series_tells_its_reservation_once(name: str, tmp_path: Path) -> None:
    """Fifty saves of one format would else bury every other note under the same sentence."""
    for iteration in (1000, 2000, 3000):
        shutil.copy(FOREIGN / name, tmp_path / f"scene_{iteration}{''.join(Path(name).suffixes)}")
    run = open_run(tmp_path)
    reservations = look_at(run.checkpoints[0].path).notes
    assert run.iterations == (1000, 2000, 3000)
    assert [note.says for note in run.notes] == [f"{says} (so do 2 other files)" for says in reservations]


@pytest.mark.parametrize("name", ["transform_sog", "sog_v1", "gsplat_png"])
def test_a_folder_with_meta_json_is_one_scene(name: str) -> None:
    """SOG scenes are often left unzipped, and gsplat's compressed sets are folders."""
    for path in (FOREIGN / name, FOREIGN / name / "meta.json"):
        run = open_run(path)
        assert len(run.checkpoints) == 1
        assert run.checkpoints[0].sh_degree == 3
        assert run.checkpoints[0].gaussians.count == (289 if name == "gsplat_png" else 300)


def test_a_folder_of_saves_is_a_series_and_mixes_formats(tmp_path: Path) -> None:
    """Checkpoints exported along a training, each in whatever format; reopening keeps what was read."""
    for iteration, name in ((1000, FILES[0]), (2000, FILES[4]), (30000, FILES[6])):
        shutil.copy(FOREIGN / name, tmp_path / f"scene_{iteration}{''.join(Path(name).suffixes)}")
    run = open_run(tmp_path)
    assert run.iterations == (1000, 2000, 30000)
    held = [checkpoint.gaussians for checkpoint in run.checkpoints]
    again = reopen(run)
    assert [checkpoint.gaussians for checkpoint in again.checkpoints] == held


def test_a_foreign_meta_json_is_no_scene(tmp_path: Path) -> None:
    """Many folders have one; only beside the images of SOG does it name splats."""
    (tmp_path / "meta.json").write_text('{"title": "holiday"}')
    with pytest.raises(NotARun, match="nothing in this folder"):
        open_run(tmp_path)
    (tmp_path / "means_l.webp").write_bytes(b"")
    with pytest.raises(NotARun, match="no splats"):
        open_run(tmp_path)


class Counted:
    """A remote folder whose files lie here: it counts what is asked for."""

    def __init__(self) -> None:
        self.asked: dict[str, set[int]] = {}

    def fetch(self, path: Path, start: int, stop: int | None) -> None:
        end = path.stat().st_size if stop is None else min(stop, path.stat().st_size)
        self.asked.setdefault(path.name, set()).update(range(start, end))

    def list_folder(self, folder: Path) -> None: ...
    def refresh(self) -> None: ...
    def address(self, path: Path) -> str:
        return str(path)

    def close(self) -> None: ...


@pytest.mark.parametrize(("name", "most"), [
    ("transform_sh3.compressed.ply", 8192), ("transform_v4_sh3.spz", 512), ("splats3d_level0_sh2.ksplat", 5120),
    ("transform_sh3.glb", 8192), ("gsplat.splat", 4096),
])
def test_a_look_at_a_remote_file_fetches_its_header_only(name: str, most: int, tmp_path: Path) -> None:
    """The rows of a scene of gigabytes must not travel before someone looks at it; then all that is used must."""
    path = Path(shutil.copy(FOREIGN / name, tmp_path))
    remote = Counted()
    mount(tmp_path, remote)
    try:
        file = look_at(path)
        assert len(remote.asked[name]) <= most
        for column in (*COLUMNS, "sh_rest"):
            file.read().load(column)
        assert len(remote.asked[name]) > 0.95 * path.stat().st_size
    finally:
        unmount(tmp_path)


@pytest.mark.parametrize("name", [FILES[0], FILES[4], FILES[6]])
def test_rounded_values_raise_no_alarm_of_their_own(name: str) -> None:
    """A healthy set must not look sick because a format rounds it."""
    assert diagnose(open_run(FOREIGN / "source.ply")).findings == ()
    assert diagnose(open_run(FOREIGN / name)).findings == ()


@pytest.mark.parametrize("name", [*FILES, "splats3d_level2_sh2.ksplat", "gsplat_sh3.compressed.ply"])
@settings(max_examples=25, deadline=None)
@given(noise=st.binary(min_size=1, max_size=40), at=st.floats(0, 1), cut=st.floats(0.2, 3))
def test_damage_is_told_in_one_sentence(
    name: str, noise: bytes, at: float, cut: float, tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Splats or a RunError about this very file, that says what to do; never a crash."""
    content = bytearray((FOREIGN / name).read_bytes())
    start = int(at * at * len(content))  # headers more often than rows
    content[start:start + len(noise)] = noise
    path = tmp_path_factory.mktemp("damaged") / name
    path.write_bytes(content[:int(cut * len(content))])
    with only_our_error(path):
        gaussians = look_at(path).read()
        for column in (*COLUMNS, "sh_rest"):
            assert len(gaussians.load(column)) == gaussians.count
