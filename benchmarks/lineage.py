"""How well rows are followed from save to save, and how that decays with the iterations between: `python -m benchmarks.lineage`.

Trainings of the fault lab, witnessed (tests/support/witness.py); and the time that a million rows take.
"""

import argparse
from time import perf_counter

import numpy as np

from diagnostics.probes.optimiser import Optimiser
from runs.gaussians import Gaussians
from runs.lineage.births import births_of
from runs.lineage.likeness import match
from runs.lineage.trace import trace
from tests.lab.case import Case
from tests.lab.corpus import cases, plan_of
from tests.support.densified import densified, learned
from tests.support.followed import Score, densification_score, relocation_score
from tests.support.runs import cloud
from tests.support.witness import watched, witnessed

FIRST, LATER = 199, (200, 299, 399, 499, 699, 1099, 1599)  # iterations; the lab densifies every 100
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
    table("clone, split, prune", [case for case in healthy if case.name.startswith("usual-")])
    table("MCMC (survivors: relocated rows)", [case for case in healthy if case.name.startswith("mcmc-")])
    for count in (10_000, 100_000, 1_000_000):
        times(count)


if __name__ == "__main__":
    main()
