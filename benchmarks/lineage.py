"""How well rows are followed from save to save, and how that decays with the iterations between: `python -m benchmarks.lineage`.

Trainings of the fault lab, witnessed (tests/support/witness.py); and the time that a million rows take.
"""

import argparse
from itertools import combinations
from time import perf_counter

import numpy as np

from diagnostics.optimiser.optimiser import Optimiser
from runs.gaussians import Gaussians
from runs.lineage.births import births_of
from runs.lineage.likeness import match
from runs.lineage.trace import trace
from tests.lab.case import Case
from tests.lab.corpus import cases, plan_of
from tests.support.claimed import Claims, claims
from tests.support.densified import densified, learned
from tests.support.followed import Score, densification_score, relocation_score
from tests.support.runs import cloud
from tests.support.witness import watched, witnessed

FIRST, LATER = 199, (200, 299, 399, 499, 699, 1099, 1599)  # iterations; the lab densifies every 100
CLAIMED = (199, 200, 299, 399, 499, 599, 699, 899, 1099, 1299, 1599)
PARTS = ("survivors", "births")


def decay(case: Case) -> dict[int, Score]:
    """Score by iterations since the first look."""
    plan = plan_of(case)
    recipe, witness = witnessed(plan.recipe)
    moments = tuple(moment for moment in (FIRST, *LATER) if moment <= plan.settings.iterations)
    seen = watched(Optimiser(plan.data, plan.settings, recipe), witness, moments)
    score = relocation_score if plan.settings.strategy == "mcmc" else densification_score
    return {moment - FIRST: score(witness, seen[FIRST], seen[moment]) for moment in moments[1:]}


def table(title: str, chosen: list[Case]) -> None:
    found = [decay(case) for case in chosen]
    print(f"\n{title}: {len(chosen)} runs\niterations between   survivors mean (worst)   births mean (worst)")
    for apart in found[0]:
        shares = [[getattr(scores[apart], part) for scores in found] for part in PARTS]
        shown = [f"{np.nanmean(part):.3f} ({np.nanmin(part):.3f})" if np.isfinite(part).any() else "-" for part in shares]
        print(f"{apart:18}   {shown[0]:>22}   {shown[1]:>19}")


def claimed(title: str, chosen: list[Case], how: str) -> None:
    """How often what a link claims is right, by densifications between: the confidence that it may state."""
    found: dict[int, list[Claims]] = {}
    for case in chosen:
        plan = plan_of(case)
        recipe, witness = witnessed(plan.recipe)
        moments = tuple(moment for moment in CLAIMED if moment <= plan.settings.iterations)
        seen = watched(Optimiser(plan.data, plan.settings, recipe), witness, moments)
        for first, last in combinations(moments, 2):
            found.setdefault(last // 100 - first // 100, []).append(claims(witness, seen[first], seen[last], how))
    print(f"\n{title}, claims: {len(chosen)} runs\ndensifications   itself right (worst)   parents told   right (worst)"
          "   born right (worst)   gone right (worst)   stated")
    for apart, claims_of in sorted(found.items()):
        values = np.array([[c.itself_right, c.parents_right, c.born_right, c.gone_right] for c in claims_of])
        told, stated = np.mean([[c.told, c.sure] for c in claims_of], axis=0)
        weights = np.array([[c.itself, c.parents] for c in claims_of])
        mean = [np.nanmean(column) if np.isfinite(column).any() else np.nan for column in values.T]
        right = [np.nansum(values[:, i] * weights[:, i]) / max(weights[:, i].sum(), 1) for i in (0, 1)]
        worst = [np.nanmin(column) if np.isfinite(column).any() else np.nan for column in values.T]
        print(f"{apart:14}   {right[0]:12.4f} ({worst[0]:.3f})   {told:12.3f}   {right[1]:5.3f} ({worst[1]:.3f})"
              f"   {mean[2]:10.3f} ({worst[2]:.3f})   {mean[3]:10.3f} ({worst[3]:.3f})   {stated:6.3f}")


def times(count: int) -> None:
    before = cloud(count, seed=1)
    after = learned(densified(before, clones=np.arange(0, count, 20), splits=np.arange(3, count, 20)))
    trace(cloud(100), cloud(100))  # compiles
    started = perf_counter()
    lineage = trace(before, after)
    assert lineage is not None
    followed = perf_counter()
    births_of(lineage, before, after)
    print(f"{count:>9,} rows: followed in {followed - started:.2f} s, births in {perf_counter() - followed:.2f} s, "
          f"matched without order in {_seconds(before, after):.2f} s")


def _seconds(before: Gaussians, after: Gaussians) -> float:
    started = perf_counter()
    match(before, after)
    return perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", choices=("mini", "large"), default="mini")
    healthy = [case for case in cases(parser.parse_args().size) if not case.sick]
    usual, mcmc = ([case for case in healthy if case.name.startswith(name)] for name in ("usual-", "mcmc-"))
    table("clone, split, prune", usual)
    table("MCMC (survivors: relocated rows)", mcmc)
    claimed("clone, split, prune", usual, "order")
    claimed("MCMC", mcmc, "mcmc")
    claimed("rows in no order", usual, "likeness")
    for count in (10_000, 100_000, 1_000_000):
        times(count)


if __name__ == "__main__":
    main()
