"""What INRIA's forks add: anchors, filtered splats, their cfg_args, Grendel's shards and NerfBaselines' descriptions."""

import json
from pathlib import Path

import numpy as np

from runs.formats.ply.anchors import look
from runs.formats.splat_formats import look_at
from runs.gaussians import COLUMNS, Gaussians
from runs.trainers.inria.forks import fork_of_folder
from runs.trainers.nerfbaselines import FAMILY
from runs.trainers.shared.filtered import with_filter
from tests.fuzz.seeds import written
from tests.fuzz.target import Target
from tests.support.files import inria_columns, random_gaussians, write_ply

ANCHOR = ("x", "y", "z", "f_offset_0", "f_offset_1", "f_offset_2", "f_anchor_feat_0", "scale_3", "scale_4", "scale_5")


def _every_column(gaussians: Gaussians) -> None:
    for name in (*COLUMNS, "sh_rest", *gaussians.extra_names):
        gaussians.load(name)


def _anchors(path: Path) -> None:
    _every_column(look(path).read())


def _filtered(path: Path) -> None:
    _every_column(with_filter(look_at(path)).read())


def _wrapped(path: Path) -> None:
    trainer = FAMILY.recognise(path.parent)
    if trainer is not None:
        run = FAMILY.read(path.parent, trainer, None)
        _ = (run.settings, run.series, run.cameras)


def _anchor_seeds() -> tuple[bytes, ...]:
    columns = {name: np.arange(3, dtype=np.float32) for name in ANCHOR}
    return tuple(written(lambda path, text=text: write_ply(path, columns, text=text), "a.ply")  # type: ignore[misc]
                 for text in (False, True))


def _filtered_seeds() -> tuple[bytes, ...]:
    columns = {**inria_columns(random_gaussians(3, degree=0)), "filter_3D": np.ones(3, np.float32)}
    return (written(lambda path: write_ply(path, columns), "a.ply"),)


def _cfg_args() -> tuple[bytes, ...]:
    return (b"Namespace(sh_degree=3, source_path='/x', kernel_size=0.1, ray_jitter=False, render_items=['RGB'], cap_max=5)",)


def _infos() -> tuple[bytes, ...]:
    info = {"method": "gaussian-splatting:large", "num_iterations": 30_000, "hparams": {"sh_degree": 3}, "config_overrides": {}}
    return (json.dumps(info).encode(),)


TARGETS = (
    Target("anchors", "point_cloud.ply", _anchors, _anchor_seeds),
    Target("filtered-ply", "point_cloud.ply", _filtered, _filtered_seeds),
    Target("fork-settings", "cfg_args", lambda path: fork_of_folder(path.parent), _cfg_args),
    Target("nerfbaselines", "nb-info.json", _wrapped, _infos),
)
