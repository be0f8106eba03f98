"""What a trainer drew or compared in another way is neither drawn nor compared here, and the reason is told."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.facts.alike import is_rounded
from diagnostics.facts.registration import lens_told
from diagnostics.verdict import NotEvaluable
from runs.checkpoints import Checkpoint
from runs.formats.cameras.colmap import read_model
from runs.gaussians import Gaussians
from runs.open_run import open_run
from runs.run import Run
from runs.settings import Setting, Settings
from tests.diagnostics.facts.support import fact, of, why
from tests.diagnostics.fixtures.photographed import trained_on_white
from tests.support.colmap_writer import write_text
from tests.support.data import shared_data
from tests.support.models import model_of
from tests.support.runs import changed, cloud, made_run, points_of, ring_cameras


def flat(gaussians: Gaussians) -> Gaussians:
    scales = gaussians.log_scales.copy()
    scales[:, 2] = np.log(1e-6)
    return changed(gaussians, log_scales=scales)


@pytest.mark.parametrize(("trainer", "settings", "reason"), [
    ("2dgs", {}, "flat discs"), ("gsplat-2dgs", {}, "flat discs"), ("mip-splatting", {}, "0.1 px²"), ("3dgrut", {}, "ray"),
    ("spirulae-splat", {}, "not known"), ("splat-trainer", {}, "not known"), ("brush", {}, "does not say which"),
    ("brush", {"antialiasing": True}, "antialiasing = True"), ("gsplat", {"antialiased": True}, "antialiased = True"),
    ("inria", {"antialiasing": True}, "antialiasing = True"), ("lichtfeld", {"mip_filter": True}, "mip_filter"),
    ("splatfacto", {"pipeline.model.rasterize_mode": "antialiased"}, "rasterize_mode = antialiased"),
    ("gs-lightning", {"renderer.anti_aliased": True}, "anti_aliased"), ("gsplat", {"with_ut": True}, "with_ut"),
    ("lichtfeld", {"gut": True}, "gut"), ("gsplat", {"camera_model": "fisheye"}, "fisheye"),
    ("deformable-3dgs", {}, "stands still"),
])
def test_what_was_drawn_otherwise_is_not_drawn_here(trainer: str, settings: Mapping[str, Any], reason: str) -> None:
    """Pictures of another renderer's splats differ from its own, and the difference would pass for floaters or blur."""
    run = made_run(trainer=of(trainer), settings=settings, checkpoints={7: cloud()}, cameras=ring_cameras())
    assert reason in why("renders_alike", run)
    for name in ("drawn_cameras", "drawn_train_cameras", "views", "floater_score"):
        assert reason in why(name, run)


@pytest.mark.parametrize(("trainer", "settings"), [
    ("inria", {}), ("3dgs-mcmc", {"antialiasing": False}), ("gsplat", {"antialiased": False, "camera_model": "pinhole"}),
    ("splatfacto", {"pipeline.model.rasterize_mode": "classic"}), ("brush", {"antialiasing": False}), ("lichtfeld", {}),
    ("opensplat", {}), ("unknown", {}),
])
def test_what_was_drawn_alike_is(trainer: str, settings: Mapping[str, Any]) -> None:
    """Abstaining from everything would be fair, and useless."""
    run = made_run(trainer=of(trainer), settings=settings, checkpoints={7: cloud()}, cameras=ring_cameras())
    assert fact("renders_alike", run) is True
    assert len(fact("views", run).each) == 12


def test_discs_are_told_by_their_thickness() -> None:
    """Backends of several trainers write 2DGS discs under a three-scale layout."""
    assert "flat discs" in why("renders_alike", made_run(checkpoints={7: flat(cloud())}, cameras=ring_cameras()))


def test_a_file_may_say_that_it_was_filtered() -> None:
    """`.spz` and the comments of some PLYs do."""
    gaussians = cloud()
    run = made_run(cameras=ring_cameras())
    saved = Checkpoint(7, Path("a.spz"), gaussians.count, 1, 0, lambda: gaussians, antialiased=True)
    assert "a.spz" in why("renders_alike", Run(run.path, run.trainer, (saved,), (), None, run.sources, run.book))


