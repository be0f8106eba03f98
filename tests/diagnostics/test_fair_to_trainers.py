"""A method is judged by what it does: the same sound training raises no alarm in any layout or format, a sick one still does.

Layouts with many variants have files of their own: forks of INRIA's trainer (test_family_runs), Brush, OpenSplat, LichtFeld
Studio, MonoGS and SplaTAM (test_retold_apps), splatfacto, 3DGRUT and lightning (test_studio_runs), moving scenes
(test_moving_runs). Here are the others, every exchange format, and what each trainer is not asked.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.detectors.shape import needles
from diagnostics.diagnose import diagnose
from diagnostics.evidence import Evidence
from diagnostics.facts.habits import full_size_from
from diagnostics.facts.registration import lens_told
from diagnostics.verdict import Finding, NotEvaluable
from runs import quantities
from runs.checkpoints import Checkpoint
from runs.formats.cameras.colmap import read_model
from runs.gaussians import Gaussians
from runs.open_run import open_run
from runs.run import Run, Trainer
from runs.trainers import TRAINERS
from runs.trainers.shared.splits import held_out_every
from runs.writers.gsplat import GsplatWriter, splats
from runs.writers.torch_zip import write_torch_file
from tests.diagnostics.test_retold_apps import Sound, brush, lichtfeld_2025, lichtfeld_2026, opensplat, sound
from tests.diagnostics.test_studio_runs import as_grut, as_lightning, as_splatfacto, log_of
from tests.support.colmap_writer import write_text
from tests.support.data import shared_data
from tests.support.exported import WRITERS
from tests.support.files import write_points, write_splats
from tests.support.models import model_of
from tests.support.retold import Folders
from tests.support.runs import changed, cloud, made_run, points_of, ring_cameras

Told = tuple[Path, Path | None]  # the run's folder or file, and the data that the user names


def as_gsplat(told: Sound, to: Path, **extra: Any) -> Told:
    """All saves, the whole log, and its data set in the same world."""
    run = told.run
    settings = {name: setting.value for name, setting in run.settings.items() if setting.stored} | {"tb_every": 10} | extra
    writer = GsplatWriter(to / "run", "/nowhere", ply=False)
    assert run.input_points is not None
    writer.begin(held_out_every(run.cameras, 8), run.input_points, settings)
    for entry in log_of(run.path):
        writer.log(entry["it"], entry)
    for checkpoint in run.checkpoints:
        writer.save(checkpoint.iteration, checkpoint.gaussians)
    writer.finish()
    return to / "run", told.scene


def as_gsplat_discs(told: Sound, to: Path) -> Told:
    """Another script, told by two of its settings."""
    folder, data = as_gsplat(told, to)
    with (folder / "cfg.yml").open("a", encoding="utf-8") as file:
        file.write("normal_loss: false\ndist_loss: false\n")
    return folder, data


def as_gsplat_appearance(told: Sound, to: Path) -> Told:
    return as_gsplat(told, to, app_opt=True, pose_opt=True)


def as_av_trainer(told: Sound, to: Path) -> Told:
    (to / "run").mkdir()
    for iteration, gaussians in told.saves.items():
        saved = {"step": iteration, "scene_path": "a.npz", "scene_id": 0, "splats": splats(gaussians)}
        write_torch_file(to / "run" / "ckpts" / f"ckpt_{iteration:05d}.pt", saved)
        stored = {"step": iteration, "loss": 0.1, "elapsed_s": 9.0, "gpu_peak_mb": 1.0, "num_gaussians": gaussians.count,
                  "mean_psnr": told.run.series["test/psnr"].at(iteration)}
        (to / "run" / "stats").mkdir(exist_ok=True)
        (to / "run" / "stats" / f"step{iteration:05d}.json").write_text(json.dumps(stored), "utf-8")
    return to / "run", told.scene


def as_splat_trainer(told: Sound, to: Path) -> Told:
    for iteration, gaussians in told.saves.items():
        path = to / "run" / "point_cloud" / f"iteration_{iteration}" / "point_cloud.ply"
        write_splats(path, gaussians)
        (to / "run" / "checkpoint").mkdir(exist_ok=True)
        write_torch_file(to / "run" / "checkpoint" / f"checkpoint_{iteration}.pt", {"step": iteration})
    shutil.copyfile(told.run.path / "cameras.json", to / "run" / "cameras.json")
    shutil.copyfile(told.run.path / "input.ply", to / "run" / "input.ply")
    return to / "run", told.scene


def as_spirulae(told: Sound, to: Path) -> Told:
    for iteration, gaussians in told.saves.items():
        write_splats(to / "run" / f"step-{iteration:09d}.ckpt" / "splat.ply", gaussians)
    (to / "run" / "config.json").write_text(json.dumps({"num_iterations": 2_000, "sh_degree": 3, "data": "/x"}), "utf-8")
    (to / "run" / "metrics.json").write_text(json.dumps({"avg_psnr": 31.0, "avg_ssim": 0.9}), "utf-8")
    return to / "run", told.scene


def as_numbered_files(told: Sound, to: Path) -> Told:
    """Of no trainer; the last is saved twice, as an edited copy would be."""
    for number, iteration in ((1, 600), (2, 2_000), (3, 2_000)):
        write_splats(to / f"scene_{number}.ply", told.saves[iteration])
    return to, told.scene


def as_levels_of_detail(told: Sound, to: Path) -> Told:
    """Brush's: each a smaller model, numbered by its level."""
    for level, part in ((1, 2), (2, 4), (3, 8)):
        few = told.saves[2_000].take(np.arange(0, told.saves[2_000].count, part))
        write_splats(to / f"export_2000_lod{level}.ply", few, normals=False, comments=["Exported from Brush"])
    return to, told.scene


