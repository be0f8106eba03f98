"""Precedence: who starts to repair at the top of the list must meet the cause first, and one fault must not have two names."""

from dataclasses import replace

import numpy as np
import pytest

from diagnostics.catalogue import load_catalogue
from diagnostics.diagnosis import Reported
from diagnostics.look_alikes import RULES
from diagnostics.precedence import explained, ordered, rank, told_apart
from diagnostics.verdict import LAYERS, GaussianPlace
from tests.diagnostics.report.support import PATTERN, reported

CATALOGUE = load_catalogue()


def found(name: str, share: float = 0.15, **changes: object) -> Reported:
    """A finding of the catalogue that points at so large a part of 400 Gaussians."""
    pattern, place = CATALOGUE[name], GaussianPlace(np.arange(round(400 * share)), 1500, 400)
    return reported(pattern, gaussians=place, severity=pattern.severity, **changes)


def codes(findings: tuple[Reported, ...] | list[Reported]) -> list[str]:
    return [one.pattern.code for one in findings]


def test_an_earlier_layer_is_told_first() -> None:
    """Wrong poses make floaters, and no floater makes wrong poses: data come before statistics, whichever began earlier."""
    told = [reported(replace(PATTERN, name=layer, code=layer, layer=layer), iterations=(100 - index, 1500))
            for index, layer in enumerate(LAYERS)]
    assert codes(ordered(told[::-1])) == list(LAYERS)


def test_harm_is_told_before_blemishes_whatever_the_layer() -> None:
    """A remark about a file must not stand above a training that fails."""
    remark = reported(replace(PATTERN, code="N-29", layer="file"), severity="info")
    assert codes(ordered([remark, reported(severity="major")])) == ["AF-01", "N-29"]


@pytest.mark.parametrize(("first", "second"), [
    ((True, 1, "statistics", "major", 9, "B"), (False, 0, "file", "minor", 1, "A")),  # harm before any blemish
    ((True, 0, "statistics", "minor", 9, "B"), (True, 1, "file", "critical", 1, "A")),  # a root cause before its consequences
    ((True, 0, "data", "major", 9, "B"), (True, 0, "settings", "critical", 1, "A")),
    ((True, 0, "data", "critical", 9, "B"), (True, 0, "data", "major", 1, "A")),
    ((True, 0, "data", "major", 1, "B"), (True, 0, "data", "major", 9, "A")),
])
def test_what_findings_are_sorted_by(first: tuple, second: tuple) -> None:  # type: ignore[type-arg]
    """Harm, cause, layer, severity, onset: each only where those before it are equal."""
    assert rank(*first) < rank(*second)


def test_a_small_cause_of_great_harm_is_told_before_it() -> None:
    """A minor setting that ruins the training is where the repair begins, and what harms nobody waits."""
    cause = reported(replace(PATTERN, code="N-24", layer="settings"), severity="minor")
    effect = reported(replace(PATTERN, code="DF-05", layer="densification"), severity="critical", consequence_of=("N-24",))
    blemish = reported(replace(PATTERN, code="AF-06", layer="file"), severity="minor")
    assert codes(ordered([blemish, effect, cause])) == ["N-24", "DF-05", "AF-06"]


def test_every_pattern_of_a_file_or_of_data_lies_in_an_early_layer() -> None:
    """A pattern whose layer was forgotten would be told last, and its symptoms before it."""
    late = [name for name, pattern in CATALOGUE.items()
            if pattern.kind == "data" and pattern.layer not in ("file", "data", "values")]
    assert late == []


def test_what_is_wrong_in_the_data_was_so_from_the_start() -> None:
    """It may first show in a log that begins late, and explains what came before all the same; other causes do not."""
    late, early = {"iterations": (150, 1500)}, {"iterations": (100, 100)}
    told = explained([found("wrong-background", **late), found("events-off-schedule", **early)], CATALOGUE)
    assert told[1].consequence_of == ("IF-05",)
    told = explained([found("grows-after-densification-ended", **late), found("schedules-overlap-or-hide", **early)], CATALOGUE)
    assert told[1].consequence_of == ()


def test_a_look_alike_that_was_found_too_is_told_first() -> None:
    """The reader needs most what tells apart the two findings before him."""
    both = explained([found("wrong-camera-poses"), found("exposure-varies")], CATALOGUE)
    poses = next(one for one in both if one.pattern.name == "wrong-camera-poses")
    assert (poses.resembles[0].code, poses.resembles[0].found) == ("N-07", True)
    assert not any(one.found for one in poses.resembles[1:])
    assert len(poses.resembles) == len(CATALOGUE["wrong-camera-poses"].look_alikes)


def test_needles_explain_a_large_axis_away() -> None:
    """Long is not large: of the two findings one is no fault, and it is told why."""
    standing, away = told_apart([found("initial-scale-too-large"), found("needle-gaussians", 0.83)])
    assert codes(standing) == ["AF-06"]
    assert [(one.reported.pattern.code, one.by) for one in away] == [("IF-03", "AF-06")]
    assert "83\N{NO-BREAK SPACE}% of the Gaussians are needles" in away[0].why


def test_a_few_needles_explain_nothing_away() -> None:
    """Where most are round, the median axis is a size."""
    standing, away = told_apart([found("initial-scale-too-large"), found("needle-gaussians", 0.3)])
    assert codes(standing) == ["IF-03", "AF-06"]
    assert away == ()


@pytest.mark.parametrize("cap", ["cap-below-initial-count", "dead-mass-at-cap"])
def test_a_count_at_its_cap_is_not_one_that_never_grew(cap: str) -> None:
    """Flat at the cap is by design; flat far below it is not."""
    standing, away = told_apart([found("densification-never-triggers"), found(cap)])
    assert codes(standing) == [CATALOGUE[cap].code]
    assert codes([one.reported for one in away]) == ["DF-01"]
    assert told_apart([found("densification-never-triggers")])[1] == ()


def test_rules_name_patterns_that_are_told_apart_in_the_catalogue_too() -> None:
    """A rule without the sentence that a reader can check would be a verdict from nowhere."""
    for rule in RULES:
        assert rule.by in CATALOGUE[rule.excluded].look_alikes
