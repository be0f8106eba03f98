"""Habits of one trainer are not held against another: backgrounds, extents, picture sizes, names of groups, starts, numbers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.detectors.shape import needles
from diagnostics.diagnose import diagnose
from diagnostics.facts.habits import full_size_from
from diagnostics.verdict import Finding, NotEvaluable
from runs import quantities
from runs.checkpoints import Checkpoint
from runs.run import Trainer
from tests.diagnostics.facts.support import fact, of, why
from tests.diagnostics.test_fair_to_trainers import findings
from tests.support.runs import changed, cloud, made_run, points_of, ring_cameras


@pytest.mark.parametrize(("trainer", "settings", "colour"), [
    ("inria", {"white_background": True}, "white"), ("taming", {}, "black"), ("gsplat", {"random_bkgd": False}, "black"),
    ("gsplat", {"random_bkgd": True}, None), ("inria", {"random_background": True, "white_background": True}, None),
    ("splatfacto", {"pipeline.model.background_color": "random"}, None), ("brush", {}, None), ("unknown", {}, None),
    ("splatfacto", {"pipeline.model.background_color": "white"}, "white"), ("opensplat", {}, None),
])
def test_only_a_constant_background_can_be_held_against_a_model(
    trainer: str, settings: Mapping[str, Any], colour: str | None,
) -> None:
    """Before random colours, or OpenSplat's magenta, a sound training must paint the black around an object black."""
    found = fact("trained_background", made_run(trainer=of(trainer), settings=settings))
    assert found == colour if colour else isinstance(found, NotEvaluable)


@pytest.mark.parametrize(("trainer", "expected"), [("inria", True), ("gsplat", True), ("splatfacto", False), ("brush", False)])
def test_an_extent_blows_up_only_what_is_scaled_by_it(trainer: str, expected: bool) -> None:
    """nerfstudio's rates are multiples of nothing, so a far camera changes none."""
    far = [*ring_cameras()[:-1], ring_cameras(1, radius=90.0)[0]]
    found = {f.pattern.name for f in diagnose(made_run(trainer=of(trainer), cameras=far, checkpoints={7_000: cloud()})).findings}
    assert ("extent-inflated-by-outlier-cameras" in found) is expected


def test_growing_pictures_are_no_falling_quality() -> None:
    """splatfacto trains on quarters, then halves of its photos: PSNR of the trained view falls at each step, by design."""
    views = {i: 30.0 - 3 * (i > 3_000) - 3 * (i > 6_000) + i / 20_000 for i in range(10, 12_000, 10)}
    counts = {i: 100_000.0 if i < 5_900 else 40_000.0 for i in range(10, 12_000, 10)}
    series = {"view/psnr": views, "num_gaussians": counts}
    settings = {"pipeline.model.num_downscales": 2, "pipeline.model.resolution_schedule": 3_000}
    growing = made_run(trainer=of("splatfacto"), series=series, settings=settings)
    assert full_size_from(growing) == full_size_from(made_run(trainer=of("splatfacto"))) == 6_000
    assert findings(growing) == []
    steady = made_run(trainer=of("splatfacto"), series=series, settings={**settings, "pipeline.model.num_downscales": 0})
    assert [text.split()[0] for text in findings(steady)] == ["DF-05", "M-04"]


def test_gradients_are_known_by_the_names_of_other_trainers() -> None:
    """nerfstudio logs `features_rest`, which has no gradient before its degree is on, and networks, which are no Gaussians."""
    zeros, ones = (dict.fromkeys(range(10, 1000, 10), value) for value in (0.0, 1.0))
    series = {"grad_norm/features_rest": zeros, "grad_norm/camera_opt": zeros, "grad_norm/means": ones}
    run = made_run(trainer=of("splatfacto"), series=series)
    assert set(fact("gradient_norms", run)) == {"f_rest", "xyz"}
    assert findings(run) == []
    frozen = made_run(trainer=of("splatfacto"), series={**series, "grad_norm/opacities": zeros})
    assert [text.split()[0] for text in findings(frozen)] == ["OF-03"]


