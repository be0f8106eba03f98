"""Inspection: everything that is known about one Gaussian, against the population it belongs to."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from render.harmonics import C0
from runs.arrays import F32, Array
from runs.checkpoints import Checkpoint, Rows
from runs.errors import RunError
from runs.gaussians import Gaussians
from runs.lineage.ancestry import History, history_of, ignore
from runs.quantities import QUANTITIES
from runs.run import Run

NEIGHBOURS = 6
SLOW = ("neighbour_distance",)  # a tree over the whole population; the nearest ones of one Gaussian are listed instead


@dataclass(frozen=True)
class Fact:
    """One parameter. `percentile` 0..100: how much of the population lies below it; None where that means nothing."""

    name: str
    stored: float | None
    meant: float | None
    unit: str = ""
    percentile: float | None = None


@dataclass(frozen=True)
class Neighbour:
    """A Gaussian nearby."""

    row: int
    distance: float  # world units
    sigmas: float | None  # the same in standard deviations of the inspected Gaussian's largest axis; None: it has none


@dataclass(frozen=True)
class Inspection:
    """What the inspector shows; `colour` is the DC colour, clamped to 0..1."""

    row: int
    of: int
    iteration: int
    parameters: tuple[Fact, ...]
    quantities: tuple[Fact, ...]
    neighbours: tuple[Neighbour, ...]
    colour: tuple[float, float, float] | None  # None: the row has no colour of its own
    holds: Rows = "splats"
    at_moment: tuple[Fact, ...] = ()  # of a moving scene: what is drawn at the moment, `stored` is the canonical value


@dataclass(frozen=True, eq=False)
class Population:
    """All Gaussians of one iteration, with each column computed once."""

    gaussians: Gaussians
    _columns: dict[str, F32] = field(default_factory=dict)

    def column(self, name: str) -> F32:
        """A quantity of `runs.quantities`, float32 [N]."""
        if name not in self._columns:
            self._columns[name] = QUANTITIES[name].compute(self.gaussians)
        return self._columns[name]


def inspect(
    population: Population, row: int, iteration: int, run: Run, beat: Callable[[], None], moved: Gaussians | None = None,
) -> Inspection:
    """Without its history, which takes longer. Raises whatever `beat` raises.

    `moved`: the Gaussians, row by row, at the moment of a moving scene that is drawn.
    """
    gaussians, checkpoint = population.gaussians, run.checkpoint(iteration)
    if checkpoint is not None and checkpoint.holds != "splats":
        return _inspect_place(gaussians, row, checkpoint)
    parameters = _parameters(gaussians, row)
    beat()
    quantities = []
    for name in QUANTITIES:
        if name not in SLOW:
            beat()
            column, unit = population.column(name), QUANTITIES[name].unit
            quantities.append(Fact(QUANTITIES[name].title, None, float(column[row]), unit, percentile(column, row)))
    return Inspection(
        row, gaussians.count, iteration, parameters, tuple(quantities), neighbours(gaussians, row),
        _colour(gaussians, row), at_moment=() if moved is None else _at_moment(gaussians, moved, row),
    )


def _inspect_place(gaussians: Gaussians, row: int, checkpoint: Checkpoint) -> Inspection:
    """Of an anchor or a point only the position is the trainer's."""
    places = tuple(replace(n, sigmas=None) for n in neighbours(gaussians, row))
    return Inspection(row, gaussians.count, checkpoint.iteration, _means(gaussians, row), (), places, None, checkpoint.holds)


def _at_moment(stored: Gaussians, moved: Gaussians, row: int) -> tuple[Fact, ...]:
    """What moves, and by how much."""
    step = float(np.linalg.norm(moved.means[row] - stored.means[row]))
    facts = [Fact("Moved", None, step, "world units")]
    columns = (("Mean", "xyz", stored.means, moved.means), ("Scale", "123", stored.scales, moved.scales))
    for name, axes, before, now in columns:
        facts += [Fact(f"{name} {a}", float(before[row, i]), float(now[row, i]), "world units") for i, a in enumerate(axes)]
    return (*facts, Fact("Opacity", float(stored.opacities[row]), float(moved.opacities[row])))


