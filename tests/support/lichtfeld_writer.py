"""Checkpoints of LichtFeld Studio written with struct, field by field as its source does; nothing of the reader is used."""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from runs.arrays import Array
from runs.checkpoints import AdamGroup
from runs.gaussians import Gaussians

KINDS = {"float32": 0, "float16": 1, "int32": 2, "int64": 3, "uint8": 4, "bool": 5}
STRATEGY_MAGIC = {"mcmc": 0x4C464D43, "mrnf": 0x4C464252, "igs+": 0x4C464947, "default": 0x4C464446}
PARAMS: Mapping[str, Any] = {
    "optimization": {"iterations": 30_000, "strategy": "mcmc", "means_lr": 1.6e-5, "shs_lr": 0.0025, "opacity_lr": 0.025,
                     "scaling_lr": 0.005, "rotation_lr": 0.001, "lambda_dssim": 0.2, "refine_every": 100, "start_refine": 500,
                     "stop_refine": 25_000, "grad_threshold": 0.0002, "reset_every": 3_000, "sh_degree": 3, "max_cap": 1_000_000,
                     "eval_steps": [7_000, 30_000], "save_steps": [7_000, 30_000], "enable_eval": False, "mip_filter": False,
                     "prune_opacity": 0.005, "steps_scaler": 1.0, "sh_degree_interval": 1_000},
    "dataset": {"data_path": "/data/garden", "output_path": "/out/garden", "images": "images", "test_every": 8},
}


def tensor(values: Array) -> bytes:
    """struct { u32 magic, version; u8 dtype, device; u16 rank; (4 bytes of padding) u64 numel }, dims, data."""
    values = np.ascontiguousarray(values)
    head = struct.pack("<IIBBH", 0x4C465354, 1, KINDS[values.dtype.name], 1, values.ndim) + b"\0" * 4
    return head + struct.pack(f"<Q{values.ndim}Q", values.size, *values.shape) + values.tobytes()


def text(name: str) -> bytes:
    return struct.pack("<I", len(name)) + name.encode()


def woven(rows: Array) -> Array:
    """[N, K, 3] to the layout of the GPU: coefficient after coefficient in groups of four, 32 splats side by side.

    shAt(p, k) = (p / 32) · slots · 32 + k · 32 + p % 32, times four numbers.
    """
    count, slots = len(rows), -(-rows.shape[1] * 3 // 4)
    out = np.zeros(-(-count // 32) * 32 * slots * 4, rows.dtype)
    for p in range(count):
        flat = rows[p].reshape(-1)
        for j, value in enumerate(flat):
            slot = (p // 32) * slots * 32 + (j // 4) * 32 + p % 32
            out[4 * slot + j % 4] = value
    return out


@dataclass
class Written:
    """What to write; every part can be left out."""

    gaussians: Gaussians
    iteration: int = 30_000
    strategy: str = "mcmc"
    version: int = 3
    active_degree: int | None = None
    deleted: Array | None = None
    densification: Array | None = None
    adam: Mapping[str, AdamGroup] | None = None  # by LichtFeld's names
    adam_version: int = 1
    weave: bool = False
    params: Mapping[str, Any] = field(default_factory=lambda: PARAMS)
    after: bytes = b"scheduler, grids and whatever else a strategy keeps"

    def write(self, path: Path) -> Path:
        """In place of an older file, as the trainer does: what still maps that one must not see it change."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_bytes(self.content())
        return path

    def content(self) -> bytes:
        body = text(self.strategy) + self._splats() + self._strategy() + self.after
        params = json.dumps(self.params).encode()
        count, degree = self.gaussians.count, self.gaussians.sh_degree
        head = struct.pack("<IIiIiIQQ", 0x4C464B50, self.version, self.iteration, count, degree, 0, 40 + len(body), len(params))
        return head + body + params

    def _splats(self) -> bytes:
        g = self.gaussians
        active = g.sh_degree if self.active_degree is None else self.active_degree
        stored = [g.means, g.sh0[:, None], g.log_scales, g.quats_wxyz, g.logit_opacities[:, None]]
        stored += [g.sh_rest] if g.sh_degree else []
        parts = [struct.pack("<IIiif", 0x4C465350, 3, active, g.sh_degree, 2.5), *map(tensor, stored)]
        for extra in (self.deleted, self.densification):
            parts.append(b"\0" if extra is None else b"\1" + tensor(extra))
        return b"".join(parts)

    def _strategy(self) -> bytes:
        head = struct.pack("<II", STRATEGY_MAGIC.get(self.strategy, 0x12345678), 1)
        if self.adam is None:
            return head + b"\0"
        rates = b"".join(text(name) + struct.pack("<d", group.learning_rate) for name, group in self.adam.items())
        states = b"".join(self._state(name, group) for name, group in self.adam.items())
        config = struct.pack("<fdddfQ", 1e-3, 0.9, 0.999, 1e-15, 1.5, 1_000_000)
        count = struct.pack("<I", len(self.adam))
        return head + b"\1" + struct.pack("<II", 0x4C464144, self.adam_version) + config + count + rates + count + states

    def _state(self, name: str, group: AdamGroup) -> bytes:
        assert group.exp_avg is not None
        assert group.exp_avg_sq is not None
        size = len(group.exp_avg)
        head = text(name) + struct.pack("<qQQ", group.step, size, size)
        moments = [group.exp_avg, group.exp_avg_sq]
        scales: list[Array] = []
        if self.adam_version == 2:
            (first, second), scales = self.codes(group)
            moments = [first, second]
        moments = [woven(m) for m in moments] if self.weave and name == "shN" else moments
        return head + b"".join(map(tensor, [*moments, *scales]))

    @staticmethod
    def codes(group: AdamGroup) -> tuple[tuple[Array, Array], list[Array]]:
        """uint8 codes around 128 of the first moment, of the root of the second, and one scale each per splat."""
        first, root = group.exp_avg, np.sqrt(group.exp_avg_sq)
        rows = (len(first), *([1] * (first.ndim - 1)))
        largest = [np.abs(part).reshape(len(part), -1).max(1) for part in (first, root)]
        scales = [largest[0] / np.float32(127), largest[1] / np.float32(255)]
        safe = [np.where(scale == 0, 1, scale).reshape(rows) for scale in scales]
        codes = np.clip(np.rint(first / safe[0]) + 128, 0, 255), np.clip(np.rint(root / safe[1]), 0, 255)
        return (codes[0].astype(np.uint8), codes[1].astype(np.uint8)), [scale.astype(np.float32) for scale in scales]


def adam_of(gaussians: Gaussians, *, seed: int = 0, step: int = 29_999) -> dict[str, AdamGroup]:
    """Moments of plausible size for every parameter, by LichtFeld's names."""
    rng = np.random.default_rng(seed)
    count = gaussians.count
    shapes = {"means": (count, 3), "sh0": (count, 1, 3), "scaling": (count, 3), "rotation": (count, 4), "opacity": (count, 1)}
    shapes |= {"shN": gaussians.sh_rest.shape} if gaussians.sh_degree else {}
    return {name: AdamGroup(name, 1e-3 * (i + 1), step, rng.normal(0, 1e-4, shape).astype(np.float32),
                            rng.random(shape, np.float32) * np.float32(1e-8)) for i, (name, shape) in enumerate(shapes.items())}
