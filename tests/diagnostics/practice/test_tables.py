"""The practice of a run: its own values first, defaults marked as such, and intentions with the iterations they hold for."""

from dataclasses import replace
from typing import Any

import pytest

from diagnostics.practice.practice import Practice
from diagnostics.practice.tables import FIXED, full_table, planned_by_table, practice_of, strategy_of, tables_by_trainer
from diagnostics.verdict import Finding
from runs.run import UNKNOWN_TRAINER, Run, Trainer
from runs.settings import NOT_STORED
from runs.trainer_tables import table_names
from tests.diagnostics.detectors.support import verdict
from tests.diagnostics.fixtures.lineage import family
from tests.support.runs import made_run


def by(trainer: str, **settings: Any) -> Run:
    return made_run(trainer=Trainer(trainer, 0.9, "made up"), settings=settings)


def practice(trainer: str, **settings: Any) -> Practice:
    found = practice_of(by(trainer, **settings))
    assert found is not None
    return found


def test_a_stored_value_wins_over_a_default_and_a_default_says_so() -> None:
    """Advice shows the present value: it must be this run's, or marked."""
    told = practice("inria", densify_until_iter=7_000)
    assert (told.value("densify_until_iter"), told.values["densify_until_iter"].source) == (7_000, "cfg_args")
    assert (told.value("densify_from_iter"), told.values["densify_from_iter"].source) == (500, NOT_STORED)
    assert (told.value("opacity_cull"), told.values["opacity_cull"].source) == (0.005, FIXED)


def test_what_differs_between_versions_is_no_default() -> None:
    """INRIA halved the rate of the opacities in 2024, and Brush changed nearly everything."""
    assert practice("inria").value("opacity_lr") is None
    assert practice("brush").value("densification_interval") is None
    assert practice("brush").usual["densification_interval"] == 200


def test_a_trainer_that_is_called_with_its_own_file_per_scene_has_no_defaults() -> None:
    """3dgs-mcmc's weights differ from scene to scene."""
    assert practice("3dgs-mcmc").value("opacity_reg") is None


def test_nothing_is_told_of_a_trainer_without_a_table() -> None:
    """Never another trainer's habits."""
    assert practice_of(made_run(trainer=UNKNOWN_TRAINER)) is None


@pytest.mark.parametrize(("trainer", "settings", "strategy"), [
    ("inria", {}, "default"), ("3dgs-mcmc", {}, "mcmc"), ("gsplat", {"strategy": "mcmc"}, "mcmc"),
    ("lichtfeld", {"strategy": "mrnf"}, "mrnf"), ("lichtfeld", {"strategy": "MCMC"}, "mcmc"),
])
def test_the_strategy_is_the_runs_own(trainer: str, settings: dict[str, Any], strategy: str) -> None:
    """Half of all advice depends on it."""
    assert strategy_of(by(trainer, **settings)) == strategy


@pytest.mark.parametrize(("trainer", "settings", "what", "at", "meant"), [
    ("truncgradgs", {}, "dead-mass", 24_000, True), ("truncgradgs", {}, "dead-mass", 25_000, False),
    ("inria", {}, "dead-mass", 10_000, False),
    ("inria", {}, "zero-f-rest", 1_000, True), ("inria", {}, "zero-f-rest", 1_001, False),
    ("inria", {"densify_until_iter": 900}, "count-frozen", 900, True), ("inria", {}, "count-frozen", 14_000, False),
    ("gsplat", {"strategy": "mcmc", "densify_until_iter": 25_000}, "dead-mass", 20_000, True),
    ("gsplat", {"strategy": "mcmc", "densify_until_iter": 25_000}, "dead-mass", 25_001, False),
    ("gsplat", {"strategy": "default"}, "dead-mass", 20_000, False), ("brush", {}, "no-resets", 5_000, True),
    ("rain-gs", {}, "zero-f-rest", 4_000, True), ("absgs", {}, "periodic-dips", 5_000, True),
])
def test_intentions_hold_from_one_iteration_to_another(
    trainer: str, settings: dict[str, Any], what: str, at: int, meant: bool,
) -> None:
    """Excused too long, a fault hides; too short, a method is accused of what it does on purpose."""
    assert (practice(trainer, **settings).intends(what, at) is not None) is meant


def test_the_small_pictures_of_splatfacto_end_where_its_settings_say() -> None:
    """Loss and PSNR drop at each doubling, by design."""
    found = practice_of(by("splatfacto"), full_size=6_000)
    assert found is not None
    assert (found.intends("small-pictures", 6_000), found.intends("small-pictures", 6_001)) == (found.by_design[0], None)


def test_truncgradgs_prunes_exactly_five_times() -> None:
    """Told by running the counters of its loop: 24,500 to 24,900."""
    events = {one["kind"]: one for one in planned_by_table("truncgradgs")}
    assert list(range(events["prune"]["first"], events["prune"]["last"] + 1, events["prune"]["every"])) == [
        24_500, 24_600, 24_700, 24_800, 24_900]


def test_the_phases_of_truncgradgs_follow_from_its_two_settings() -> None:
    """Densification is on for adc_duration iterations, then off for adc_interval, and off from 25,000 on."""
    table = full_table("truncgradgs")
    on, since, switches = True, 0, []
    for iteration in range(501, 30_001):
        waited = iteration - since >= table["settings"]["adc_duration" if on else "adc_interval"]
        if iteration == 25_000 or (iteration < 25_000 and waited):
            on, since = False if iteration == 25_000 else not on, iteration
            switches.append(iteration)
    assert switches == table["fixed"]["phase_switches"]
    densified = {i for one in planned_by_table("truncgradgs") if one["kind"] == "densify"
                 for i in range(one["first"], one["last"] + 1, one["every"])}
    phases = [(501, switches[0]), *zip(switches[1::2], switches[2::2], strict=False)]  # from, until; the last one is off
    assert densified == {i for i in range(600, 27_000, 100) if any(first <= i < last for first, last in phases)}


def test_what_outlives_densifications_on_purpose_is_no_fault() -> None:
    """DF-06 on a TruncGradGS run would accuse the method of working."""
    sick = family(cull=0.0)
    assert isinstance(verdict("prunes-too-little", sick), Finding)
    meant = replace(sick, trainer=Trainer("truncgradgs", 0.9, "cfg_args has no_motion_mask"))
    assert verdict("prunes-too-little", meant) is None


@pytest.mark.parametrize("name", table_names())
def test_every_table_is_complete(name: str) -> None:
    """A table without a source is somebody's memory."""
    table = full_table(name)
    assert table["title"]
    assert table["trainers"]
    assert all(source["title"] and source["url"].startswith("https://") for source in table["sources"])
    assert all(rule.strip() for rule in table["rules"].values())
    assert all({"what", "says"} <= set(entry) for entry in table["by_design"])


def test_no_trainer_is_described_twice() -> None:
    """The second description would be read by nobody."""
    told = [trainer for name in table_names() for trainer in full_table(name)["trainers"]]
    assert len(told) == len(set(told)) == len(tables_by_trainer())