def as_simulation(told: Sound, to: Path) -> Told:
    for frame in range(3):
        write_points(to / "simulation_ply" / f"sim_{frame:010d}.ply", told.saves[2_000].means + 0.1 * frame)
    return to, None


WAYS: Mapping[str, tuple[Callable[[Sound, Path], Told], str]] = {
    "gsplat": (as_gsplat, "gsplat"), "gsplat 2DGS": (as_gsplat_discs, "gsplat-2dgs"),
    "gsplat with app_opt and pose_opt": (as_gsplat_appearance, "gsplat"), "gsplat av_trainer": (as_av_trainer, "gsplat"),
    "splat-trainer": (as_splat_trainer, "splat-trainer"), "spirulae-splat": (as_spirulae, "spirulae-splat"),
    "numbered files": (as_numbered_files, "unknown"), "levels of detail": (as_levels_of_detail, "brush"),
    "PhysGaussian": (as_simulation, "physgaussian"),
}
ELSEWHERE = {  # families that other files of tests retell
    "nerfbaselines", "nerfstudio", "3DGRUT", "grendel", "gaussian-splatting-lightning", "LichtFeld Studio", "scaffold",
    "4dgaussians", "deformable-3dgs", "SplaTAM", "MonoGS", "inria", "Brush", "OpenSplat", "LichtFeld Studio, splats alone",
}
HERE = {  # families that other files of tests retell
    "NerfBaselines", "nerfstudio", "3DGRUT", "Grendel-GS", "gaussian-splatting-lightning", "LichtFeld Studio", "Scaffold-GS",
    "4DGaussians", "Deformable-3DGS", "SplaTAM", "MonoGS", "inria", "Brush", "OpenSplat", "LichtFeld Studio, splats alone",
}
HERE = {"gsplat", "gsplat av_trainer", "splat-trainer", "spirulae-splat", "PhysGaussian", "loose files"}


def findings(run: Run) -> list[str]:
    return [f"{found.pattern.code} {found.finding.says}" for found in diagnose(run).findings]


@pytest.mark.parametrize("way", WAYS)
def test_a_sound_training_raises_no_alarm_in_any_layout(way: str, tmp_path: Path) -> None:
    """What a trainer does not write is missing, and what it does otherwise is no fault, its photos at hand or not."""
    pytest.importorskip("torch")
    retell, trainer = WAYS[way]
    (tmp_path / "to").mkdir()
    folder, data = retell(sound(), tmp_path / "to")
    run = open_run(folder, data)
    assert run.trainer.name == trainer
    assert run.checkpoints
    assert findings(run) == []


@pytest.mark.parametrize("with_data", [False, True], ids=["alone", "with its photos"])
@pytest.mark.parametrize("kind", WRITERS)
def test_a_sound_model_raises_no_alarm_in_any_format(kind: str, with_data: bool, tmp_path: Path) -> None:
    """A file alone tells of its rows and their shapes, and of nothing else; rounding is no fault."""
    pytest.importorskip("gsply")
    name, write = WRITERS[kind]
    told = sound()
    diagnosis = diagnose(open_run(write(tmp_path / name, told.saves[2_000]), told.scene if with_data else None))
    assert [found.finding.says for found in diagnosis.findings] == []
    clear = {pattern.code for pattern in diagnosis.clear}
    assert {"N-11", "N-12", "AF-06"} <= clear
    assert ("AF-01" in clear) is with_data  # silence is a verdict there, not an abstention


