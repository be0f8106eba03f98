"""Scaffold-GS saves anchors and networks: what can be shown without running a network is shown as such, and never judged."""

import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnostics.facts.saved import has_splats
from runs.errors import RunError, UnreadableFile
from runs.formats.ply.anchors import look
from runs.formats.splat_formats import look_at
from runs.open_run import open_run
from tests.support.files import write_inria_run, write_ply

COUNT, OFFSETS, FEATURES = 9, 10, 32
KEYS = "sh_degree=3, feat_dim=32, n_offsets=10, voxel_size=0.001, update_depth=3, source_path='/x', appearance_dim=32, eval=True"


def anchors(count: int = COUNT) -> dict[str, np.ndarray]:
    """The properties of `save_ply`, in its order."""
    rng = np.random.default_rng(4)
    names = [
        *"xyz", "nx", "ny", "nz", *(f"f_offset_{i}" for i in range(3 * OFFSETS)),
        *(f"f_anchor_feat_{i}" for i in range(FEATURES)), "opacity", *(f"scale_{i}" for i in range(6)),
        *(f"rot_{i}" for i in range(4)),
    ]
    return {name: rng.normal(size=count).astype(np.float32) for name in names}


def write_save(folder: Path, iteration: int, *, networks: bool = True) -> Path:
    save = folder / "point_cloud" / f"iteration_{iteration}"
    write_ply(save / "point_cloud.ply", anchors())
    for name in ("opacity_mlp.pt", "cov_mlp.pt", "color_mlp.pt") if networks else ():
        with zipfile.ZipFile(save / name, "w") as archive:  # what TorchScript looks like; it must never be opened
            archive.writestr("archive/code/__torch__.py", "import os; os.abort()")
            archive.writestr("archive/constants.pkl", b"cos\nabort\n(tR.")
    return save


def test_anchors_stand_where_they_were_saved(tmp_path: Path) -> None:
    """Positions and base sizes are the trainer's, the rest is ours; the diagnosis passes them over."""
    folder = write_inria_run(tmp_path, iterations=(), cfg_args=f"Namespace({KEYS})")
    write_save(folder, 30_000)
    run = open_run(folder)
    (checkpoint,) = run.checkpoints
    assert (run.trainer.name, checkpoint.holds, checkpoint.sh_degree, checkpoint.count) == ("scaffold-gs", "anchors", 0, COUNT)
    assert not has_splats(checkpoint)
    stored, found = anchors(), checkpoint.gaussians
    np.testing.assert_array_equal(found.means, np.stack([stored[axis] for axis in "xyz"], axis=1))
    np.testing.assert_array_equal(found.log_scales, np.stack([stored[f"scale_{i}"] for i in (3, 4, 5)], axis=1))
    assert found.finite.all()
    assert found.sh_rest.shape == (COUNT, 0, 3)
    (note,) = [note for note in run.notes if "anchors" in note.says]
    assert "each anchor makes up to 10 Gaussians" in note.says


@pytest.mark.parametrize("networks", [True, False])
def test_a_folder_without_settings_is_told_by_its_networks_or_its_file(networks: bool, tmp_path: Path) -> None:
    """Octree-GS and others share them, so the name is less sure."""
    write_save(tmp_path, 30_000, networks=networks)
    trainer = open_run(tmp_path).trainer
    assert (trainer.name, trainer.confidence) == ("scaffold-gs", 0.8 if networks else 0.6)


def test_a_run_that_has_not_saved_is_told_by_its_settings(tmp_path: Path) -> None:
    """It saves at iteration 30,000 only."""
    assert open_run(write_inria_run(tmp_path, iterations=(), cfg_args=f"Namespace({KEYS})")).trainer.name == "scaffold-gs"


def test_the_copied_source_tree_is_no_run(tmp_path: Path) -> None:
    """`backup/` holds the trainer's own source, whose example folders may look like runs."""
    write_inria_run(tmp_path / "outputs" / "garden" / "run", cfg_args=f"Namespace({KEYS})")
    write_inria_run(tmp_path / "outputs" / "garden" / "backup")
    assert open_run(tmp_path / "outputs").path == tmp_path / "outputs" / "garden" / "run"


def test_one_file_of_anchors_opens_alone(tmp_path: Path) -> None:
    """It shows where geometry is; without base scales there is nothing to show it at."""
    run = open_run(write_ply(tmp_path / "anchors.ply", anchors()))
    assert run.checkpoints[0].holds == "anchors"
    bare = {name: values for name, values in anchors().items() if name != "scale_4"}
    with pytest.raises(UnreadableFile, match="lacks scale_4"):
        look_at(write_ply(tmp_path / "bare.ply", bare))


@given(cut=st.integers(0, 400), byte=st.integers(0, 255), at=st.integers(0, 400))
@settings(max_examples=60, deadline=None)
def test_damaged_files_only_raise(cut: int, byte: int, at: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever a damaged header claims, reading ends in values or in one sentence."""
    path = tmp_path_factory.mktemp("a") / "a.ply"
    data = bytearray(write_ply(path, anchors()).read_bytes())
    data[at] = byte
    path.write_bytes(data[:len(data) - cut])
    try:
        found = look(path).read()
        assert found.means.shape == found.log_scales.shape == (found.count, 3)
    except RunError:
        pass
