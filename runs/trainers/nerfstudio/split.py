"""Which views nerfstudio trains on, and at what size, as its two usual data parsers decide (nerfstudio 1.1.5).

Both order all views first: `nerfstudio_dataparser.py` by path, `colmap_dataparser.py` by the number of the COLMAP image.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from runs.cameras import Camera, Split
from runs.settings import Settings
from runs.trainers.nerfstudio.settings import DATA, PARSER
from runs.trainers.shared.scaled_cameras import scaled

ROUNDINGS: Mapping[str, Callable[[float], int]] = {"round": lambda side: math.floor(side + 0.5), "ceil": math.ceil}
LARGEST_SIDE_PX = 1600  # above it, photos are halved until they fit


def splits(names: Sequence[str], settings: Settings) -> list[Split | None]:
    """The split of each view of `names`, which are all views in the parser's order; None where the settings do not tell."""
    mode = settings.value(f"{PARSER}eval_mode")
    count = len(names)
    if mode == "fraction":
        return _fraction(count, settings.value(f"{PARSER}train_split_fraction"))
    if mode == "interval":
        return _interval(count, settings.value(f"{PARSER}eval_interval"))
    if mode == "filename":
        return [_by_name(name) for name in names]
    return ["train" if mode == "all" else None] * count


def _fraction(count: int, share: Any) -> list[Split | None]:
    """Trained views are spread evenly from the first to the last."""
    if not isinstance(share, int | float) or not 0 < share <= 1:
        return [None] * count
    trained = set(np.linspace(0, count - 1, math.ceil(count * share), dtype=int).tolist())
    return ["train" if i in trained else "test" for i in range(count)]


def _interval(count: int, every: Any) -> list[Split | None]:
    if not isinstance(every, int) or isinstance(every, bool) or every < 1:
        return [None] * count
    return ["train" if i % every else "test" for i in range(count)]


def _by_name(name: str) -> Split | None:
    base = PurePosixPath(name).name
    return "train" if "train" in base else "test" if "eval" in base else None


def shrink_factor(size_px: tuple[int, int], settings: Settings, *, has_folder: bool | None, folders: Sequence[int] = ()) -> int:
    """By how much both sides of the photos are divided.

    As stored, else photos are halved until they fit; with `has_folder` only as far as `folders` of shrunken ones exist.
    """
    stored = settings.value(f"{PARSER}downscale_factor")
    if isinstance(stored, int) and not isinstance(stored, bool) and stored > 0:
        return stored
    factor = 1
    while max(size_px) / factor > LARGEST_SIDE_PX and (not has_folder or 2 * factor in folders):
        factor *= 2
    return factor


def shrunk(camera: Camera, factor: int, settings: Settings) -> Camera:
    """The camera as it trains."""
    extra = settings.value(f"{DATA}camera_res_scale_factor")
    scale = (extra if isinstance(extra, int | float) and extra > 0 else 1.0) / factor
    return scaled(camera, scale, ROUNDINGS.get(str(settings.value(f"{PARSER}downscale_rounding_mode")), math.floor))
