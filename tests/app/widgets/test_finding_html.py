"""The page of an open finding: a fix without its risk, or a doubt that is not shown, would mislead whoever follows it."""

from dataclasses import replace

from app.theme import DARK
from app.widgets.finding_html import away_html, finding_html
from diagnostics.diagnosis import Began, Births, ExplainedAway, Resemblance
from diagnostics.verdict import Fix, NotEvaluable
from tests.diagnostics.report.support import PATTERN, reported

FIX = Fix("Make resets rarer", "quality comes back", "opacity_reset_interval", 400, 1000, "floaters stay", "quality stays down",
          600, "--opacity_reset_interval 1000")
BEGAN = Began(1500, (Births(60, 900, 1500, "born late"),), 0, 0.98, "the order of rows", "75 % were born late", "So it is.", True)


def told(**changes: object) -> str:
    return finding_html(replace(reported(fixes=(FIX,)), **changes), DARK).replace("\N{NO-BREAK SPACE}", " ")


def test_a_fix_shows_change_outcome_risk_and_what_would_refute_it() -> None:
    """Whoever tries it must know when to look, what it may cost and when to stop believing it."""
    page = told()
    for words in ("opacity_reset_interval: 400 → 1000", "--opacity_reset_interval 1000",
                  "<i>Expect by iteration 600 of the next training:</i> quality comes back", "<i>Risk:</i> floaters stay",
                  "<i>Not the cause if:</i> quality stays down"):
        assert words in page


def test_when_it_began_is_told_or_why_not() -> None:
    """"Not known, for want of X" is an answer, silence is none."""
    assert "It shows late. 75 % were born late (98 % sure, by the order of rows). So it is." in told(
        began=BEGAN, timing="It shows late.")
    assert "it would need an earlier save" in told(began=NotEvaluable(("an earlier save",)))
    assert "When it began" not in told()


def test_only_look_alikes_that_were_found_stand_beside_a_finding() -> None:
    """The others stand on the pattern's page."""
    page = told(resembles=(Resemblance("AF-03", "Ghosting", "Ghosts are copies.", True),
                           Resemblance("N-07", "Exposure varies", "One factor.", False)))
    assert "Ghosting (AF-03, found here as well): Ghosts are copies." in page
    assert "Exposure" not in page


def test_doubt_is_shown_beside_the_title() -> None:
    """What nobody verified is never presented as a fact."""
    assert "uncertain: not verified by us" in told(pattern=replace(PATTERN, uncertain=True))
    assert "uncertain" not in told()


def test_what_was_explained_away_says_so_first() -> None:
    """The reader must not repair what is no fault."""
    page = away_html(ExplainedAway(reported(), "AF-06", "they are <long>"), DARK)
    assert page.startswith("<p><b>Explained away by AF-06.</b> they are &lt;long&gt;.</p>")
