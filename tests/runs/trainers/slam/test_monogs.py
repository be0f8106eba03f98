"""MonoGS: one final cloud without f_rest, poses of its keyframes beside the true ones, scores before and after refinement."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from runs.errors import NotARun
from runs.open_run import open_run
from runs.run import Run
from tests.support.files import random_gaussians, write_splats
from tests.support.runs import ring_cameras
from tests.support.written import assert_same_gaussians

FINAL = random_gaussians(40, degree=0, seed=3)
CONFIG: dict[str, Any] = {
    "Results": {"save_results": True, "save_dir": "results/tum_fr1/2024-05-01-10-00-00"},
    "Dataset": {"type": "tum", "sensor_type": "monocular", "dataset_path": "datasets/tum/rgbd_dataset_freiburg1_desk",
                "Calibration": {"fx": 517.3, "fy": 516.5, "cx": 318.6, "cy": 255.3, "width": 640, "height": 480}},
    "Training": {"init_itr_num": 1050, "spherical_harmonics": False, "lr": {"cam_rot_delta": 0.003}},
    "opt_params": {"iterations": 30_000, "position_lr_init": 0.00016, "densify_until_iter": 15_000},
    "model_params": {"sh_degree": 0}, "pipeline_params": {"convert_SHs_python": False},
}
KEYFRAMES = (0, 5, 11, 20, 42, 60, 88, 91)


def poses() -> np.ndarray:
    return np.stack([camera.world_from_camera for camera in ring_cameras(len(KEYFRAMES))])


def write(folder: Path, *, config: dict[str, Any] = CONFIG, label: str = "final", shift: float = 0.0) -> Path:
    """As slam.py leaves it after evaluation."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yml").write_text(yaml.dump(config), "utf-8")
    estimated = poses()
    estimated[1::2, 0, 3] += shift
    trajectory = {"trj_id": list(KEYFRAMES), "trj_est": estimated.tolist(), "trj_gt": poses().tolist()}
    for name, value in ((f"plot/trj_{label}.json", trajectory), ("plot/stats_final.json", {"rmse": 0.01}),
                        ("psnr/before_opt/final_result.json", {"mean_psnr": 20.5, "mean_ssim": 0.7, "mean_lpips": 0.3}),
                        ("psnr/after_opt/final_result.json", {"mean_psnr": 24.25, "mean_ssim": 0.8, "mean_lpips": 0.2})):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, indent=4), "utf-8")
    write_splats(folder / "point_cloud" / "final" / "point_cloud.ply", FINAL)
    return folder


def notes(run: Run) -> list[str]:
    return [f"{Path(note.file).name}: {note.says}" for note in run.notes]


def test_the_final_cloud_opens_bit_for_bit(tmp_path: Path) -> None:
    """It has no colour that depends on the view; it stands at the last frame that was seen."""
    run = open_run(write(tmp_path))
    assert (run.trainer.name, run.iterations, run.checkpoints[0].label) == ("monogs", (92,), "final")
    assert_same_gaussians(run.checkpoints[0].gaussians, FINAL)
    assert run.state_files == ()


def test_keyframes_are_cameras_as_they_were_estimated(tmp_path: Path) -> None:
    """Stored camera-to-world with OpenCV axes; the lens is that of the settings."""
    run = open_run(write(tmp_path))
    assert [camera.name for camera in run.cameras] == [f"frame {n}" for n in KEYFRAMES]
    np.testing.assert_allclose([camera.world_from_camera for camera in run.cameras], poses())
    camera = run.cameras[0]
    assert (camera.fx, camera.fy, camera.cx, camera.cy, camera.size_px) == (517.3, 516.5, 318.6, 255.3, (640, 480))


def test_the_error_of_the_poses_is_told(tmp_path: Path) -> None:
    """Bad tracking looks like bad training; the true poses are at hand, so it is measured."""
    run = open_run(write(tmp_path, shift=0.5))
    assert run.cameras
    (note,) = notes(run)
    assert note.startswith("plot: its poses are estimates: after alignment and resizing their centres lie 0.2")


def test_before_the_end_the_last_trajectory_counts(tmp_path: Path) -> None:
    """plot/trj_0060.json comes after trj_0011.json."""
    folder = write(tmp_path, label="0011")
    early = json.loads((folder / "plot/trj_0011.json").read_text())
    (folder / "plot/trj_0060.json").write_text(json.dumps({key: values[:6] for key, values in early.items()}))
    (folder / "point_cloud/final/point_cloud.ply").unlink()
    run = open_run(folder)
    assert (len(run.cameras), run.checkpoints) == (6, ())


def test_scores_are_those_of_the_final_cloud(tmp_path: Path) -> None:
    """The colours were refined before it was saved; the scores before that are kept apart."""
    series = open_run(write(tmp_path)).series
    assert {name: series[name].at(92) for name in sorted(series)} == {
        "raw/before_opt/lpips": 0.3, "raw/before_opt/psnr": 20.5, "raw/before_opt/ssim": 0.7,
        "test/lpips": 0.2, "test/psnr": 24.25, "test/ssim": 0.8,
    }
    assert series["test/psnr"].unit == "dB"


def test_settings_of_a_schedule_that_is_not_followed_are_not_found_by_inrias_names(tmp_path: Path) -> None:
    """config.yml carries INRIA's options; a SLAM run has its own intervals, and a detector must not judge it by those."""
    settings = open_run(write(tmp_path)).settings
    assert settings.value("opt_params.densify_until_iter") == 15_000
    assert settings.value("Training.lr.cam_rot_delta") == 0.003
    assert all(name not in settings for name in ("densify_until_iter", "iterations", "position_lr_init"))


def test_without_a_lens_there_are_no_cameras(tmp_path: Path) -> None:
    """A focal length would be a guess."""
    plain = {**CONFIG, "Dataset": {"type": "tum", "sensor_type": "depth"}}
    run = open_run(write(tmp_path, config=plain))
    assert run.cameras == ()
    assert "no lens" in notes(run)[-1]


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"trj_id": [0], "trj_est": [[1]], "trj_gt": []}',
                                     b'{"trj_id": [1e999], "trj_est": [], "trj_gt": []}', b'{"trj_id": 3}', b"\xff" * 40])
def test_a_damaged_trajectory_leaves_the_rest_open(content: bytes, tmp_path: Path) -> None:
    """One note names the file."""
    folder = write(tmp_path)
    (folder / "plot/trj_final.json").write_bytes(content)
    run = open_run(folder)
    assert (run.cameras, run.iterations) == ((), (0,))
    assert notes(run)[0].startswith("trj_final.json: ")


def test_another_config_yml_is_not_its(tmp_path: Path) -> None:
    """Many trainers write a file of this name."""
    folder = write(tmp_path, config={"Results": {}, "trainer": 3})
    with pytest.raises(NotARun):
        open_run(folder)
