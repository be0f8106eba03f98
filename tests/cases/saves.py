"""Reports that are saved files: dead mass, zero quaternions, values that are not finite, far outliers, activated values."""

import json
from pathlib import Path

import numpy as np

from diagnostics.diagnosis import Diagnosis
from runs.gaussians import Gaussians
from runs.writers.gsplat import GsplatWriter
from runs.writers.ply import write_splats
from tests.cases.public import Input, PublicCase, codes, measured, rows_named, said
from tests.cases.written_logs import bar, log_of, write_text
from tests.support.files import inria_columns, write_ply
from tests.support.runs import changed, cloud, points_of

LICHTFELD = {
    "optimization": {"iterations": 30_000, "strategy": "mcmc", "opacity_decay": 0.0, "max_cap": 1_000_000, "sh_degree": 1},
    "dataset": {"data_path": "/data/garden", "output_path": "/out/garden", "images": "images", "test_every": 8},
}


def dead_at_the_cap(folder: Path) -> Input:
    """gsplat#822: 7,500 of 10,000 below an opacity of 0.007, at a cap of 10,000, after the last refinement."""
    rng = np.random.default_rng(822)
    alive = cloud(10_000, seed=822, opacity=0.6)
    logits = alive.logit_opacities.copy()
    logits[:7_500] = rng.uniform(-8, -5, 7_500)
    settings = {"strategy": "mcmc", "cap_max": 10_000, "iterations": 100_000, "min_opacity": 0.01, "refine_start_iter": 3_000,
                "refine_stop_iter": 90_000, "refine_every": 1_000, "sh_degree": 1}
    writer = GsplatWriter(folder, "/data/scene")
    writer.begin((), points_of(alive), settings)
    writer.save(100_000, changed(alive, logit_opacities=rng.permutation(logits)))
    writer.finish()
    return Input(folder)


def never_trained_since_insertion(folder: Path) -> Input:
    """SpacetimeGaussians#96: 999 of 2,102 rows have a quaternion of zeros, everything else is plausible."""
    base = cloud(2_102, seed=96)
    quats = base.quats_wxyz.copy()
    quats[np.random.default_rng(96).permutation(2_102)[:999]] = 0
    write_splats(folder / "point_cloud.ply", changed(base, quats_wxyz=quats))
    return Input(folder / "point_cloud.ply")


def saturated_opacities(folder: Path) -> Input:
    """LichtFeld-Studio#2079: 3, later 366 of 36,000 opacities are +inf, the largest finite one is 16.85."""
    rng = np.random.default_rng(2_079)
    for iteration, bad in ((7_000, 3), (30_000, 366)):
        base = cloud(36_000, seed=iteration)
        logits = base.logit_opacities.copy()
        logits[rng.permutation(36_000)[: bad + 1]] = [16.85, *[np.inf] * bad]
        write_splats(folder / f"splat_{iteration}.ply", changed(base, logit_opacities=logits))
    (folder / "training_config.json").write_text(json.dumps(LICHTFELD), encoding="utf-8")
    return Input(folder)


def far_rows(folder: Path) -> Input:
    """GaussianSplats3D#299: five of 5,005 rows lie up to 28 million units away from an object of sigma 5."""
    rng = np.random.default_rng(299)
    base = cloud(5_005, seed=299, size=0.1)
    means = np.array([7.07, -13.42, -10.56]) + rng.normal(0, 5, (5_005, 3))
    means[-5:] = np.array([2.2e7, 1.6e7, -1.8e7]) * np.array([[1], [0.3], [-0.5], [0.01], [0.7]])
    write_splats(folder / "scene.ply", changed(base, means=means.astype(np.float32)))
    return Input(folder / "scene.ply")


def logarithms_of_zero(folder: Path) -> Input:
    """supersplat#189: 14 properties, 2,000 rows, 20 of them with scales of -inf."""
    base = cloud(2_000, seed=189, sh_degree=0)
    scales = base.log_scales.copy()
    scales[np.random.default_rng(189).permutation(2_000)[:20]] = -np.inf
    columns = inria_columns(changed(base, log_scales=scales), normals=False)
    assert len(columns) == 14
    write_ply(folder / "scene.ply", columns)
    return Input(folder / "scene.ply")


def activated_values(folder: Path) -> Input:
    """supersplat-viewer#253: scales of 0.001..0.05 stored as they are, opacities of 0 to 1."""
    rng = np.random.default_rng(253)
    base = cloud(4_000, seed=253, spread=0.2)
    stored = changed(base, log_scales=rng.uniform(0.001, 0.05, (4_000, 3)).astype(np.float32),
                     logit_opacities=rng.uniform(0.02, 1.0, 4_000).astype(np.float32))
    write_splats(folder / "scene.ply", stored)
    return Input(folder / "scene.ply")


def one_row_of_nan(folder: Path) -> Input:
    """gsplat#868: one row of NaN must not empty what is made of the others."""
    base = cloud(3_000, seed=868)
    write_splats(folder / "point_cloud.ply", _with_nan(base, 1_234))
    return Input(folder / "point_cloud.ply")


def _with_nan(gaussians: Gaussians, row: int) -> Gaussians:
    columns = {name: gaussians.load(name).copy() for name in ("means", "log_scales", "quats_wxyz", "logit_opacities", "sh0")}
    for values in columns.values():
        values[row] = np.nan
    return changed(gaussians, **columns)


