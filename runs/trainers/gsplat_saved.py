"""Saved Gaussians of gsplat's trainer: `ckpts/ckpt_STEP_rankR.pt`, one file per process, each with a part of the Gaussians.

Steps count from 0, so the file of step 6999 holds the state of iteration 7000 (formats.md 2.1).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from runs.advice import FOREIGN, UNFINISHED, cannot_open
from runs.arrays import F32, Array
from runs.checkpoints import Checkpoint
from runs.errors import RunError, UnreadableFile
from runs.formats.ply_columns import DEGREE_OF_REST, SH_C0
from runs.formats.splat_file import Stamp
from runs.formats.torch_file import is_unfinished, read_torch_file
from runs.gaussians import Gaussians
from runs.notes import NoteBook
from runs.trainers.saved import LEFT_OUT
from runs.trainers.shards import note_missing

CHECKPOINT = re.compile(r"ckpt_(?P<step>\d{1,12})(?:_rank(?P<rank>\d{1,4}))?\.pt")
STATS = re.compile(r"train_step(?P<step>\d{1,12})_rank(?P<rank>\d{1,4})\.json")
# Column -> the names that versions gave it, and the shape of one row; None: any number of coefficients.
STORED: Mapping[str, tuple[tuple[str, ...], tuple[tuple[int | None, ...], ...]]] = {
    "means": (("means", "means3d"), ((3,),)), "log_scales": (("scales",), ((3,),)), "quats_wxyz": (("quats",), ((4,),)),
    "logit_opacities": (("opacities",), ((), (1,))), "sh0": (("sh0",), ((1, 3), (3,))), "sh_rest": (("shN",), ((None, 3),)),
}
COLOURS = "colors"  # with app_opt, in place of both SH columns: logit of the base colour

Ranked = Mapping[int, Mapping[int, Path]]  # step -> rank -> file


def ranked(folder: Path, pattern: re.Pattern[str], book: NoteBook) -> Ranked:
    """The files in `folder` whose name has the pattern, by step and rank; a name without a rank is of rank 0."""
    found: dict[int, dict[int, Path]] = {}
    try:
        for path in sorted(folder.iterdir()):
            match = pattern.fullmatch(path.name)
            if match and path.is_file():
                named = match.groupdict()
                found.setdefault(int(named["step"]), {})[int(named.get("rank") or 0)] = path
    except FileNotFoundError:
        pass  # nothing saved yet
    except OSError as error:
        book.add(str(folder), cannot_open(error, "folder"))
    return dict(sorted(found.items()))


def rank_count(saved: Ranked, stats: Ranked, step: int) -> int:
    """How many processes trained at `step`: each also writes its statistics, so a lost checkpoint is still told."""
    told = [*saved.get(step, ()), *stats.get(step, ())] if step in stats else [rank for ranks in saved.values() for rank in ranks]
    return max(told, default=0) + 1


def read_checkpoints(saved: Ranked, stats: Ranked, book: NoteBook) -> tuple[Checkpoint, ...]:
    """One per step of which any rank's file can be read. Damaged and missing files are noted."""
    read = (_checkpoint(step, saved[step], rank_count(saved, stats, step), book) for step in saved)
    return tuple(checkpoint for checkpoint in read if checkpoint is not None)


def _checkpoint(step: int, files: Mapping[int, Path], ranks: int, book: NoteBook) -> Checkpoint | None:
    shards = [shard for _, path in sorted(files.items()) if (shard := _shard(path, book)) is not None]
    if not shards:
        return None
    note_missing(files, ranks, lambda rank: shards[0].path.with_name(f"ckpt_{step}_rank{rank}.pt"), book)
    if len({shard.degree for shard in shards}) > 1:
        book.add(str(shards[0].path), f"{LEFT_OUT}the ranks of this step hold different SH degrees; {FOREIGN}")
        return None
    reader = ReadShards(tuple((shard.path, shard.stamp) for shard in shards))
    size = sum(shard.stamp.size_bytes for shard in shards)
    count = sum(shard.count for shard in shards)
    parts = (len(shards), ranks) if ranks > 1 else None
    return Checkpoint(step + 1, shards[0].path, count, shards[0].degree, size, reader, shards=parts)


