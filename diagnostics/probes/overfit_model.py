"""How well the run's own last save shows the same views, to hold the short fits against."""

from collections.abc import Sequence

import numpy as np

from diagnostics.facts.photos import photo_at
from diagnostics.measures.backgrounds import COLOURS, composite
from diagnostics.probes.bench import Bench
from diagnostics.probes.material import Source
from render.raster.compare import psnr
from render.raster.cpu import rasterise
from render.raster.measures import capped
from render.splats import prepare
from runs.arrays import F32
from runs.cameras import Camera
from runs.checkpoints import Checkpoint

LONGEST_PX = 1_024  # drawn nearly as it was trained: drawn small, every splat would be widened by 0.3 px² of larger pixels


def own_psnr(bench: Bench, names: Sequence[str], source: Source) -> float | None:
    """dB, median over the named cameras, of the last save of the range, made smaller as a picture; None without a save."""
    checkpoint: Checkpoint | None = bench.fact_or_none("checkpoint")
    if checkpoint is None:
        return None
    splats, background = prepare(checkpoint.gaussians), (COLOURS[source.background],) * 3
    full = {camera.name: camera for camera in bench.fact("drawn_cameras")}
    scores = []
    for small in source.train:
        photo = photo_at(bench.evidence.run, small) if small.name in names else None
        if photo is not None:
            bench.beat()
            picture = rasterise(splats, capped(full[small.name], LONGEST_PX), background=background).rgb
            scores.append(psnr(_smaller(picture, small), composite(photo, source.background)))
    return float(np.median(scores)) if scores else None


def _smaller(picture: F32, camera: Camera) -> F32:
    """Means over areas, as photos are made smaller."""
    width, height = camera.size_px
    return np.asarray(_averaged(_averaged(np.clip(picture, 0, 1), height).swapaxes(0, 1), width).swapaxes(0, 1), np.float32)


def _averaged(picture: F32, length: int) -> F32:
    """Along the first axis: the mean of what each of `length` equal stretches covers, parts of pixels included."""
    sums = np.concatenate((np.zeros((1, *picture.shape[1:])), np.cumsum(picture, axis=0, dtype=np.float64)))
    edges = np.linspace(0, len(picture), length + 1)
    whole = np.minimum(edges.astype(int), len(picture) - 1)
    at_edges = sums[whole] + (edges - whole)[:, None, None] * (sums[whole + 1] - sums[whole])
    return np.asarray(np.diff(at_edges, axis=0) * length / len(picture), np.float32)