@pytest.mark.parametrize("settings", [
    {"init_type": "random"}, {"initialization.method": "random"}, {"pipeline.model.random_init": True}, {"random": True},
])
def test_a_random_start_is_not_held_against_the_model_it_did_not_use(settings: Mapping[str, Any]) -> None:
    """Each trainer spells it in its own way."""
    points = points_of(cloud())
    assert isinstance(fact("start_points", made_run(settings=settings, sfm_points=points)), NotEvaluable)
    assert fact("start_points", made_run(sfm_points=points)) is points


@pytest.mark.parametrize(("trainer", "iteration", "early"), [
    (of("inria"), 100, True), (of("inria"), 0, False), (of("monogs"), 100, False), (of("unknown", 0.0), 100, False),
])
def test_only_iterations_tell_that_a_save_is_early(trainer: Trainer, iteration: int, early: bool) -> None:
    """A frame of a recording, a file's number and the 0 of a file without one are no beginning of a training."""
    found = fact("early_checkpoint", made_run(trainer=trainer, checkpoints={iteration: cloud()}))
    assert isinstance(found, Checkpoint) is early


def test_a_scale_that_was_rounded_away_is_no_needle() -> None:
    """Half floats end at 6e-8: below it two scales are nothing, and their ratio to the third says nothing."""
    log_scales = np.tile(np.array([-5.0, -17.3, -17.3], np.float32), (400, 1))
    gaussians = changed(cloud(400), log_scales=log_scales)
    measured = quantities.elongation(gaussians), quantities.effective_rank(gaussians)
    exact = Checkpoint(7, Path("a.ply"), 400, 1, 0, lambda: gaussians)
    rounded = Checkpoint(7, Path("a.ksplat"), 400, 1, 0, lambda: gaussians, keeps_rows=False)
    assert isinstance(needles(exact, *measured), Finding)
    assert needles(rounded, *measured) is None


@pytest.mark.parametrize("trainer", ["gsplat", "3dgrut"])
def test_masks_that_a_trainer_never_reads_are_no_evidence(trainer: str) -> None:
    """A folder masks/ of another tool says nothing of how these trained: they fit a plain background best, mask or none."""
    run = made_run(trainer=of(trainer), settings={"render.method": "3dgut"}, checkpoints={7: cloud()}, cameras=ring_cameras())
    assert isinstance(fact("masks", run), NotEvaluable)
    assert "reads none" in why("masks", made_run(trainer=of("gsplat"), checkpoints={7: cloud()}, cameras=ring_cameras()))


@pytest.mark.parametrize(("cap", "found"), [(400, False), (4_000, True)])
def test_who_starts_at_a_cap_has_no_room_to_grow(cap: int, found: bool) -> None:
    """LichtFeld Studio caps strategies that are not MCMC too."""
    settings = {"densify_from_iter": 500, "densify_until_iter": 15_000, "densification_interval": 100, "cap_max": cap}
    run = made_run(trainer=of("lichtfeld"), settings=settings, series={"num_gaussians": dict.fromkeys(range(1, 5000, 10), 400.0)})
    assert ("DF-01" in {text.split()[0] for text in findings(run)}) is found


@pytest.mark.parametrize(("opacity", "dying"), [(0.15, False), (0.004, True)])
def test_who_is_moved_from_higher_up_is_not_dying_yet(opacity: float, dying: bool) -> None:
    """splatfacto's MCMC relocates from an opacity of 0.1 down, so that its median is near that."""
    settings = {"strategy": "mcmc", "opacity_cull": 0.1}
    run = made_run(trainer=of("splatfacto"), settings=settings, checkpoints={7_000: cloud(opacity=opacity)})
    assert ("N-09" in {text.split()[0] for text in findings(run)}) is dying
