"""Reports that are folders with something missing: a rank's file, what a resume needs, the alpha that nobody carved."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from diagnostics.diagnosis import Diagnosis
from render.raster.cpu import rasterise
from render.splats import prepare
from runs.gaussians import Gaussians
from runs.writers.gsplat import GsplatWriter, splats
from runs.writers.inria import InriaWriter
from runs.writers.ply import write_splats
from runs.writers.torch_zip import write_torch_file
from tests.cases.public import Input, PublicCase, codes, said
from tests.cases.written_logs import bar, log_of, write_text
from tests.support.runs import changed, cloud, points_of, ring_cameras
from tests.support.training import SETTINGS

PARTS = (1_421, 1_508)  # rows of the two ranks


def one_rank_of_two(folder: Path) -> Input:
    """gsplat#368: only the file of rank 0 is left; the log knows of 2,929 Gaussians."""
    _two_ranks(folder, (0,))
    return Input(folder)


def both_ranks(folder: Path) -> Input:
    """The same with both files: nothing is missing."""
    _two_ranks(folder, (0, 1))
    return Input(folder)


def _two_ranks(folder: Path, kept: tuple[int, ...]) -> None:
    whole = cloud(sum(PARTS), seed=368)
    writer = GsplatWriter(folder, "/data/scene")
    writer.begin((), points_of(whole), {"iterations": 30_000, "sh_degree": 1})
    writer.finish()
    edges = np.cumsum((0, *PARTS))
    for rank in (0, 1):
        part = whole.take(np.arange(edges[rank], edges[rank + 1]))
        stats = json.dumps({"mem": 1.9, "ellipse_time": 700.0, "num_GS": part.count})
        write_text(folder / "stats", f"train_step29999_rank{rank}.json", stats)
        if rank in kept:
            (folder / "ckpts").mkdir(exist_ok=True)
            write_torch_file(folder / "ckpts" / f"ckpt_29999_rank{rank}.pt", {"step": 29_999, "splats": splats(part)})
    write_text(folder / "stats", "val_step29999.json", json.dumps({"psnr": 24.90, "ssim": 0.77, "lpips": 0.2, "num_GS": 2_929}))


def resumed_from_a_ply(folder: Path) -> Input:
    """gaussian-splatting#379: the folder holds point_cloud.ply alone, which was then given as --start_checkpoint."""
    _begin(folder, {**SETTINGS, "iterations": 60_000})
    write_splats(folder / "point_cloud" / "iteration_30000" / "point_cloud.ply", cloud(900, seed=379))
    error = ("python train.py -s /data/scene --iterations 60000 --start_checkpoint "
             "output/scene/point_cloud/iteration_30000/point_cloud.ply\n"
             "Traceback (most recent call last):\n"
             '  File "train.py", line 38, in training\n'
             "    (model_params, first_iter) = torch.load(checkpoint)\n"
             "_pickle.UnpicklingError: invalid load key, 'p'.\n")
    return Input(write_text(folder, "resume.log", error))


def fewer_steps_after_the_resume(folder: Path) -> Input:
    """LichtFeld-Studio#566: planned for 50,000 iterations, after the resume for 30,000."""
    _begin(folder, {**SETTINGS, "iterations": 30_000})
    write_splats(folder / "point_cloud" / "iteration_20000" / "point_cloud.ply", cloud(900, seed=566))
    first = [bar(i, 50_000, 0.08, 30.0) for i in range(500, 20_001, 500)]
    second = [bar(i, 30_000, 0.08, 30.0) for i in range(20_500, 22_001, 500)]
    return Input(write_text(folder, "train.log", log_of([*first, *second], {}, 30_000)))


def _begin(folder: Path, settings: Mapping[str, Any]) -> None:
    writer = InriaWriter(folder, "/data/scene")
    writer.begin(ring_cameras(24), points_of(cloud(400, seed=1)), settings)
    writer.finish()


