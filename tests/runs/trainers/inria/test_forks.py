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


@pytest.mark.parametrize("shape", [(20,), (20, 1)])
def test_its_scores_belong_to_the_last_save(shape: tuple[int, ...], tmp_path: Path) -> None:
    """They can be looked at in the picture, beside the Gaussians that they judge."""
    scores = np.random.default_rng(2).random(shape).astype(np.float32)
    np.savez(old_run(tmp_path) / "imp_score.npz", scores)
    first, last = open_run(tmp_path).checkpoints
    assert (first.gaussians.extra_names, last.gaussians.extra_names) == ((), ("imp_score",))
    np.testing.assert_array_equal(last.gaussians.extra("imp_score"), scores.reshape(-1))
    np.testing.assert_array_equal(last.gaussians.means, random_gaussians(20, degree=1, seed=200).means)


@pytest.mark.parametrize("scores", [np.zeros(7), np.zeros((20, 2)), np.array(["a"] * 20)])
def test_scores_that_do_not_fit_are_left_out(scores: np.ndarray, tmp_path: Path) -> None:
    """Of another save, or no numbers: shown on these Gaussians they would be invented."""
    np.savez(old_run(tmp_path) / "imp_score.npz", scores)
    run = open_run(tmp_path)
    assert run.checkpoints[-1].gaussians.extra_names == ()
    assert [Path(note.file).name for note in run.notes] == ["imp_score.npz"]


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


def test_absgs_stores_all_settings_in_three_files(tmp_path: Path) -> None:
    """The words of a run that its repository holds (output/8f177156-6): thresholds and schedule are known, not guessed."""
    folder = write_inria_run(tmp_path, cfg_args=(
        "Namespace(data_device='cuda', eval=False, images='images', init_prune=False, model_path='./output/8f177156-6', "
        "resolution=-1, sh_degree=3, source_path='/home/x/AbsGS', white_background=True)"))
    (folder / "cfg_args_opt").write_text(
        "Namespace(densification_interval=100, densify_from_iter=500, densify_grad_abs_threshold=0.0004, "
        "densify_grad_threshold=0.0002, densify_until_iter=15000, feature_lr=0.0025, iterations=30000, lambda_dssim=0.2, "
        "min_weight=0.5, opacity_lr=0.05, opacity_reduce_interval=500, opacity_reset_interval=3000, percent_dense=0.001, "
        "position_lr_delay_mult=0.01, position_lr_final=1.6e-06, position_lr_init=0.00016, position_lr_max_steps=30000, "
        "prune_until_iter=25000, random_background=False, rotation_lr=0.001, scaling_lr=0.005, use_prune_weight=True, "
        "use_reduce=True)")
    (folder / "cfg_args_pipe").write_text("Namespace(compute_cov3D_python=False, convert_SHs_python=False, debug=False)")
    run = open_run(folder)
    assert (run.trainer.name, run.trainer.confidence) == ("absgs", 0.9)
    assert (run.settings["densify_until_iter"].value, run.settings["densify_until_iter"].source) == (15_000, "cfg_args_opt")
    assert run.settings["debug"].source == "cfg_args_pipe"
    assert run.settings["sh_degree"].source == "cfg_args"
    assert run.events == ()


@pytest.mark.parametrize(("extra", "rate"), [(", kernel_size=0.1, ray_jitter=False", 0.05), (", cap_max=5", None)])
def test_defaults_are_those_of_the_fork_and_marked(extra: str, rate: float | None, tmp_path: Path) -> None:
    """3dgs-mcmc is called with a config per scene: any default would be an invented number."""
    settings = open_run(old_run(tmp_path, extra)).settings
    assert settings.value("opacity_lr") == rate
    assert not any(settings[name].stored for name in settings if name == "opacity_lr")


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


@pytest.mark.parametrize(("keys", "name"), [
    (", train_test_exp=False, depths='', no_motion_mask=False", "truncgradgs"),
    (", disable_pull_strength_schedule=False, adc_interval=5000", "truncgradgs"),
    (", render_items=['RGB', 'Depth', 'Edge'], pc_name='points3D', seed=42, kshot=1000", "eap-gs"),
])
def test_methods_that_share_other_keys_are_told_by_their_own(tmp_path: Path, keys: str, name: str) -> None:
    """TruncGradGS has INRIA's keys since August 2024, EAP-GS those of 2DGS: their habits are neither's."""
    assert trainer_of(old_run(tmp_path, keys)).name == name
