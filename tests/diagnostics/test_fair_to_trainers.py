"""A method is judged by what it does: the same sound training raises no alarm in any layout or format, a sick one still does.

Layouts with many variants have files of their own: forks of INRIA's trainer (test_family_runs), Brush, OpenSplat, LichtFeld
Studio, MonoGS and SplaTAM (test_retold_apps), splatfacto, 3DGRUT and lightning (test_studio_runs), moving scenes
(test_moving_runs). Here are the others, every exchange format, and what each trainer is not asked.
"""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from diagnostics.diagnose import diagnose
from diagnostics.schedule import schedule_of
from runs.open_run import open_run
from runs.run import Run
from runs.trainers import TRAINERS
from runs.trainers.shared.splits import held_out_every
from runs.writers.gsplat import GsplatWriter, splats
from runs.writers.torch_zip import write_torch_file
from tests.diagnostics.test_retold_apps import Sound, brush, lichtfeld_2025, lichtfeld_2026, opensplat, sound
from tests.diagnostics.test_studio_runs import as_grut, as_lightning, as_splatfacto, log_of
from tests.support.data import shared_data
from tests.support.exported import WRITERS
from tests.support.files import write_points, write_splats
from tests.support.retold import Folders

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
    (as_lightning, "synth-f", {"TG-03", "IF-01", "IF-03", "AF-02", "AF-04", "TG-01"}),
    (as_splatfacto, "synth-d", {"OF-03", "DF-07", "DF-05"}),
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


def test_a_sound_capture_with_a_lens_aside_raises_no_alarm_as_opensplats(tmp_path: Path) -> None:
    """Of a real capture whose principal point lies 3.8 px beside the middle, its cameras.json tells the middle."""
    run = open_run(shared_data("runs", "fox-a"), shared_data("scenes", "fox"))
    saves = {2_000: run.checkpoints[-1].gaussians}
    (tmp_path / "run").mkdir()
    folder, data = opensplat(Sound(run, saves, shared_data("scenes", "fox")), tmp_path / "run")
    assert findings(open_run(folder, data)) == []


@pytest.mark.parametrize("way", ["gsplat av_trainer", "splat-trainer", "spirulae-splat", "numbered files", "levels of detail",
                                 "PhysGaussian"])
def test_no_schedule_is_assumed_of_a_trainer_that_stores_none(way: str, tmp_path: Path) -> None:
    """INRIA's defaults are INRIA's: planned events of another trainer would excuse or accuse at random."""
    pytest.importorskip("torch")
    (tmp_path / "to").mkdir()
    assert schedule_of(open_run(*WAYS[way][0](sound(), tmp_path / "to"))) is None
