"""gsplat's folders: steps from zero, one file per process, settings under another spelling, cameras only in the data folder."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs.advice import UNFINISHED
from runs.errors import NotARun
from runs.formats.ply.columns import SH_C0
from runs.gaussians import Gaussians
from runs.open_run import open_run, reopen
from runs.points import PointCloud
from runs.run import Run
from runs.writers.atomic import write_text as write_whole
from runs.writers.gsplat import GsplatWriter, splats
from runs.writers.ply import write_splats
from runs.writers.torch_zip import write_torch_file
from tests.support.colmap_writer import Lens, Model, write_text
from tests.support.exchange import FOREIGN
from tests.support.files import random_gaussians
from tests.support.models import model_of
from tests.support.written import SETTINGS, Told, assert_same_gaussians, tell

PLAIN = {**SETTINGS, "white_background": False}


def written(folder: Path, *, settings: dict[str, Any] = PLAIN, **options: Any) -> Told:
    """A run in `folder`/run and a COLMAP model of its cameras and points in `folder`/data."""
    told = tell(GsplatWriter(folder / "run", "/nowhere", clock=lambda: 1.7e9, **options), settings=settings)
    write_text(model_of(told.cameras, told.points), folder / "data" / "sparse" / "0")
    return told


def opened(folder: Path) -> Run:
    return open_run(folder / "run", folder / "data")


def says(run: Run) -> list[tuple[str, str]]:
    return [(Path(note.file).name, note.says) for note in run.notes]


@pytest.mark.parametrize(("lost", "left"), [(0, slice(1, None, 2)), (1, slice(0, None, 2))])
def test_a_lost_rank_leaves_the_rest_open(lost: int, left: slice, tmp_path: Path) -> None:
    """Half of the Gaussians are gone without a trace in the files that remain: the checkpoint says so, and one note does."""
    told = written(tmp_path, ranks=2)
    (tmp_path / "run" / "ckpts" / f"ckpt_199_rank{lost}.pt").unlink()
    run = opened(tmp_path)
    assert [checkpoint.shards for checkpoint in run.checkpoints] == [(2, 2), (1, 2)]
    assert_same_gaussians(run.checkpoint(200).gaussians, told.gaussians[200].take(np.arange(31)[left]))
    ((file, note),) = says(run)
    assert file == f"ckpt_199_rank{lost}.pt"
    assert "is missing: 2 processes trained" in note


def test_ranks_are_told_by_the_other_steps_where_statistics_are_gone(tmp_path: Path) -> None:
    """Older copies of a run often lack stats/."""
    written(tmp_path, ranks=3)
    for path in (tmp_path / "run" / "stats").iterdir():
        path.unlink()
    (tmp_path / "run" / "ckpts" / "ckpt_199_rank2.pt").unlink()
    run = opened(tmp_path)
    assert [checkpoint.shards for checkpoint in run.checkpoints] == [(3, 3), (2, 3)]


@pytest.mark.parametrize("keep", [0, 1000])
def test_a_half_written_rank_is_left_out(keep: int, tmp_path: Path) -> None:
    """A trainer may be writing it: one note, and the other rank opens."""
    written(tmp_path, ranks=2)
    path = tmp_path / "run" / "ckpts" / "ckpt_199_rank1.pt"
    path.write_bytes(path.read_bytes()[:keep])
    run = opened(tmp_path)
    assert run.checkpoint(200).shards == (1, 2)
    assert run.checkpoint(200).count == 16
    assert says(run) == [("ckpt_199_rank1.pt", f"left out: this checkpoint is not whole; {UNFINISHED}")]


def test_ranks_that_do_not_belong_together_are_left_out(tmp_path: Path) -> None:
    """Rows of two SH degrees make no set of Gaussians."""
    written(tmp_path, ranks=2)
    other = {"step": 199, "splats": splats(random_gaussians(5, degree=2))}
    write_torch_file(tmp_path / "run" / "ckpts" / "ckpt_199_rank1.pt", other)
    run = opened(tmp_path)
    assert run.iterations == (100,)
    assert "different SH degrees" in says(run)[0][1]


@pytest.mark.parametrize("saved", [
    7, {}, {"splats": 1}, {"splats": {"means": 3}},
    {"splats": {**splats(random_gaussians(4)), "quats": np.zeros((4, 3), np.float32)}},
    {"splats": {**splats(random_gaussians(4)), "quats": np.zeros((3, 4), np.float32)}},
    {"splats": {**splats(random_gaussians(4)), "opacities": np.zeros(4, np.int64)}},
    {"splats": {**splats(random_gaussians(4)), "shN": np.zeros((4, 5, 3), np.float32)}},
    {"splats": {name: values for name, values in splats(random_gaussians(4)).items() if name != "shN"}},
])
def test_a_foreign_file_under_this_name_is_left_out(saved: Any, tmp_path: Path) -> None:
    """It is noted with its name, and the other checkpoints open."""
    written(tmp_path)
    write_torch_file(tmp_path / "run" / "ckpts" / "ckpt_149_rank0.pt", saved)
    run = opened(tmp_path)
    assert run.iterations == (100, 200)
    ((file, note),) = says(run)
    assert file == "ckpt_149_rank0.pt"
    assert note.startswith("left out: this checkpoint ")


def test_older_names_are_read(tmp_path: Path) -> None:
    """Version 1.0: no rank in the name, `means3d`, cfg.json whose strategy fields stand beside the others."""
    gaussians = random_gaussians(7, degree=3)
    stored = splats(gaussians)
    old = {"means3d": stored["means"], **{name: values for name, values in stored.items() if name != "means"},
           "opacities": stored["opacities"][:, None]}
    write_torch_file(tmp_path / "ckpts" / "ckpt_6999.pt", {"step": 6999, "splats": old})
    write_whole(tmp_path / "cfg.json", json.dumps({"refine_stop_iter": 900, "reset_every": 300, "sh_degree": 3}))
    run = open_run(tmp_path)
    assert (run.trainer.name, run.iterations, run.checkpoints[0].shards) == ("gsplat", (7000,), None)
    assert_same_gaussians(run.checkpoints[0].gaussians, gaussians)
    assert run.settings["densify_until_iter"].name == "refine_stop_iter"
    assert run.settings.value("opacity_reset_interval") == 300
    assert not run.settings["means_lr"].stored
    assert run.settings.value("densify_from_iter") is None


def test_an_appearance_network_leaves_base_colours(tmp_path: Path) -> None:
    """With app_opt colours are logits of RGB: read as SH they would be other colours."""
    stored = splats(random_gaussians(5, degree=0))
    rgb = np.linspace(0.1, 0.9, 15, dtype=np.float32).reshape(5, 3)
    changed = {name: values for name, values in stored.items() if not name.startswith("sh")}
    changed |= {"features": np.zeros((5, 32), np.float32), "colors": np.log(rgb / (1 - rgb))}
    write_torch_file(tmp_path / "ckpts" / "ckpt_9_rank0.pt", {"step": 9, "splats": changed})
    run = open_run(tmp_path)
    np.testing.assert_allclose(0.5 + SH_C0 * run.checkpoints[0].gaussians.sh0, rgb, atol=1e-6)
    assert run.checkpoints[0].sh_degree == 0
    assert "app_opt" in says(run)[0][1]


def test_a_run_that_has_just_begun_opens(tmp_path: Path) -> None:
    """Only cfg.yml is there; its python tag names the trainer."""
    writer = GsplatWriter(tmp_path / "run", "/nowhere")
    writer.begin((), PointCloud(np.zeros((0, 3)), None, "none"), PLAIN)
    run = open_run(tmp_path / "run")
    assert (run.trainer.name, run.trainer.confidence, run.checkpoints) == ("gsplat", 0.95, ())
    assert (run.series, run.events, run.exposures, run.per_view) == ({}, (), {}, {})
    assert run.cameras == ()
    assert says(run) == [("run", "stores no cameras; name the data folder that it was trained on to see them (--data)")]
    writer.finish()


def test_splat_files_fill_the_gaps(tmp_path: Path) -> None:
    """A PLY of an iteration without a checkpoint is one; with several processes it holds a part of the Gaussians only."""
    for ranks in (1, 2):
        written(tmp_path / str(ranks), ranks=ranks)
        extra = random_gaussians(9, degree=1)
        for step in (149, 199):
            write_splats(tmp_path / str(ranks) / "run" / "ply" / f"point_cloud_{step}.ply", extra, normals=False)
    single, several = (opened(tmp_path / str(ranks)) for ranks in (1, 2))
    assert single.iterations == (100, 150, 200)
    assert_same_gaussians(single.checkpoint(150).gaussians, extra)
    assert single.checkpoint(200).count == 31
    assert several.iterations == (100, 200)
    assert [(file, note[:24]) for file, note in says(several)] == [("point_cloud_149.ply", "left out: each process w")]


def test_reopening_keeps_what_has_not_changed(tmp_path: Path) -> None:
    """A live run is looked at every few seconds; read Gaussians must not be read again."""
    written(tmp_path, ranks=2)
    run = opened(tmp_path)
    other = {"step": 99, "splats": splats(random_gaussians(3, degree=1))}
    write_torch_file(tmp_path / "run" / "ckpts" / "ckpt_99_rank1.pt", other)
    again = reopen(run)
    assert again.checkpoint(200) is run.checkpoint(200)
    assert again.checkpoint(100) is not run.checkpoint(100)


def test_two_dimensional_gaussians_are_another_trainer(tmp_path: Path) -> None:
    """Their third scale means nothing: what holds for 3D Gaussians must not be said of them."""
    written(tmp_path)
    path = tmp_path / "run" / "cfg.yml"
    path.write_text(path.read_text() + "normal_loss: false\ndist_loss: false\n")
    assert opened(tmp_path).trainer.name == "gsplat-2dgs"


def test_damaged_settings_leave_the_rest_open(tmp_path: Path) -> None:
    """Defaults are marked as not stored, and those of a strategy that nobody names are left out."""
    written(tmp_path)
    (tmp_path / "run" / "cfg.yml").write_text("max_steps: [")
    run = opened(tmp_path)
    assert run.iterations == (100, 200)
    assert not run.settings["iterations"].stored
    assert run.settings.value("densify_until_iter") is None
    assert says(run)[0][0] == "cfg.yml"


def test_the_photos_of_the_trained_size_are_found(tmp_path: Path) -> None:
    """With data_factor the trainer reads images_N and scales the lens with it."""
    told = written(tmp_path, settings={**PLAIN, "data_factor": 2})
    for camera in told.cameras:
        for folder in ("images", "images_2"):
            write_whole(tmp_path / "data" / folder / camera.name, "never opened here")
    run = opened(tmp_path)
    assert {photo.path.parent.name for photo in run.photos.values()} == {"images_2"}
    assert len(run.photos) == len(told.cameras)
    camera = next(c for c in told.cameras if c.name == run.cameras[0].name)
    assert run.cameras[0].size_px == (48, 48)
    np.testing.assert_allclose((run.cameras[0].fx, run.cameras[0].cy), (camera.fx / 2, camera.cy / 2))


def test_a_random_start_is_not_the_models_cloud(tmp_path: Path) -> None:
    """What training did not begin from must not be compared with what it became."""
    written(tmp_path, settings={**PLAIN, "init_type": "random"})
    run = opened(tmp_path)
    assert run.input_points is None
    assert run.sfm_points is not None


def test_a_distorted_lens_is_told(tmp_path: Path) -> None:
    """gsplat trains on undistorted photos; the pinhole part alone is not its camera."""
    told = written(tmp_path)
    model = model_of(told.cameras, told.points)
    radial = tuple(Lens(lens.id, 2, "SIMPLE_RADIAL", lens.size_px, (*lens.params[1:], 0.1)) for lens in model.lenses)
    write_text(Model(radial, model.images, model.points), tmp_path / "data" / "sparse" / "0")
    run = opened(tmp_path)
    assert len(run.cameras) == 8
    assert "undistorts" in says(run)[0][1]


def test_a_data_folder_without_a_model_is_told(tmp_path: Path) -> None:
    """Photos alone do not place a camera."""
    written(tmp_path)
    (tmp_path / "photos").mkdir()
    run = open_run(tmp_path / "run", tmp_path / "photos")
    assert run.cameras == ()
    assert says(run)[0][1].startswith("holds no COLMAP model")


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"psnr": "high", "num_GS": null}', b'{"psnr": NaN}', b"\xff" * 50])
def test_odd_statistics_bring_nothing_down(content: bytes, tmp_path: Path) -> None:
    """Each file is one number among many."""
    written(tmp_path)
    for name in ("val_step0149.json", "train_step0149_rank0.json"):
        (tmp_path / "run" / "stats" / name).write_bytes(content)
    run = opened(tmp_path)
    assert run.series["test/psnr"].at(200) == 24.25


def test_a_folder_of_other_pt_files_is_no_run(tmp_path: Path) -> None:
    """`ckpts/` alone says nothing."""
    write_torch_file(tmp_path / "ckpts" / "model.pt", {})
    with pytest.raises(NotARun):
        open_run(tmp_path)


def test_gaussians_are_read_only_when_they_are_asked_for(tmp_path: Path) -> None:
    """Opening a long run looks at the description of each file, which is small."""
    written(tmp_path)
    run = opened(tmp_path)
    gaussians: Gaussians = run.checkpoint(100).gaussians
    assert "means" not in vars(gaussians)
    assert gaussians.means.shape == (20, 3)


def test_moved_cameras_are_told(tmp_path: Path) -> None:
    """With pose_opt each trained view has nine numbers, in order of name; every process saves the same."""
    torch = pytest.importorskip("torch")
    told = written(tmp_path, ranks=2)
    trained = sorted(camera.name for camera in told.cameras if camera.split == "train")
    rows = np.arange(9 * len(trained)).reshape(-1, 9) / 512
    state = {"identity": torch.tensor([1.0, 0, 0, 0, 1, 0]), "embeds.weight": torch.tensor(rows, dtype=torch.float32)}
    for rank, part in enumerate((told.gaussians[200].take(np.arange(0, 31, 2)), told.gaussians[200].take(np.arange(1, 31, 2)))):
        stored = {name: torch.tensor(values) for name, values in splats(part).items()}
        torch.save({"step": 199, "splats": stored, "pose_adjust": state}, tmp_path / "run" / "ckpts" / f"ckpt_199_rank{rank}.pt")
    deltas = opened(tmp_path).pose_deltas
    assert list(deltas) == trained
    np.testing.assert_array_equal(np.stack(list(deltas.values())), rows)
    assert list(open_run(tmp_path / "run").pose_deltas) == list(range(len(trained)))


def test_a_correction_after_rendering_is_told(tmp_path: Path) -> None:
    """A bilateral grid or PPISP changes every picture, and is not run here."""
    grids = {"grids": np.zeros((2, 3), np.float32)}
    stored = {"step": 9, "splats": splats(random_gaussians(5, degree=1)), "post_processing": grids}
    write_torch_file(tmp_path / "ckpts" / "ckpt_9_rank0.pt", stored)
    run = open_run(tmp_path)
    assert run.iterations == (10,)
    assert "post_processing" in says(run)[0][1]


def test_a_compressed_set_fills_a_gap(tmp_path: Path) -> None:
    """`compression/rank0` is of the step that its evaluation is named after; a checkpoint of that step is better."""
    shutil.copytree(FOREIGN / "gsplat_png", tmp_path / "compression" / "rank0")  # made by gsplat
    write_whole(tmp_path / "stats" / "compress_step29999.json", "{}")
    write_whole(tmp_path / "cfg.yml", "strategy: !!python/object:gsplat.strategy.default.DefaultStrategy {}")
    run = open_run(tmp_path)
    assert (run.iterations, run.checkpoints[0].count, run.checkpoints[0].keeps_rows) == ((30_000,), 289, False)
    assert run.checkpoints[0].gaussians.means.shape == (289, 3)
    saved = {"step": 29_999, "splats": splats(random_gaussians(3, degree=1))}
    write_torch_file(tmp_path / "ckpts" / "ckpt_29999_rank0.pt", saved)
    assert [checkpoint.path.name for checkpoint in open_run(tmp_path).checkpoints] == ["ckpt_29999_rank0.pt"]
