"""The benchmark's results as plain values and as a table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from benchmarks.floaters.baselines import BASELINES
from benchmarks.floaters.scoring import OURS, Judged

SCORES = (*OURS, *BASELINES)
FEWEST = 8  # guilty Gaussians: the average precision of fewer is chance


@dataclass(frozen=True)
class Result:
    """One scene with one kind of guilty Gaussians in it."""

    group: str  # "planted", "grown" or "ghosts"
    kind: str
    scene: str
    judged: Judged

    @property
    def counts(self) -> bool:
        return self.judged.guilty >= FEWEST


@dataclass(frozen=True)
class Headline:
    """Means over kinds, each the mean over its scenes."""

    ours: float
    best_rule: str
    best: float

    @property
    def ratio(self) -> float:
        return self.ours / self.best


def mean_precision(results: Iterable[Result], score: str) -> float:
    """Mean over the kinds of the mean over scenes, of results that count; NaN where there are none."""
    by_kind: dict[str, list[float]] = {}
    for result in results:
        if result.counts:
            by_kind.setdefault(result.kind, []).append(result.judged.precision[score])
    return fmean(fmean(values) for values in by_kind.values()) if by_kind else float("nan")


def headline(results: Sequence[Result], score: str) -> Headline | None:
    """Ours against the one rule that is best throughout; None where nothing counts."""
    if not any(result.counts for result in results):
        return None
    rules = {name: mean_precision(results, name) for name in BASELINES}
    best = max(rules, key=lambda name: rules[name])
    return Headline(mean_precision(results, score), best, rules[best])


def plain(results: Sequence[Result]) -> list[dict[str, Any]]:
    """For JSON; what does not count has no precision."""
    return [{"group": result.group, "kind": result.kind, "scene": result.scene, "guilty": result.judged.guilty,
             "of": result.judged.of, "precision": dict(result.judged.precision) if result.counts else None} for result in results]


def table(results: Sequence[Result]) -> str:
    """Markdown: a row per scene and kind, then the mean of each kind."""
    head = ["kind", "scene", "guilty", "of", *SCORES]
    rows = [head, ["---"] * len(head)]
    for kind in dict.fromkeys(result.kind for result in results):
        of_kind = [result for result in results if result.kind == kind]
        rows += [[kind, r.scene, str(r.judged.guilty), str(r.judged.of), *_cells(r.judged.precision, r.counts)] for r in of_kind]
        rows.append([f"**{kind}**", "mean", "", "", *_cells({name: mean_precision(of_kind, name) for name in SCORES}, True)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cells(precision: Mapping[str, float], counts: bool) -> list[str]:
    return [f"{precision[name]:.3f}" if counts and precision[name] == precision[name] else "too few" for name in SCORES]
