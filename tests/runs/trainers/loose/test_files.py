"""Folders of splat files without a trainer: a series where one number differs, and never one scene told twice."""

from pathlib import Path

import pytest

from runs.formats.splat_formats import FORMATS
from runs.open_run import open_run
from runs.run import Run
from tests.support.files import random_gaussians, write_splats
from tests.support.lichtfeld_writer import Written


def write_packed(path: Path, seed: int = 0) -> Path:
    """Through an independent writer."""
    gsply = pytest.importorskip("gsply", reason="gsply writes the other formats")
    gaussians = random_gaussians(30, degree=0, seed=seed)
    data = gsply.GSData.from_arrays(means=gaussians.means, scales=gaussians.log_scales, quats=gaussians.quats_wxyz,
                                    opacities=gaussians.logit_opacities, sh0=gaussians.sh0)
    gsply.plywrite(str(path), data, compressed=True)
    return path


def notes(run: Run) -> list[str]:
    return [f"{Path(note.file).name}: {note.says}" for note in run.notes]


def test_one_scene_in_two_formats_is_no_series(tmp_path: Path) -> None:
    """Compared as two saves, the loss of the compression would look like a fault of the training."""
    write_splats(tmp_path / "garden.ply", random_gaussians(30, degree=2))
    write_packed(tmp_path / "garden.compressed.ply")
    run = open_run(tmp_path)
    assert [one.path.name for one in run.checkpoints] == ["garden.ply"]
    assert notes(run)[-1] == ("garden.compressed.ply: has the name of garden.ply in another format, so it is taken for the same "
                              "splats; open it alone to see it")


def test_a_series_of_two_formats_is_one_series(tmp_path: Path) -> None:
    """Another number is another state, whatever the format; each number once."""
    for iteration in (1_000, 2_000):
        write_splats(tmp_path / f"scene_{iteration}.ply", random_gaussians(30, degree=1, seed=iteration))
    write_packed(tmp_path / "scene_2000.compressed.ply")
    write_packed(tmp_path / "scene_3000.compressed.ply")
    run = open_run(tmp_path)
    assert [(one.iteration, one.keeps_rows) for one in run.checkpoints] == [(1_000, True), (2_000, True), (3_000, False)]
    assert sum("in another format" in note for note in notes(run)) == 1


def test_a_file_that_says_its_iteration_is_believed(tmp_path: Path) -> None:
    """Before any number in its name."""
    path = Written(random_gaussians(5, degree=1), iteration=21_000).write(tmp_path / "v2.resume")
    assert open_run(path).iterations == (21_000,)


def test_every_format_is_looked_for() -> None:
    """A folder of any of them opens."""
    endings = {ending for known in FORMATS for ending in known.endings}
    assert {".ply", ".spz", ".splat", ".ksplat", ".sog", ".glb", ".resume"} <= endings
