"""Comparisons of a run with a peer, at equal iterations only; and how far runs of one kind lie apart."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from diagnostics.reference.peers import COMPARED, Peer, differences
from runs.series import Series

# Two runs of one recipe on one scene lie so far apart: 45 runs of a public report ended between 24.23 and 28.06 dB
# (gaussian-splatting #89); half of that range is what one run may be off its usual end.
RUN_TO_RUN_DB = 1.9
# Ways of scaling photos down alone are worth about so much (NerfBaselines).
SCALING_DB = 0.5


@dataclass(frozen=True)
class Difference:
    """One series of two runs at the last iteration that both logged."""

    name: str
    iteration: int
    value: float
    other: float
    unit: str

    @property
    def change(self) -> float:
        """This run's less the peer's."""
        return self.value - self.other


@dataclass(frozen=True)
class Comparison:
    """A run beside a peer."""

    peer: str
    unlike: tuple[str, ...]  # what keeps them from being alike; () where their scores may be held against each other
    found: tuple[Difference, ...]


@dataclass(frozen=True)
class Spread:
    """One score of several runs of one kind at one iteration."""

    name: str
    iteration: int
    values: tuple[tuple[str, float], ...]  # (run, value), lowest first

    @property
    def range(self) -> float:
        return self.values[-1][1] - self.values[0][1]

    @property
    def deviation(self) -> float:
        """Standard deviation, n - 1."""
        return float(np.std([value for _, value in self.values], ddof=1)) if len(self.values) > 1 else float("nan")


def compared(run: Peer, peer: Peer) -> Comparison:
    """Each series that both hold, at the last iteration that both have; nothing is interpolated."""
    found = (_difference(run.series.get(name), peer.series.get(name)) for name in COMPARED)
    return Comparison(peer.name, differences(run, peer), tuple(one for one in found if one is not None))


def spread(peers: Sequence[Peer], name: str = "test/psnr") -> Spread | None:
    """At the last iteration at which all of them have the series; None for fewer than two, or without a common iteration."""
    series = [peer.series[name] for peer in peers if name in peer.series]
    if len(series) < max(2, len(peers)):
        return None
    at = _last_common(series)
    if at is None:
        return None
    values = [(peer.name, value) for peer in peers if (value := peer.series[name].at(at)) is not None]
    return Spread(name, at, tuple(sorted(values, key=lambda pair: pair[1])))


def noise_db(alike: Sequence[Peer], name: str = "test/psnr") -> float:
    """dB by which single runs of one kind may differ: three measured deviations where at least three runs tell them, at least
    half a decibel; else what public reports tell of others."""
    found = spread(alike, name) if len(alike) > 2 else None
    return RUN_TO_RUN_DB if found is None else max(SCALING_DB, 3 * found.deviation)


def _difference(mine: Series | None, other: Series | None) -> Difference | None:
    if mine is None or other is None:
        return None
    at = _last_common([mine, other])
    if at is None:
        return None
    value, its = mine.at(at), other.at(at)
    return None if value is None or its is None else Difference(mine.name, at, value, its, mine.unit)


def _last_common(series: Sequence[Series]) -> int | None:
    """The last iteration at which all have a finite value."""
    common = series[0].iterations[np.isfinite(series[0].values)]
    for other in series[1:]:
        common = np.intersect1d(common, other.iterations[np.isfinite(other.values)], assume_unique=True)
    return int(common[-1]) if len(common) else None
