"""Events off schedule: told by setting and iteration where the plan was stored, silent where nothing can be known."""

from dataclasses import replace

from diagnostics.verdict import Finding
from runs.run import Run, Trainer
from tests.diagnostics.fixtures.off_schedule import densified_at, every_other_densification
from tests.diagnostics.test_patterns import verdict
from tests.support.runs import changed, cloud, made_run
from tests.support.training import DENSIFICATIONS, LAST, SETTINGS, healthy_run, healthy_series

NAME = "events-off-schedule"


def found(run: Run) -> Finding:
    answer = verdict(NAME, run)
    assert isinstance(answer, Finding)
    return answer


def test_another_interval_is_told_with_the_setting() -> None:
    """The user must learn which number to correct, and to what."""
    answer = found(every_other_densification())
    plan = "not as densification_interval=100 plans them"
    assert answer.says == f"The densifications came every 200 iterations, from 200 on, {plan}"
    assert (answer.fixes[0].setting, answer.fixes[0].current, answer.fixes[0].proposed) == ("densification_interval", 100, 200)
    assert answer.iterations == (300, 1100)


def test_a_constant_delay_is_told_as_one() -> None:
    """A counter of its own, such as steps since a resume, shifts all events alike."""
    late = found(densified_at(event + 40 for event in DENSIFICATIONS))
    assert late.says == "Each of 10 planned densifications came 40 iterations late (densification_interval=100)"


def test_a_lost_reset_is_missed() -> None:
    """One of two is half of the plan."""
    answer = found(healthy_run(series={"opacity_reset": {500: 1.0}}))
    assert answer.says.startswith("1 of 2 planned opacity resets did not happen (at 1,000)")


def test_a_reset_that_nobody_planned_is_told() -> None:
    """Such as that of a white background, where the settings say black."""
    answer = found(healthy_run(series={"opacity_reset": {100: 1.0, 500: 1.0, 1000: 1.0}}))
    assert answer.says.startswith("1 opacity reset that was not planned came at 100")


def test_defaults_that_were_not_stored_judge_nobody() -> None:
    """They may have been overridden on the command line, and no file would tell."""
    series = {**healthy_series(), "opacity_reset": {500: 1.0}}
    assert not isinstance(verdict(NAME, made_run(series=series, defaults=SETTINGS)), Finding)


def test_what_the_log_has_not_reached_is_not_missing() -> None:
    """A run that is still going on owes nothing yet."""
    cut = {name: {i: v for i, v in values.items() if i <= 650} for name, values in healthy_series().items()}
    assert verdict(NAME, made_run(series=cut, settings=SETTINGS)) is None


def test_a_count_that_stays_is_no_missing_densification() -> None:
    """Without a log of events, a densification that changes nobody leaves no trace; five silent ones at the start do."""
    def counted(first: int) -> Run:
        counts = {i: 400.0 + 50 * sum(first <= event < i for event in DENSIFICATIONS) for i in range(1, LAST + 1)}
        gone = dict.fromkeys(("densify/cloned", "densify/split", "densify/pruned"))
        return healthy_run(series={**gone, "num_gaussians": counts})

    assert verdict(NAME, counted(600)) is None
    assert found(counted(700)).says.startswith("5 of 10 planned densifications did not happen (at 200, 300, 400, …)")


def test_growth_after_the_end_is_another_pattern() -> None:
    """DF-08 tells it, with the share by which the count rose."""
    assert verdict(NAME, densified_at((*DENSIFICATIONS, 1300, 1400))) is None


def test_a_run_that_never_densifies_is_another_pattern() -> None:
    """DF-01 tells it."""
    gone = dict.fromkeys(("densify/cloned", "densify/split", "densify/pruned"))
    flat = healthy_run(series={**gone, "num_gaussians": dict.fromkeys(range(1, LAST + 1), 400.0)})
    assert verdict(NAME, flat) is None


def test_saved_coefficients_tell_when_a_degree_came() -> None:
    """Without a log: degree 1 was due at 300, and is all zero in a save at 900."""
    def saved(used_from: int) -> Run:
        plain = cloud(300)
        saves = {i: plain if i >= used_from else changed(plain, sh_rest=0 * plain.sh_rest) for i in (100, 350, 900, LAST)}
        return healthy_run(checkpoints=saves, settings={"sh_interval": 300})

    assert verdict(NAME, saved(350)) is None
    assert found(saved(LAST)).says.startswith("1 of 1 planned colour-degree steps did not happen (at 300)")


def test_a_method_that_resets_nothing_on_purpose_is_left_alone() -> None:
    """MCMC's settings still hold the interval of the trainer that it was made from."""
    run = healthy_run(settings={"cap_max": 5000}, series={"opacity_reset": {500: 1.0}})
    assert verdict(NAME, replace(run, trainer=Trainer("3dgs-mcmc", 0.9, "cfg_args"))) is None
