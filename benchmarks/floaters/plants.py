"""What is planted: floaters of several kinds in free space, and copies of what is there, each with the rows that are guilty.

Opacities, sizes and colours are drawn from the trained scene itself wherever the kind does not say otherwise, so that no kind
can be told by what its Gaussians look like alone, and no simple rule is favoured or ruled out throughout.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from diagnostics.measures.coincident import coincident
from diagnostics.measures.frusta import seen_by
from render.raster.parameters import Parameters
from runs.arrays import F64, Array, Mask
from tests.lab.scenes import Scene, planting

PLANTED = 0.03  # of the trained Gaussians
CLUSTER = (10, 31)  # Gaussians of one cluster
FEW_CAMERAS = 3
MIXED = "mixed"  # some of every kind of floater at once
Rng = np.random.Generator
Kind = Callable[[Scene, Parameters, int, Rng], Parameters]


@dataclass(frozen=True, eq=False)
class Planted:
    """A trained scene with strangers in it."""

    parameters: Parameters
    guilty: Mask  # bool [N], strangers, and rows that lie exactly where another does: a copy and its original are alike


def plant(kind: str, scene: Scene, trained: Parameters, seed: int) -> Planted:
    """A kind of `FLOATERS` or `GHOSTS`, or `MIXED`, added to what was trained."""
    rng = np.random.default_rng([seed, sum(kind.encode())])
    count = round(PLANTED * trained.count)
    kinds = tuple(FLOATERS.values()) if kind == MIXED else ({**FLOATERS, **GHOSTS}[kind],)
    added = [make(scene, trained, max(1, count // len(kinds)), rng) for make in kinds]
    grown = trained.joined(*added)
    return Planted(grown, (np.arange(grown.count) >= trained.count) | coincident(grown.means))


def _strangers(trained: Parameters, places: F64, rng: Rng) -> Parameters:
    """Copies of random solid Gaussians of the scene, as they are, at other places."""
    drawn = trained.take(rng.choice(_visible(trained), len(places)))
    return replace(drawn, means=np.ascontiguousarray(places, drawn.dtype))


def _visible(trained: Parameters) -> Array:
    """Rows that could be seen at all: what is too faint for any pixel would be no floater anywhere."""
    return np.flatnonzero(trained.logit_opacities > np.log(0.02 / 0.98))


def _free(scene: Scene, count: int, rng: Rng, near: float, far: float) -> F64:
    return planting.free_places(scene, count, near=near, far=far, seed=int(rng.integers(2**31)))


def _logit(opacities: F64, like: Parameters) -> Array:
    return np.log(opacities / (1 - opacities)).astype(like.dtype)


def _logs(sizes: F64, like: Parameters) -> Array:
    """Round ones, slightly out of round."""
    return np.ascontiguousarray(np.log(sizes)[:, None].repeat(3, axis=1), like.dtype)


def _unremarkable(scene: Scene, trained: Parameters, count: int, rng: Rng) -> Parameters:
    """Single Gaussians of the scene, displaced into free space: nothing but their place is wrong."""
    return _strangers(trained, _free(scene, count, rng, 0.3, 0.85), rng)


def _haze(scene: Scene, trained: Parameters, count: int, rng: Rng) -> Parameters:
    """Half-transparent blobs near cameras."""
    one = _strangers(trained, _free(scene, count, rng, 0.1, 0.4), rng)
    sizes = scene.data.extent * np.exp(rng.uniform(np.log(0.01), np.log(0.04), count))
    return replace(one, logit_opacities=_logit(rng.uniform(0.05, 0.35, count), one), log_scales=_logs(sizes, one))


def _specks(scene: Scene, trained: Parameters, count: int, rng: Rng) -> Parameters:
    """Opaque and small."""
    one = _strangers(trained, _free(scene, count, rng, 0.25, 0.8), rng)
    sizes = scene.data.extent * np.exp(rng.uniform(np.log(0.004), np.log(0.01), count))
    return replace(one, logit_opacities=_logit(rng.uniform(0.75, 0.99, count), one), log_scales=_logs(sizes, one))


def _clusters(scene: Scene, trained: Parameters, count: int, rng: Rng) -> Parameters:
    """10 to 30 close together: none of them is alone."""
    sizes: list[int] = []
    while sum(sizes) < count:
        sizes.append(int(rng.integers(*CLUSTER)))
    of = np.repeat(np.arange(len(sizes)), sizes)[:count]
    centres = _free(scene, len(sizes), rng, 0.3, 0.8)[of]
    made = _strangers(trained, centres, rng)
    spread = np.median(np.exp(trained.log_scales).max(axis=1)) * rng.normal(size=centres.shape)
    return replace(made, means=np.ascontiguousarray(centres + spread, made.dtype))


def _fog(scene: Scene, trained: Parameters, count: int, rng: Rng) -> Parameters:
    """Large and faint."""
    one = _strangers(trained, _free(scene, count, rng, 0.3, 0.8), rng)
    sizes = scene.data.extent * np.exp(rng.uniform(np.log(0.04), np.log(0.12), count))
    return replace(one, logit_opacities=_logit(rng.uniform(0.02, 0.1, count), one), log_scales=_logs(sizes, one))


def _corners(scene: Scene, trained: Parameters, count: int, rng: Rng) -> Parameters:
    """Where at most three training pictures look, the least watched where there are no such places."""
    places = _free(scene, 40 * count, rng, 0.05, 0.6)
    watched = seen_by(places, [view.camera for view in scene.data.train])
    order = np.argsort(np.maximum(watched, FEW_CAMERAS), kind="stable")  # the first are as drawn
    return _strangers(trained, places[order[:count]], rng)


def _shifted(scene: Scene, trained: Parameters, count: int, rng: Rng) -> Parameters:
    """Regions of the surface once more, each moved by 1 to 5 % of the extent."""
    copies: list[Parameters] = []
    means = trained.means.astype(np.float64)
    solid = _visible(trained)
    while sum(copy.count for copy in copies) < count:
        size = int(rng.integers(*CLUSTER))
        middle = means[rng.choice(solid)]
        region = trained.take(solid[np.argsort(np.linalg.norm(means[solid] - middle, axis=1))[:size]])
        way = rng.normal(size=3)
        way *= scene.data.extent * rng.uniform(0.01, 0.05) / np.linalg.norm(way)
        copies.append(replace(region, means=np.ascontiguousarray(region.means + way, region.dtype)))
    return copies[0].joined(*copies[1:])


def _coincident(_scene: Scene, trained: Parameters, count: int, rng: Rng) -> Parameters:
    """Exact copies where they are."""
    return trained.take(rng.choice(_visible(trained), count, replace=False))


FLOATERS: Mapping[str, Kind] = MappingProxyType({
    "unremarkable": _unremarkable, "haze": _haze, "specks": _specks, "clusters": _clusters, "fog": _fog, "corners": _corners,
})
GHOSTS: Mapping[str, Kind] = MappingProxyType({"shifted": _shifted, "coincident": _coincident})