def uncarved_alpha(folder: Path) -> Input:
    """gaussian-splatting PR#1338: cut-out photos, and 1 % of the rows stand where they began, outside of the silhouette."""
    shape = changed(cloud(1_500, seed=1_338, spread=0.6, opacity=0.95), sh_rest=np.zeros((1_500, 3, 3), np.float32))
    rng = np.random.default_rng(1_338)
    around = rng.normal(size=(120, 3))
    around = 1.15 * around / np.linalg.norm(around, axis=1, keepdims=True)
    left = changed(cloud(120, seed=1_339, opacity=0.6, size=0.08), means=around.astype(np.float32))
    cameras = ring_cameras(16, radius=3.0, size_px=(96, 96))
    run, data = folder / "run", folder / "data"
    _photos(data / "images", shape, cameras)
    writer = InriaWriter(run, str(data))
    writer.begin(cameras, points_of(joined(shape, left)), {**SETTINGS, "iterations": 2_000})
    for iteration, psnr in ((200, 18.0), (2_000, 24.0)):
        count, loss = 620 if iteration == 200 else 1_620, 10 ** (-psnr / 20)
        writer.log(iteration, {"l1": loss, "loss": loss, "n": count, "eval": {"train": psnr}})
    writer.save(200, joined(left, _before(shape.take(np.arange(500)))))
    writer.save(2_000, joined(left, shape))
    writer.finish()
    return Input(run, data)


def _before(gaussians: Gaussians) -> Gaussians:
    """As they were early in training: elsewhere, larger, paler."""
    shift = 0.03 * np.random.default_rng(5).normal(size=(gaussians.count, 3))
    return changed(gaussians, means=gaussians.means + shift, log_scales=gaussians.log_scales + 0.3, sh0=0.9 * gaussians.sh0,
                   quats_wxyz=gaussians.quats_wxyz + shift[:, :1], logit_opacities=gaussians.logit_opacities - 1)


def joined(first: Gaussians, second: Gaussians) -> Gaussians:
    """The rows of both, one after the other."""
    names = ("means", "log_scales", "quats_wxyz", "logit_opacities", "sh0", "sh_rest")
    columns: dict[str, Any] = {name: np.concatenate([first.load(name), second.load(name)]) for name in names}
    return Gaussians.from_arrays(**columns)


def _photos(folder: Path, shape: Gaussians, cameras: Any) -> None:
    """The shape alone, cut out: colours straight, alpha beside them."""
    folder.mkdir(parents=True)
    prepared = prepare(shape)
    for camera in cameras:
        picture = rasterise(prepared, camera)
        rgb = np.clip(picture.rgb / np.maximum(picture.alpha, 1e-3)[..., None], 0, 1)
        stored = np.round(255 * np.concatenate([rgb, picture.alpha[..., None]], axis=2)).astype(np.uint8)
        Image.fromarray(stored).save(folder / camera.name)


def _counts_both(diagnosis: Diagnosis) -> None:
    assert "1 of 2" in said(diagnosis, "N-28")


def _tells_both_plans(diagnosis: Diagnosis) -> None:
    assert {"50,000", "30,000"} <= set(said(diagnosis, "CK-8").split())


CASES = (
    PublicCase(
        "nerfstudio-project/gsplat#368", one_rank_of_two,
        why="Half of the scene: one rank's file was opened, the other is not there. Its score is not that of the model.",
        must=codes("N-28"), must_not=codes("DF-05 CF-05 MF2-05"), check=_counts_both,
    ),
    PublicCase(
        "nerfstudio-project/gsplat#368 whole", both_ranks,
        why="Both files: nothing is missing.",
        clean=True, must_not=codes("N-28"),
    ),
    PublicCase(
        "graphdeco-inria/gaussian-splatting#379", resumed_from_a_ply,
        why="A PLY holds neither moments nor step nor rates: it cannot be resumed from. Nothing diverged.",
        must=codes("N-29"), must_not=codes("M-04 OF-01 CK-1"),
    ),
    PublicCase(
        "MrNeRF/LichtFeld-Studio#566", fewer_steps_after_the_resume,
        why="The resumed training plans another number of iterations than the first: every schedule that depends on it "
            "jumps.",
        must=codes("CK-8"), must_not=codes("M-04 OF-01"), check=_tells_both_plans,
    ),
    PublicCase(
        "graphdeco-inria/gaussian-splatting PR#1338", uncarved_alpha,
        why="The loss leaves transparent pixels out, so nothing removes what stands there: these rows are bit by bit what "
            "they were at the start.",
        must=codes("N-06"), must_not=codes("DF-06 OF-03"),
    ),
)
