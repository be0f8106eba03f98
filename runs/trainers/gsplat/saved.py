"""Saved Gaussians of gsplat's trainers: `ckpts/ckpt_STEP_rankR.pt`, one file per process, each with a part of the Gaussians.

Steps count from 0, so the file of step 6999 holds the state of iteration 7000; those of the trainer for
driving scenes (av_trainer) count from 1.
"""

import re
from functools import partial
from pathlib import Path

from runs.advice import FOREIGN
from runs.checkpoints import Checkpoint
from runs.errors import UnreadableFile
from runs.formats.splat_file import SplatFile
from runs.formats.torch_file import read_torch_file
from runs.notes import NoteBook
from runs.trainers.shared.saved import splat_files
from runs.trainers.shared.shards import Ranked, merged, note_missing
from runs.trainers.shared.tensor_columns import Columns, Layout, Parameter, TensorLook, find_columns, is_rows

CHECKPOINT = re.compile(r"ckpt_(?P<step>\d{1,12})(?:_rank(?P<rank>\d{1,4}))?\.pt")
STATS = re.compile(r"train_step(?P<step>\d{1,12})_rank(?P<rank>\d{1,4})\.json")
LAYOUT: Layout = {
    "means": Parameter(("means", "means3d"), ((3,),)), "log_scales": Parameter(("scales",), ((3,),)),
    "quats_wxyz": Parameter(("quats",), ((4,),)), "logit_opacities": Parameter(("opacities",), ((), (1,))),
    "sh0": Parameter(("sh0",), ((1, 3), (3,))), "sh_rest": Parameter(("shN",), ((None, 3),)),
}
COLOURS = "colors"  # in place of both SH columns: logit of the base colour with app_opt, which also has features; else RGB
FEATURES = "features"
APPEARANCE = "was trained with an appearance network (app_opt), which is not run: base colours are shown"
POST_PROCESSED = ("was trained with a colour correction after rendering (post_processing), which is not run: pictures drawn here "
                  "lack it")


def rank_count(saved: Ranked, stats: Ranked, step: int) -> int:
    """How many processes trained at `step`: each also writes its statistics, so a lost checkpoint is still told."""
    told = [*saved.get(step, ()), *stats.get(step, ())] if step in stats else [rank for ranks in saved.values() for rank in ranks]
    return max(told, default=0) + 1


def read_checkpoints(saved: Ranked, stats: Ranked, book: NoteBook, *, first_step: int = 0) -> tuple[Checkpoint, ...]:
    """One per step of which any rank's file can be read. Damaged and missing files are noted."""
    paths = {path: (step, rank) for step, files in saved.items() for rank, path in sorted(files.items())}
    shards: dict[int, dict[int, SplatFile]] = {}
    for shard in splat_files(paths, book, TensorLook(columns_of)):
        step, rank = paths[shard.path]
        shards.setdefault(step, {})[rank] = shard
    found = []
    for step, files in shards.items():
        ranks = rank_count(saved, stats, step)
        note_missing(saved[step], ranks, partial(_file_of, next(iter(files.values())).path.parent, step), book)
        found.append(merged(step + 1 - first_step, files, ranks, book))
    return tuple(checkpoint for checkpoint in found if checkpoint is not None)


def _file_of(folder: Path, step: int, rank: int) -> Path:
    return folder / f"ckpt_{step}_rank{rank}.pt"


def columns_of(path: Path) -> Columns:
    """The stored tensors of one checkpoint, or of the bare model.pt of av_trainer. Raises UnreadableFile or RefusedFile."""
    saved = read_torch_file(path)
    splats = saved.get("splats", saved) if isinstance(saved, dict) else None
    if not isinstance(splats, dict) or "scales" not in splats:
        raise UnreadableFile(f"this checkpoint holds no splats of gsplat's trainer; {FOREIGN}", path)
    correction = saved.get("post_processing")  # empty without one
    notes = (POST_PROCESSED,) if isinstance(correction, dict) and correction else ()
    if "sh0" in splats or COLOURS not in splats or not is_rows(splats[COLOURS], (3,)):
        return Columns(find_columns(splats, LAYOUT, path), notes=notes)
    harmonics = ("sh0", "sh_rest")
    layout = {column: parameter for column, parameter in LAYOUT.items() if column not in harmonics}
    found = find_columns(splats, {**layout, "sh0": Parameter((COLOURS,), ((3,),))}, path)
    if FEATURES in splats:
        return Columns(found, "logit", notes=(APPEARANCE, *notes))
    return Columns(found, "rgb", notes=notes)