def percentile(column: Array, row: int) -> float | None:
    """Share of the finite values below this row's, equals counted half, in percent."""
    value, finite = column[row], column[np.isfinite(column)]
    if not np.isfinite(value):
        return None
    return float(100 * (np.count_nonzero(finite < value) + 0.5 * np.count_nonzero(finite == value)) / len(finite))


def neighbours(gaussians: Gaussians, row: int, k: int = NEIGHBOURS) -> tuple[Neighbour, ...]:
    """The `k` nearest other Gaussians by their means."""
    if not np.isfinite(gaussians.means[row]).all():
        return ()
    distance = np.linalg.norm(gaussians.means - gaussians.means[row], axis=1)
    distance[row] = np.nan
    distance[~np.isfinite(distance)] = np.inf
    nearest = np.argpartition(distance, min(k, len(distance) - 1))[:k]
    nearest = nearest[np.argsort(distance[nearest], kind="stable")]
    sigma = float(gaussians.scales[row].max())
    return tuple(Neighbour(int(n), float(distance[n]), float(distance[n]) / sigma) for n in nearest if np.isfinite(distance[n]))


def history(
    run: Run, iteration: int, row: int, beat: Callable[[], None], looked: Callable[[int, int], None] = ignore,
) -> History | str:
    """The same Gaussian, its ancestors and its children in the other saves, or why that is not available.

    Raises whatever `beat` raises.
    """
    checkpoint = run.checkpoint(iteration)
    if checkpoint is None:
        return f"iteration {iteration:,} is no longer saved"
    if checkpoint.holds != "splats":
        return f"only Gaussians are followed, and these are {checkpoint.holds}"
    try:
        return history_of(run, iteration, row, beat, looked)
    except RunError as error:
        return error.says


def _means(gaussians: Gaussians, row: int) -> tuple[Fact, ...]:
    mean = gaussians.means[row]
    return tuple(Fact(f"Mean {axis}", float(mean[i]), float(mean[i]), "world units", percentile(gaussians.means[:, i], row))
                 for i, axis in enumerate("xyz"))


def _parameters(gaussians: Gaussians, row: int) -> tuple[Fact, ...]:
    scales, norm = gaussians.scales[row], gaussians.quat_norms[row]
    facts = list(_means(gaussians, row))
    facts += [Fact(f"Scale {i + 1}", float(gaussians.log_scales[row, i]), float(scales[i]), "world units",
                   percentile(gaussians.log_scales[:, i], row)) for i in range(3)]
    facts += [Fact(f"Quat {axis}", float(value), float(value / norm) if norm > 0 else None)
              for axis, value in zip("wxyz", gaussians.quats_wxyz[row], strict=True)]
    facts.append(Fact("Opacity", float(gaussians.logit_opacities[row]), float(gaussians.opacities[row]), "",
                      percentile(gaussians.logit_opacities, row)))
    facts += [Fact(f"{channel} (SH 0)", float(gaussians.sh0[row, i]), float(0.5 + C0 * gaussians.sh0[row, i]), "",
                   percentile(gaussians.sh0[:, i], row)) for i, channel in enumerate(("Red", "Green", "Blue"))]
    facts += [Fact(name, float(gaussians.extra(name)[row]), None, "", percentile(gaussians.extra(name), row))
              for name in gaussians.extra_names]
    return tuple(facts)


def _colour(gaussians: Gaussians, row: int) -> tuple[float, float, float]:
    red, green, blue = np.nan_to_num(np.clip(0.5 + C0 * gaussians.sh0[row], 0, 1)).tolist()
    return red, green, blue
