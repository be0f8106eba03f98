"""A training kept in memory reads as the folder that a writer makes of it: else its detectors would judge something else."""

from pathlib import Path

import numpy as np

from diagnostics.optimiser.optimiser import Optimiser
from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.optimiser.train import train
from diagnostics.probes.trial_record import HeldPhoto, Recording, Told, relabelled
from runs.open_run import open_run
from runs.writers.inria import InriaWriter
from tests.lab.opened import opened
from tests.lab.scenes import build

SETTINGS = OptimiserSettings.mini(
    iterations=60, densify_from_iter=10, densification_interval=20, densify_until_iter=50, opacity_reset_interval=30,
    save_iterations=(20, 60), test_iterations=(1, 60), checkpoint_iterations=(60,))


def test_it_is_the_run_that_its_folder_would_be(tmp_path: Path) -> None:
    """Series, saves, states, settings and cameras, against the files of the same training."""
    data = build("court", 64, 0).data
    recording = Recording()
    Optimiser(data, SETTINGS, recorder=recording).run()
    train(data, SETTINGS, recorder=InriaWriter(tmp_path / "run", "nowhere"))
    views = (*data.train, *data.test)
    told = Told(SETTINGS, tuple(view.camera for view in views), {view.name: view.photo for view in views}, data.points)
    kept, written = recording.as_run(told, opened("usual-court-0_court-0_mini")), open_run(tmp_path / "run")
    assert set(kept.series) <= set(written.series)
    for name in ("loss/l1", "loss/total", "num_gaussians", "test/psnr", "densify/cloned", "lr/xyz", "opacity_reset"):
        np.testing.assert_allclose(kept.series[name].values, written.series[name].values, rtol=1e-6, err_msg=name)
        np.testing.assert_array_equal(kept.series[name].iterations, written.series[name].iterations)
    assert kept.iterations == written.iterations == (20, 60)
    for mine, theirs in zip(kept.checkpoints, written.checkpoints, strict=True):
        assert (mine.count, mine.sh_degree) == (theirs.count, theirs.sh_degree)
        np.testing.assert_array_equal(mine.gaussians.means, theirs.gaussians.means)
    np.testing.assert_array_equal(kept.state_files[0].state.adam["xyz"].exp_avg, written.state_files[0].state.adam["xyz"].exp_avg)
    assert kept.trainer.name == written.trainer.name
    assert {name: kept.settings.value(name) for name in ("opacity_lr", "sh_degree", "densify_from_iter", "white_background")} == {
        name: written.settings.value(name) for name in ("opacity_lr", "sh_degree", "densify_from_iter", "white_background")}
    assert {camera.name for camera in kept.cameras} == {camera.name for camera in written.cameras}
    assert sum(camera.split == "test" for camera in kept.cameras) == len(data.test)


def test_other_settings_are_told_without_touching_what_came_of_it() -> None:
    """So it shows whether a detector judges settings or results."""
    data = build("court", 64, 0).data
    one, two = Recording(), Recording()
    Optimiser(data, SETTINGS, recorder=one).run()
    fast = OptimiserSettings(**{**SETTINGS.__dict__, "position_lr_init": 1.6e-2, "rotation_lr": 0.1})
    Optimiser(data, fast, recorder=two).run()
    mixed = relabelled(one, two)
    assert [row["lr_xyz"] for row in mixed.rows] == [row["lr_xyz"] for row in two.rows]
    assert [row["loss"] for row in mixed.rows] == [row["loss"] for row in one.rows]
    assert mixed.states[0].adam["rotation"].learning_rate == 0.1
    np.testing.assert_array_equal(mixed.states[0].gaussians.means, one.states[0].gaussians.means)


def test_held_photos_answer_like_files() -> None:
    values = np.linspace(0, 1, 8 * 6 * 3, dtype=np.float32).reshape(6, 8, 3)
    photo = HeldPhoto("a", Path("a"), values)
    assert (photo.size_px, photo.has_alpha, photo.exif_orientation) == ((8, 6), False, 1)
    assert HeldPhoto("a", Path("a"), np.zeros((2, 2, 4), np.float32)).has_alpha
    assert photo.pixels() is values
    np.testing.assert_allclose(photo.pixels((4, 3)), values.reshape(3, 2, 4, 2, 3).mean(axis=(1, 3)), atol=1.5 / 255)
