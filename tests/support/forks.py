"""A sound stock run retold as the folders of INRIA's forks: the same Gaussians, stored as each of them stores its own."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from runs.arrays import Array
from runs.checkpoints import TrainingState
from runs.trainers.inria.state import read_state
from runs.writers.inria_state import captured
from runs.writers.torch_zip import write_torch_file
from tests.support.retold import QUATS, SCALES, change_rows, columns, names_of, saves, set_columns
from tests.support.stock import LAST, Told

OLD: Mapping[str, Any] = {"train_test_exp": None, "depths": None}  # settings that the forks' trainer did not have yet


def state_of(told: Told, *, batch: int = 1) -> TrainingState:
    """The state at the end, with the steps that the stock trainer would have counted (one in a hundred is skipped)."""
    stored = read_state(next(told.run.glob("chkpnt*.pth")))
    steps = round(0.99 * LAST / batch)
    return replace(stored, iteration=LAST, adam={name: replace(group, step=steps) for name, group in stored.adam.items()})


def write_state(path: Path, state: TrainingState, *, stored_iteration: int = LAST, **items: Any) -> None:
    """A chkpnt; `items` are handed to `changed_items`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_torch_file(path, (changed_items(captured(state)[0], **items), stored_iteration))


def changed_items(
    items: tuple[Any, ...], *, statistics: tuple[Array, ...] | None = None, opacity: Array | None = None, split: bool = False,
) -> tuple[Any, ...]:
    """INRIA's 12 items with other statistics, other opacities, or the harmonics in an optimizer of their own."""
    head, between, optimizer, extent = list(items[:7]), items[7:10], items[10], items[11]
    if opacity is not None:
        head[6] = opacity
    optimizers = _split(optimizer) if split else [optimizer]
    return (*head, *(between if statistics is None else statistics), *optimizers, extent)


def _split(optimizer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """As Taming-3DGS trains: f_rest apart. Each optimizer numbers its parameters from 0."""
    parts = []
    for own in (lambda name: name != "f_rest", lambda name: name == "f_rest"):
        groups = [group for group in optimizer["param_groups"] if own(group["name"])]
        parts.append({
            "state": {i: optimizer["state"][group["params"][0]] for i, group in enumerate(groups)},
            "param_groups": [{**group, "params": [i]} for i, group in enumerate(groups)],
        })
    return parts


def as_filtered(run: Path) -> None:
    """Mip-Splatting: stored so that the filter makes the same Gaussians of them."""
    def change(table: Array) -> Array:
        scales = np.exp(columns(table, SCALES))
        width = 0.4 * scales.min(axis=1)
        raw = np.sqrt(scales**2 - width[:, None] ** 2)
        opacity = 1 / (1 + np.exp(-columns(table, ("opacity",))[:, 0])) * (scales / raw).prod(axis=1)
        kept = np.minimum(opacity, 1 - 1e-6)
        set_columns(table, SCALES, np.log(raw))
        table["opacity"] = np.log(kept / (1 - kept))
        out = np.empty(len(table), [*((name, "f4") for name in names_of(table)), ("filter_3D", "f4")])
        for name in names_of(table):
            out[name] = table[name]
        out["filter_3D"] = width
        return out

    for ply in saves(run):
        change_rows(ply, change)


def as_discs(run: Path) -> None:
    """2DGS: the shortest axis of each splat is the third, and is not stored."""
    def change(table: Array) -> Array:
        scales = columns(table, SCALES)
        order = np.argsort(-scales, axis=1)
        axes = Rotation.from_quat(columns(table, QUATS)[:, [1, 2, 3, 0]]).as_matrix()
        turned = np.take_along_axis(axes, order[:, None, :], axis=2)
        turned[:, :, 2] *= np.sign(np.linalg.det(turned))[:, None]
        set_columns(table, QUATS, Rotation.from_matrix(turned).as_quat()[:, [3, 0, 1, 2]])
        set_columns(table, SCALES, np.take_along_axis(scales, order, axis=1))
        out = np.empty(len(table), [(name, "f4") for name in names_of(table) if name != "scale_2"])
        for name in out.dtype.names:
            out[name] = table[name]
        return out

    for ply in saves(run):
        change_rows(ply, change)


def with_linear_opacities(ply: Path) -> None:
    """Taming-3DGS after its iteration 15,000."""
    def change(table: Array) -> Array:
        table["opacity"] = 1 / (1 + np.exp(-table["opacity"].astype(np.float64)))
        return table

    change_rows(ply, change)


def as_shards(run: Path, ranks: int, batch: int, settings: Mapping[str, Any]) -> None:
    """Grendel-GS: rows dealt out to processes; its iterations are 1 + k · batch size."""
    for ply in saves(run):
        iteration = int(ply.parent.name.rpartition("_")[2])
        folder = ply.parent.with_name(f"iteration_{(iteration - 1) // batch * batch + 1}")
        if folder != ply.parent:
            ply.parent.rename(folder)
        for rank in range(ranks):
            shard = folder / f"point_cloud_rk{rank}_ws{ranks}.ply"
            shutil.copyfile(folder / ply.name, shard)
            change_rows(shard, lambda table, rank=rank: table[rank::ranks].copy())  # type: ignore[misc]
        (folder / ply.name).unlink()
    (run / "args.json").write_text(json.dumps({**settings, "bsz": batch, "distributed_save": True}), "utf-8")
    (run / f"python_ws={ranks}_rk=0.log").write_text("", "utf-8")


def rows_of(state: TrainingState, rank: int, ranks: int) -> TrainingState:
    """The part of one process."""
    mine = np.arange(rank, state.gaussians.count, ranks)
    adam = {name: replace(group, exp_avg=_taken(group.exp_avg, mine), exp_avg_sq=_taken(group.exp_avg_sq, mine))
            for name, group in state.adam.items()}
    statistics = {name: values[mine] for name, values in state.statistics.items()}
    return replace(state, gaussians=state.gaussians.take(mine), adam=adam, statistics=statistics)


def _taken(values: Array | None, rows: Array) -> Array | None:
    return None if values is None else values[rows]


def as_anchors(run: Path) -> None:
    """Scaffold-GS: the splats' centres as anchors, with offsets, features and networks beside them."""
    def change(table: Array) -> Array:
        names = [*"xyz", "nx", "ny", "nz", *(f"f_offset_{i}" for i in range(30)), *(f"f_anchor_feat_{i}" for i in range(32)),
                 "opacity", *(f"scale_{i}" for i in range(6)), *QUATS]
        out = np.zeros(len(table), [(name, "f4") for name in names])
        for name in ("x", "y", "z", *QUATS):
            out[name] = table[name]
        for axis in range(3):
            out[f"scale_{axis}"] = out[f"scale_{axis + 3}"] = table[f"scale_{axis}"]
        return out

    for ply in saves(run):
        change_rows(ply, change)
        (ply.parent / "opacity_mlp.pt").write_bytes(b"PK\x03\x04")


def as_wrapped(run: Path, to: Path) -> Path:
    """NerfBaselines: each save in a folder of its own, without cfg_args."""
    for ply in saves(run):
        iteration = int(ply.parent.name.rpartition("_")[2])
        inner = to / f"checkpoint-{iteration}"
        shutil.copytree(ply.parent, inner / "point_cloud" / ply.parent.name)
        info = {"method": "gaussian-splatting", "num_iterations": LAST, "nb_version": "1.2.9"}
        (inner / "nb-info.json").write_text(json.dumps(info), "utf-8")
    shutil.copyfile(run / "cameras.json", inner / "cameras.json")
    return to
