"""SplaTAM: plain RGB, one scale per Gaussian, poses as quaternions from the world to the camera; its settings are a program."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from runs.errors import RunError
from runs.formats.ply.columns import SH_C0
from runs.open_run import open_run, reopen
from runs.run import Run
from runs.trainers.slam.splatam_saved import look

COUNT, FRAMES = 30, 12
RNG = np.random.default_rng(8)
QUATS, SHIFTS = RNG.normal(size=(FRAMES, 4)), RNG.normal(size=(FRAMES, 3))
VIEWS = np.tile(np.eye(4), (FRAMES, 1, 1))
VIEWS[:, :3, :3] = Rotation.from_quat(QUATS[:, [1, 2, 3, 0]]).as_matrix()
VIEWS[:, :3, 3] = SHIFTS


def params(count: int = COUNT, *, isotropic: bool = True, frames: int = FRAMES, final: bool = True) -> dict[str, Any]:
    """What `params2cpu` hands to numpy.savez."""
    rng = np.random.default_rng(count)
    stored: dict[str, Any] = {
        "means3D": rng.normal(size=(count, 3)).astype(np.float32), "rgb_colors": rng.random((count, 3), np.float32),
        "unnorm_rotations": rng.normal(size=(count, 4)).astype(np.float32),
        "logit_opacities": rng.normal(size=(count, 1)).astype(np.float32),
        "log_scales": rng.normal(-4, 1, (count, 1 if isotropic else 3)).astype(np.float32),
        "cam_unnorm_rots": QUATS.T[None, :, :frames].astype(np.float32),
        "cam_trans": SHIFTS.T[None, :, :frames].astype(np.float32),
    }
    if final:
        stored |= {"timestep": rng.integers(0, frames, count).astype(np.float32), "w2c": np.eye(4, dtype=np.float32),
                   "intrinsics": np.array([[600, 0, 599.5], [0, 605, 339.5], [0, 0, 1]], np.float32), "org_width": 1200,
                   "org_height": 680, "gt_w2c_all_frames": VIEWS[:frames].astype(np.float32),
                   "keyframe_time_indices": np.array([0, 5, 10])}
    return stored


def write(folder: Path) -> Path:
    """As scripts/splatam.py leaves it, with checkpoints every five frames."""
    np.savez(folder / "params.npz", **params())
    for frame in (0, 5, 10):
        np.savez(folder / f"params{frame}.npz", **params(10 + frame, final=False))
        np.save(folder / f"keyframe_time_indices{frame}.npy", np.array([0]))
    (folder / "config.py").write_text("raise SystemExit('this must never run')")
    (folder / "eval").mkdir()
    for name, values in (("psnr", [30.0, 31.0, 32.0]), ("ssim", [0.9, 0.8, 1.0]), ("lpips", [0.1, 0.2, 0.3])):
        np.savetxt(folder / "eval" / f"{name}.txt", values)
    return folder


def notes(run: Run) -> list[str]:
    return [f"{Path(note.file).name}: {note.says}" for note in run.notes]


def test_saves_stand_at_the_frames_done(tmp_path: Path) -> None:
    """params10.npz holds what eleven frames made; the final file comes after the last."""
    run = open_run(write(tmp_path))
    assert (run.trainer.name, run.state_files) == ("splatam", ())
    assert [(one.iteration, one.label, one.count) for one in run.checkpoints] == [
        (1, "frame 0", 10), (6, "frame 5", 15), (11, "frame 10", 20), (12, "final", COUNT)]


@pytest.mark.parametrize("isotropic", [True, False])
def test_columns_are_what_was_stored(isotropic: bool, tmp_path: Path) -> None:
    """One scale becomes three, plain RGB the colour that the eye saw; everything else bit for bit."""
    stored = params(isotropic=isotropic)
    np.savez(tmp_path / "params.npz", **stored)
    run = open_run(tmp_path)
    gaussians = run.checkpoints[0].gaussians
    np.testing.assert_array_equal(gaussians.means, stored["means3D"])
    np.testing.assert_array_equal(gaussians.quats_wxyz, stored["unnorm_rotations"])
    np.testing.assert_array_equal(gaussians.logit_opacities, stored["logit_opacities"][:, 0])
    np.testing.assert_array_equal(gaussians.log_scales, np.broadcast_to(stored["log_scales"], (COUNT, 3)))
    np.testing.assert_allclose(0.5 + SH_C0 * gaussians.sh0, stored["rgb_colors"], atol=1e-6)
    assert (gaussians.sh_degree, gaussians.sh_rest.shape, gaussians.extra_names) == (0, (COUNT, 0, 3), ("timestep",))
    np.testing.assert_array_equal(gaussians.extra("timestep"), stored["timestep"])


def test_poses_are_inverted(tmp_path: Path) -> None:
    """Stored from the world to the camera, quaternions of any length, the world being the first frame's camera."""
    run = open_run(write(tmp_path))
    np.testing.assert_allclose([c.world_from_camera for c in run.cameras], np.linalg.inv(VIEWS), atol=1e-6)
    camera = run.cameras[7]
    assert (camera.name, camera.fx, camera.fy, camera.cx, camera.cy, camera.size_px) == (
        "frame 7", 600, 605, 599.5, 339.5, (1200, 680))
    assert any("0 world units" in note or "e-" in note for note in notes(run))  # true poses: the same, stored in single precision