def test_every_family_is_retold_somewhere() -> None:
    """Who adds a trainer must say where its sound run is held against the diagnosis."""
    assert {family.name for family in TRAINERS} == ELSEWHERE | HERE


def copied(name: str, to: Path) -> Folders:
    return Folders(shared_data("runs", name), shared_data("scenes", "synth0")).copied(to / "told")


def as_sound(name: str) -> Sound:
    """A sick run in the shape that the other trainers' writers take: two saves, under the iterations that they expect."""
    run = open_run(shared_data("runs", name), shared_data("scenes", "synth0"))
    early = min(run.checkpoints, key=lambda one: abs(one.iteration - 600))
    return Sound(run, {600: early.gaussians, 2_000: run.checkpoints[-1].gaussians}, shared_data("scenes", "synth0"))


@pytest.mark.parametrize(("way", "expected"), [
    (brush, {"AF-01"}), (opensplat, {"AF-01"}), (lichtfeld_2025, {"IF-05", "AF-01"}),
])
def test_the_fog_of_the_sample_is_seen_whoever_trained_it(
    way: Callable[[Sound, Path], Told], expected: set[str], tmp_path: Path,
) -> None:
    """Floaters need no log. That white lay behind the renders is told only where a logged PSNR proves it."""
    to = tmp_path / "run"
    if way is not brush:
        to.mkdir()
    folder, data = way(as_sound("sample"), tmp_path if way is brush else to)
    assert {found.pattern.code for found in diagnose(open_run(folder, data)).findings} == expected


@pytest.mark.parametrize(("way", "name", "expected"), [
    (as_lightning, "synth-c", {"DF-04"}), (as_grut, "synth-c", {"DF-04"}),
    (as_lightning, "synth-d", {"OF-03", "DF-07", "DF-05"}), (as_grut, "synth-d", {"OF-03", "DF-07", "DF-05"}),
    (as_lightning, "synth-f", {"TG-03", "IF-01", "IF-03"}), (as_splatfacto, "synth-d", {"OF-03", "DF-07"}),
])
def test_a_fault_of_any_training_is_found_under_another_name(
    way: Callable[[Folders, Path], Run], name: str, expected: set[str], tmp_path: Path,
) -> None:
    """Fairness is no silence: runaway densification, frozen opacities and a start in empty space are faults everywhere."""
    pytest.importorskip("torch")
    (tmp_path / "new").mkdir()
    run = way(copied(name, tmp_path), tmp_path / "new")
    assert {found.pattern.code for found in diagnose(run).findings} == expected


def test_frozen_opacities_are_found_in_a_checkpoint_of_lichtfeld(tmp_path: Path) -> None:
    """Its Adam memory tells, under names of its own."""
    (tmp_path / "run").mkdir()
    folder, data = lichtfeld_2026(as_sound("synth-d"), tmp_path / "run")
    assert "OF-03" in {found.pattern.code for found in diagnose(open_run(folder, data)).findings}


def of(name: str, confidence: float = 0.9) -> Trainer:
    return Trainer(name, confidence, "made up")


def fact(name: str, run: Run) -> Any:
    return Evidence(run, (0, 30_000)).get(name)


def why(name: str, run: Run) -> str:
    found = fact(name, run)
    assert isinstance(found, NotEvaluable), found
    return " ".join(found.missing)


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
    assert [text.split()[0] for text in findings(steady)] == ["DF-05"]


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


def test_a_sound_capture_with_a_lens_aside_raises_no_alarm_as_opensplats(tmp_path: Path) -> None:
    """Of a real capture whose principal point lies 3.8 px beside the middle, its cameras.json tells the middle."""
    run = open_run(shared_data("runs", "fox-a"), shared_data("scenes", "fox"))
    saves = {2_000: run.checkpoints[-1].gaussians}
    (tmp_path / "run").mkdir()
    folder, data = opensplat(Sound(run, saves, shared_data("scenes", "fox")), tmp_path / "run")
    assert findings(open_run(folder, data)) == []