def infinite_scale_before_the_crash(folder: Path) -> Input:
    """gaussian-splatting#781: the last good save has a scale whose exponential is infinite; then an illegal memory access."""
    base = cloud(3_000, seed=781)
    scales = base.log_scales.copy()
    scales[[17, 1_900]] = [[95.0, 95.0, 95.0], [np.inf, np.inf, np.inf]]
    write_text(folder, "cfg_args", "Namespace(sh_degree=1, source_path='/data/scene', model_path='out', images='images', "
               "resolution=-1, white_background=False, data_device='cuda', eval=False)")
    write_splats(folder / "point_cloud" / "iteration_7000" / "point_cloud.ply", changed(base, log_scales=scales))
    error = ("Traceback (most recent call last):\n"
             '  File "train.py", line 97, in training\n'
             "    loss.backward()\n"
             "RuntimeError: CUDA error: an illegal memory access was encountered\n"
             "CUDA kernel errors might be asynchronously reported at some other API call.\n")
    bars = [bar(i, 30_000, 0.09, 20.0) for i in range(100, 7_301, 100)]
    write_text(folder, "train.log", log_of(bars, {}, 30_000).replace("Training complete. 30000\n", error))
    return Input(folder)


def _three_quarters_dead(diagnosis: Diagnosis) -> None:
    logits = diagnosis.run.checkpoints[-1].gaussians.logit_opacities
    assert rows_named(diagnosis, "N-08") == int((1 / (1 + np.exp(-logits.astype(np.float64))) < 1 / 255).sum())
    assert "2,500" in said(diagnosis, "N-08")


def _zero_rows(diagnosis: Diagnosis) -> None:
    assert rows_named(diagnosis, "N-12") == 999
    assert diagnosis.run.checkpoints[0].gaussians.count == 2_102


def _saturated(diagnosis: Diagnosis) -> None:
    assert rows_named(diagnosis, "N-11") == 366
    assert "3" in said(diagnosis, "N-11")
    assert not {"M-04", "OF-01"} & {found.pattern.code for found in diagnosis.findings}


def _five_far(diagnosis: Diagnosis) -> None:
    assert rows_named(diagnosis, "F-01") == 5


def _twenty_rows(diagnosis: Diagnosis) -> None:
    assert rows_named(diagnosis, "N-11") == 20
    assert np.isfinite(diagnosis.run.checkpoints[0].gaussians.means).all()


def _one_row(diagnosis: Diagnosis) -> None:
    assert rows_named(diagnosis, "N-11") == 1


def _far_too_large(diagnosis: Diagnosis) -> None:
    told = measured(diagnosis, "N-13")["median size once read as a logarithm / distance to the nearest neighbours"]
    assert told is not None
    assert float(told) > 20


CASES = (
    PublicCase(
        "nerfstudio-project/gsplat#822", dead_at_the_cap,
        why="MCMC keeps what is dead at the cap: 75 % of a file that nobody sees. It relocates and never prunes, so pruning "
            "is not at fault.",
        must=codes("N-08"), must_not=codes("DF-06 DF-05"), check=_three_quarters_dead,
    ),
    PublicCase(
        "oppo-us-research/SpacetimeGaussians#96", never_trained_since_insertion,
        why="47.5 % were never trained since they were inserted. The file is not corrupt, and the rest is drawn.",
        must=codes("N-12"), must_not=codes("N-11 N-14"), check=_zero_rows,
    ),
    PublicCase(
        "MrNeRF/LichtFeld-Studio#2079", saturated_opacities,
        why="Opacities saturated, 3 rows and then 366; the training itself is healthy, and nothing diverged.",
        must=codes("N-11"), must_not=codes("M-04 OF-01 N-12"), check=_saturated,
    ),
    PublicCase(
        "mkkellogg/GaussianSplats3D#299", far_rows,
        why="A thousandth of the rows lies so far away that the object is a dot.",
        must=codes("F-01"), must_not=codes("N-02 N-11 N-13"), check=_five_far,
    ),
    PublicCase(
        "playcanvas/supersplat#189", logarithms_of_zero,
        why="Logarithms of zero in 1 % of the rows; they would poison every minimum.",
        must=codes("N-11"), must_not=codes("N-13 N-14 F-01"), check=_twenty_rows,
    ),
    PublicCase(
        "playcanvas/supersplat-viewer#253", activated_values,
        why="Activated values: every splat becomes about one unit large, a hundred times the distance of neighbours. "
            "Neither needles nor a bad start.",
        must=codes("N-13"), must_not=codes("IF-03 AF-06 AF-01 N-11"), check=_far_too_large,
    ),
    PublicCase(
        "nerfstudio-project/gsplat#868", one_row_of_nan,
        why="One row of NaN among 3,000.",
        must=codes("N-11"), must_not=codes("N-12 N-13 N-14"), check=_one_row,
    ),
    PublicCase(
        "graphdeco-inria/gaussian-splatting#781", infinite_scale_before_the_crash,
        why="The kernel reads outside its memory because a size is infinite: the error is the echo, the save holds the "
            "cause.",
        must=codes("N-11 N-17"), must_not=codes("MF-01 MF-06"),
    ),
)
