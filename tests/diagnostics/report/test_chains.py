"""Chains: a reader who repairs the root must see that the other findings are its symptoms, each told once."""

from dataclasses import replace

from diagnostics.diagnosis import Began, Births, ExplainedAway, Reported, Undecided
from diagnostics.report.chains import chains
from diagnostics.report.story import brief, causes, story
from diagnostics.report.undecided import groups, what_settles
from tests.diagnostics.report.support import PATTERN, diagnosis, pattern, reported

GAP = "\N{NO-BREAK SPACE}"


def found(code: str, title: str, says: str, *of: str) -> Reported:
    return reported(replace(PATTERN, name=code.lower(), code=code, title=title), says=says, consequence_of=of)


OUTLIERS = found("N-01", "Extent inflated by outlier cameras", "2 of 24 cameras inflate the extent 490 times")
RATE = found("OF-01", "Learning rate too high", "The means' rate is 490 times the usual", "N-01")
NAN = found("N-11", "Rows with values that are not finite", "25 of 5,030 Gaussians hold NaN", "N-01", "OF-01")
NEEDLES = found("AF-06", "Needle Gaussians", "12 % are needles", "N-01", "OF-01")
PRUNED = found("DF-05", "Pruning removes what is needed", "88 % were removed", "N-01", "OF-01", "N-11")


def test_one_cause_and_its_symptoms_are_one_chain() -> None:
    """The longest way is told link by link; what lies beside it hangs on the nearest cause."""
    chain, = chains((OUTLIERS, RATE, NEEDLES, NAN, PRUNED))
    assert [link.pattern.code for link in chain.links] == ["N-01", "OF-01", "N-11", "DF-05"]
    assert [(one.pattern.code, by.pattern.code) for one, by in chain.branches] == [("AF-06", "OF-01")]


def test_each_finding_is_told_with_one_root() -> None:
    """Two causes of one symptom must not double it."""
    other = found("N-07", "Exposure varies", "brightness varies by 11 %")
    both = replace(NEEDLES, consequence_of=("N-01", "N-07", "OF-01"))
    first, second = chains((OUTLIERS, other, RATE, both))
    assert [one.pattern.code for one in first.members] == ["N-01", "OF-01", "AF-06"]
    assert [one.pattern.code for one in second.members] == ["N-07"]


def test_the_paragraph_tells_the_chain_with_the_numbers_of_each_link() -> None:
    """Numbers make the story one that can be checked."""
    told, = causes(diagnosis(OUTLIERS, RATE, NEEDLES, NAN, PRUNED))
    assert told.split(". ") == [
        "Extent inflated by outlier cameras (N-01): 2 of 24 cameras inflate the extent 490 times",
        "From this follows OF-01, learning rate too high: The means' rate is 490 times the usual",
        "From that in turn N-11, rows with values that are not finite: 25 of 5,030 Gaussians hold NaN",
        "From that in turn DF-05, pruning removes what is needed: 88 % were removed",
        "OF-01 also explains AF-06, needle Gaussians (12 % are needles).",
    ]


def test_above_its_findings_the_chain_is_told_briefly() -> None:
    """What stands right below is not said twice."""
    chain, = chains((OUTLIERS, RATE, NEEDLES, NAN, PRUNED))
    told = brief(chain)
    assert told.startswith("Extent inflated by outlier cameras (N-01): 2 of 24 cameras inflate the extent 490 times. From this")
    assert told.endswith("DF-05, pruning removes what is needed: 88 % were removed. It also explains AF-06, needle Gaussians.")


def test_births_are_told_only_where_they_set_the_gaussians_apart() -> None:
    """A summary has no room for what tells nothing."""
    began = Began(650, (Births(30, 550, 650, ""),), 0, 0.99, "the order of rows", "75 % were born late; 25 % early", "So.", True)
    assert "NaN. 75 % were born late." in causes(diagnosis(replace(NAN, consequence_of=(), began=began)))[0]
    assert "born late" not in causes(diagnosis(replace(NAN, consequence_of=(), began=replace(began, telling=False))))[0]


def test_a_remark_is_not_called_a_cause() -> None:
    """What does no harm is no fault."""
    told = causes(diagnosis(replace(OUTLIERS, severity="info")))
    assert told == ("Worth knowing, and no fault of this training: N-01, extent inflated by outlier cameras.",)


def test_what_was_explained_away_is_told_with_its_reason() -> None:
    """Nothing that was measured vanishes."""
    told = story(diagnosis(NEEDLES, explained_away=(ExplainedAway(RATE, "AF-06", "they are long, not large"),)))
    assert "No fault of its own is OF-01, learning rate too high. they are long, not large." in told


def test_the_undecided_are_grouped_by_what_would_decide_them() -> None:
    """"Missing photos" can be mended at once; a probe is another tool, and some things only an eye sees."""
    probe = Undecided(replace(pattern(1), probe="pose"), ("the pose probe: no file settles it",))
    manual = Undecided(replace(pattern(2), manual="listen to the fans"), ("no file reveals it: listen to the fans",))
    data = Undecided(pattern(3), ("photos", "cameras"))
    told = {group.reason: [what_settles(one) for one in group.entries] for group in groups((probe, manual, data))}
    assert told == {"missing": ["photos; cameras"], "probe": ["pose probe"], "manual": ["listen to the fans"]}
    paragraphs = story(diagnosis(not_evaluable=(probe, manual, data)))
    assert f"1{GAP}pattern can be settled by a probe alone, which was not run." in paragraphs