@dataclass(frozen=True)
class _Shard:
    """What the description of one file tells; none of its numbers was read."""

    path: Path
    stamp: Stamp
    count: int
    degree: int


def _shard(path: Path, book: NoteBook) -> _Shard | None:
    try:
        if is_unfinished(path):
            book.add(str(path), f"{LEFT_OUT}this checkpoint is not whole; {UNFINISHED}")
            return None
        stamp = Stamp.of(path.stat())
        columns = _columns(path)
    except RunError as error:
        book.add(str(path), LEFT_OUT + error.says)
    except OSError as error:
        book.add(str(path), LEFT_OUT + cannot_open(error))
    else:
        if "sh_rest" not in columns:
            book.add(str(path), "was trained with an appearance network (app_opt), which is not run: base colours are shown")
        return _Shard(path, stamp, len(columns["means"]), _degree(columns))
    return None


def _degree(columns: Mapping[str, Array]) -> int:
    return DEGREE_OF_REST[3 * columns["sh_rest"].shape[1]] if "sh_rest" in columns else 0


@dataclass(frozen=True)
class ReadShards:
    """Reads the Gaussians of one step from all its files, in order of rank; equal to another one of the same unchanged files."""

    files: tuple[tuple[Path, Stamp], ...]

    def __call__(self) -> Gaussians:
        """Columns are read on first use. Raises UnreadableFile or RefusedFile."""
        parts = [_columns(path) for path, _ in self.files]
        count = sum(len(part["means"]) for part in parts)
        kept: dict[str, F32] = {}

        def load(name: str) -> F32:
            if name not in kept:
                kept[name] = np.concatenate([_values(part, name) for part in parts])
            return kept[name]

        return Gaussians(count, _degree(parts[0]), load)


def _columns(path: Path) -> dict[str, Array]:
    """The stored tensors by our names, still in the mapped file. Raises UnreadableFile or RefusedFile."""
    saved = read_torch_file(path)
    splats = saved.get("splats") if isinstance(saved, dict) else None
    if not isinstance(splats, dict):
        raise UnreadableFile(f"this checkpoint holds no splats of gsplat's trainer; {FOREIGN}", path)
    found = {column: values for column in STORED if (values := _column(splats, column)) is not None}
    if COLOURS in splats and "sh0" not in found and _is_rows(splats[COLOURS], (3,)):
        found["sh0"] = splats[COLOURS]
    wanted = [column for column in STORED if column != "sh_rest" or COLOURS not in splats]
    lacking = ", ".join(STORED[column][0][0] for column in wanted if column not in found)
    if lacking or len({len(values) for values in found.values()}) != 1:
        raise UnreadableFile(f"this checkpoint lacks {lacking or 'rows'} of the expected shape; {FOREIGN}", path)
    return found


def _column(splats: Mapping[Any, Any], column: str) -> Array | None:
    names, shapes = STORED[column]
    stored = next((splats[name] for name in names if name in splats), None)
    if not any(_is_rows(stored, shape) for shape in shapes):
        return None
    rows = np.asarray(stored)
    return rows if column != "sh_rest" or 3 * rows.shape[1] in DEGREE_OF_REST else None


def _is_rows(stored: Any, shape: Iterable[int | None]) -> bool:
    """Whether it is an array [N, *shape] of floats; None in the shape stands for any size."""
    wanted = tuple(shape)
    if not isinstance(stored, np.ndarray) or stored.dtype.kind != "f" or stored.ndim != 1 + len(wanted):
        return False
    return all(want in (None, size) for want, size in zip(wanted, stored.shape[1:], strict=True))


def _values(columns: Mapping[str, Array], name: str) -> F32:
    """float32 rows of one column, copied from the file, in our shape."""
    if name == "sh_rest" and name not in columns:
        return np.zeros((len(columns["means"]), 0, 3), np.float32)
    values = np.array(columns[name], np.float32)
    if name == "sh0":
        colours = values.reshape(len(values), 3)
        return colours if "sh_rest" in columns else np.asarray((1 / (1 + np.exp(-colours)) - 0.5) / SH_C0, np.float32)
    return values.reshape(-1) if name == "logit_opacities" else values
