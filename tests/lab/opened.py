"""A run of the lab by its name, opened as a user would; trained first where it is not there yet."""

from functools import cache

from runs.open_run import open_run
from runs.run import Run
from tests.lab.case import SIZES, Case
from tests.lab.corpus import cases, plan_of
from tests.lab.fingerprint import training_key
from tests.lab.suite import made


@cache
def by_slug() -> dict[str, Case]:
    """Every case of the lab: "usual-court-0_court-0_mini", "few-poses-off-at-0.25_court-0_large", …"""
    return {case.slug: case for size in SIZES for case in cases(size)}


def opened(slug: str) -> Run:
    """The run with its data folder. Raises KeyError for a name that the lab does not have."""
    case = by_slug()[slug]
    plan = plan_of(case)
    place, _ = made(case, plan, training_key(plan))
    return open_run(place.run, place.data)