@pytest.mark.parametrize(("trainer", "settings"), [
    ("gsplat", {"pose_opt": True}), ("gsplat", {"app_opt": True}), ("gsplat", {"post_processing": "bilateral_grid"}),
    ("splatfacto", {"pipeline.model.use_bilateral_grid": True}), ("monogs", {}), ("splatam", {}),
    ("splatfacto", {"pipeline.model.camera_optimizer.mode": "SO3xR3"}), ("3dgrut", {"post_processing.method": "ppisp"}),
])
def test_what_was_learned_per_view_keeps_photos_out(trainer: str, settings: Mapping[str, Any]) -> None:
    """Stored cameras are then not those that trained, or stored colours not those that were compared."""
    run = made_run(trainer=of(trainer), settings=settings, checkpoints={7: cloud()}, cameras=ring_cameras())
    reason = why("views_as_stored", run)
    for name in ("photographed", "matches", "redrawn", "masked", "background_trial"):
        assert reason in why(name, run)


@pytest.mark.parametrize("off", [
    {"pose_opt": False, "app_opt": False, "post_processing": None}, {"pipeline.model.camera_optimizer.mode": "off"},
])
def test_switches_that_are_off_keep_nothing_out(off: Mapping[str, Any]) -> None:
    """gsplat and nerfstudio store every switch, most of them off."""
    assert fact("views_as_stored", made_run(trainer=of("gsplat"), settings=off)) is True


def test_photos_of_a_bent_lens_are_not_compared() -> None:
    """gsplat and nerfstudio undistort in memory: on disk the photos fit the cameras only near the middle."""
    run = made_run(trainer=of("gsplat"), checkpoints={7: cloud()}, cameras=ring_cameras())
    run.book.add("cameras.bin", "its lens is distorted: gsplat undistorts the photos while it trains")
    for name in ("photos_alike", "shots", "photographed"):
        assert "distortion" in why(name, run)
    assert fact("renders_alike", run) is True


def test_the_reference_trainer_keeps_every_rule() -> None:
    """The limits were calibrated on its runs: nothing may be silent there."""
    run = open_run(shared_data("runs", "synth-a"), shared_data("scenes", "synth1"))
    for name in ("renders_alike", "photos_alike", "views_as_stored", "scaled_by_extent", "prunes_plainly", "counts_iterations"):
        assert fact(name, run) is True
    assert fact("trained_background", run) == "black"


@pytest.mark.parametrize(("trainer", "aside", "told"), [
    ("opensplat", 0.0, True), ("opensplat", 4.0, False), ("brush", 4.0, True), ("inria", 4.0, True),
])
def test_a_lens_that_was_used_and_not_stored_is_not_guessed(trainer: str, aside: float, told: bool, tmp_path: Path) -> None:
    """OpenSplat draws around the principal points of its data set, and keeps none: photos would lie beside renders."""
    stored = tuple(replace(camera, has_principal_point=False) for camera in ring_cameras())
    write_text(model_of(tuple(replace(camera, cx=camera.cx + aside) for camera in ring_cameras()), points_of(cloud())), tmp_path)
    model = read_model(tmp_path)
    run = made_run(trainer=of(trainer), cameras=stored)
    assert (lens_told(run, stored, model) is True) is told
    assert (lens_told(run, stored, None) is True) is (trainer != "opensplat")


def test_rounded_values_reproduce_no_logged_score() -> None:
    """A tenth of a dB decides which background was trained on; rounding may cost more."""
    run = trained_on_white()
    assert fact("background_trial", run).exact
    rounded = tuple(replace(one, keeps_rows=False, path=Path("scene.ksplat")) for one in run.checkpoints)
    assert isinstance(fact("background_trial", replace(run, checkpoints=rounded)), NotEvaluable)
    assert not any(is_rounded(one) for one in run.checkpoints)
    assert not is_rounded(replace(rounded[0], shards=(2, 2)))  # of Grendel: exact, in another order
    assert not is_rounded(replace(rounded[0], path=Path("checkpoint.resume")))  # of LichtFeld: without its deleted rows


def test_half_of_a_held_out_view_is_no_score_of_a_picture() -> None:
    """With train_test_exp INRIA's trainer trains on one half of each test view and scores the other."""
    run = trained_on_white()
    halves = {**dict(run.settings), "train_test_exp": Setting("train_test_exp", True, "cfg_args")}
    halved = replace(run, sources=replace(run.sources, settings=lambda: Settings(halves)))
    assert "half" in why("background_trial", halved)