def test_while_it_runs_there_is_no_lens(tmp_path: Path) -> None:
    """Saves before the end hold poses alone."""
    write(tmp_path)
    (tmp_path / "params.npz").unlink()
    run = open_run(tmp_path)
    assert run.cameras == ()
    assert notes(run)[-1].startswith("params10.npz: holds no lens")


def test_scores_are_means_over_frames_that_also_trained(tmp_path: Path) -> None:
    """MS-SSIM is another number than SSIM, and gets no name that says otherwise."""
    series = open_run(write(tmp_path)).series
    assert {name: series[name].at(12) for name in sorted(series)} == {
        "raw/train/ms_ssim": pytest.approx(0.9), "train/lpips": pytest.approx(0.2), "train/psnr": 31.0}


def test_the_program_of_settings_is_never_run(tmp_path: Path) -> None:
    """config.py would end this test."""
    run = open_run(write(tmp_path))
    assert len(run.settings) == 0
    assert notes(run)[0] == "config.py: is a program, so its settings are not read: open it in an editor to see them"


def test_a_half_written_save_leaves_the_others_open(tmp_path: Path) -> None:
    """numpy writes the directory of the zip last."""
    write(tmp_path)
    path = tmp_path / "params10.npz"
    path.write_bytes(path.read_bytes()[:-60])
    run = open_run(tmp_path)
    assert run.iterations == (1, 6, 12)
    assert any(note.startswith("params10.npz: left out: ") for note in notes(run))


@pytest.mark.parametrize("change", [
    {"means3D": np.zeros((3, 2), np.float32)}, {"log_scales": np.zeros((COUNT, 2), np.float32)},
    {"rgb_colors": np.zeros((COUNT - 1, 3), np.float32)}, {"means3D": np.zeros((COUNT, 3), np.int64)},
    {"unnorm_rotations": np.float32(3)},
])
def test_arrays_of_another_shape_are_left_out(change: dict[str, Any], tmp_path: Path) -> None:
    """One note, and the other saves open."""
    write(tmp_path)
    np.savez(tmp_path / "params5.npz", **{**params(15, final=False), **change})
    run = open_run(tmp_path)
    assert run.iterations == (1, 11, 12)
    assert sum("params5.npz: left out" in note for note in notes(run)) == 1


@pytest.mark.parametrize("change", [
    {"cam_trans": np.zeros((1, 3, 4), np.float32)}, {"cam_unnorm_rots": np.full((1, 4, FRAMES), np.nan, np.float32)},
    {"intrinsics": np.full((3, 3), np.nan, np.float32)}, {"org_width": 0}, {"org_width": np.zeros((4,))},
])
def test_odd_poses_and_lenses_give_no_cameras(change: dict[str, Any], tmp_path: Path) -> None:
    """Nothing is guessed, and the Gaussians open."""
    np.savez(tmp_path / "params.npz", **{**params(), **change})
    run = open_run(tmp_path)
    assert run.cameras == ()
    assert run.checkpoints[0].gaussians.means.shape == (COUNT, 3)


def test_reopening_keeps_what_has_not_changed(tmp_path: Path) -> None:
    """A live map is looked at again and again."""
    run = open_run(write(tmp_path))
    again = reopen(run)
    assert [a is b for a, b in zip(again.checkpoints, run.checkpoints, strict=True)] == [True] * 4


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.floats(0, 1), cut=st.booleans(), byte=st.integers(0, 255))
def test_any_damage_is_refused_or_read(at: float, cut: bool, byte: int, tmp_path: Path) -> None:
    """Whatever the bytes are, one clear error or numbers."""
    path = tmp_path / "params.npz"
    path.unlink(missing_ok=True)  # an earlier read may still map it
    np.savez(path, **params(5))
    whole = path.read_bytes()
    place = int(at * (len(whole) - 1))
    path.unlink()
    path.write_bytes(whole[:place] if cut else whole[:place] + bytes([byte]) + whole[place + 1:])
    with suppress(RunError):
        gaussians = look(path).read()
        for name in ("means", "log_scales", "quats_wxyz", "logit_opacities", "sh0", "sh_rest"):
            gaussians.load(name)
