"""Forks that share INRIA's settings are told by what lies beside them; what tells nothing leaves the family's name."""

from pathlib import Path

import numpy as np
import pytest

from runs.open_run import open_run
from runs.run import Trainer
from tests.support.event_writer import event, simple_value, version_event
from tests.support.files import inria_columns, random_gaussians, write_inria_run, write_ply

OLD_KEYS = "sh_degree=3, source_path='/x', model_path='m', images='images', resolution=-1, white_background=False, eval=False"


def old_run(folder: Path, extra: str = "") -> Path:
    return write_inria_run(folder, cfg_args=f"Namespace({OLD_KEYS}{extra})")


def trainer_of(folder: Path) -> Trainer:
    return open_run(folder).trainer


def write_discs(folder: Path, iteration: int) -> None:
    columns = inria_columns(random_gaussians(5))
    del columns["scale_2"]
    write_ply(folder / "point_cloud" / f"iteration_{iteration}" / "point_cloud.ply", columns)


@pytest.mark.parametrize(("name", "content"), [
    ("imp_score.npz", b"PK"),
    ("metric.csv", b"iteration,set,l1_loss,psnr,ssim,lpips,file_size,elapsed\n7000,test,0.1,20,0.7,0.3,1,2\n"),
])
def test_lightgaussian_leaves_scores(name: str, content: bytes, tmp_path: Path) -> None:
    """It keeps INRIA's settings and layout, and adds one file or the other."""
    (old_run(tmp_path) / name).write_bytes(content)
    assert trainer_of(tmp_path).name == "lightgaussian"


def test_another_metric_csv_is_no_sign(tmp_path: Path) -> None:
    """The name alone is anyone's."""
    (old_run(tmp_path) / "metric.csv").write_text("step,loss\n1,0.5\n")
    assert trainer_of(tmp_path).name == "inria"


@pytest.mark.parametrize(("tag", "name"), [("counts/total_points", "speedy-splat"), ("train_loss_patches/l1_loss", "inria")])
def test_speedy_splat_is_told_by_its_first_tags(tag: str, name: str, tmp_path: Path) -> None:
    """A look at the first bytes of the event file, whatever its size."""
    data = version_event() + b"".join(event(step, float(step), [simple_value(tag, 1.0)]) for step in range(1, 2_000))
    (old_run(tmp_path) / "events.out.tfevents.1.host").write_bytes(data)
    assert trainer_of(tmp_path).name == name


def test_two_scales_and_render_items_are_2dgs(tmp_path: Path) -> None:
    """Both signs agree."""
    folder = write_inria_run(tmp_path, iterations=(), cfg_args=f"Namespace({OLD_KEYS}, render_items=['RGB', 'Alpha'])")
    write_discs(folder, 7_000)
    trainer = trainer_of(folder)
    assert (trainer.name, trainer.confidence) == ("2dgs", 0.8)


def test_three_scales_and_render_items_are_a_monitor_of_inria(tmp_path: Path) -> None:
    """Gaussian-Splatting-Monitor has the same setting; to judge its splats as discs would be wrong."""
    trainer = trainer_of(old_run(tmp_path, ", render_items=['RGB', 'Alpha']"))
    assert (trainer.name, trainer.confidence) == ("inria", 0.5)
    assert "three scales" in trainer.why


def test_a_folder_without_settings_is_told_by_its_discs(tmp_path: Path) -> None:
    """A copy that lost its cfg_args."""
    write_discs(tmp_path, 7_000)
    assert trainer_of(tmp_path).name == "2dgs"


def test_a_recent_inria_run_is_not_suspected(tmp_path: Path) -> None:
    """Its own key is surer than a file that someone put there."""
    folder = write_inria_run(tmp_path)
    events = version_event() + event(1, 1.0, [simple_value("counts/total_points", 1.0)])
    (folder / "events.out.tfevents.1.host").write_bytes(events)
    assert trainer_of(folder).name == "inria"


def test_yindaheng98_stores_two_settings(tmp_path: Path) -> None:
    """Its cfg_args has exactly these; its cameras.json has more keys than INRIA's."""
    folder = write_inria_run(tmp_path, cfg_args="Namespace(sh_degree=3, source_path='/data')", cameras=["a.png", "b.png"])
    run = open_run(folder)
    assert (run.trainer.name, run.iterations) == ("yindaheng98", (100, 200))
    assert [camera.name for camera in run.cameras] == ["a.png", "b.png"]
    assert "iterations" not in run.settings  # INRIA's defaults are not its own
    np.testing.assert_array_equal(run.checkpoints[0].gaussians.means, random_gaussians(20, degree=1, seed=100).means)
