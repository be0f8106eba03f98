"""What a probe found out must reach the reader whole in every layout, and nothing may be called tried that was not."""

import json
from dataclasses import replace

import numpy as np
import pytest

from diagnostics.catalogue import load_catalogue
from diagnostics.diagnosis import Diagnosis, Undecided
from diagnostics.probed import reconciled
from diagnostics.probes.answer import Answer, Curve, Judged, Result, Tried
from diagnostics.report import probe_words
from diagnostics.report.finding_words import prospects
from diagnostics.report.html import html_page
from diagnostics.report.json import to_json
from diagnostics.report.page import pattern_text
from diagnostics.report.pdf import pdf_bytes
from diagnostics.report.probe_page import lines_of, probe_page
from diagnostics.report.probe_plots import plots_caption, probe_plots
from diagnostics.report.probe_words import MOST_NAMED, answer_text, asked, duration, found_by, moment
from diagnostics.report.report import build_report
from diagnostics.report.story import stories, story
from diagnostics.report.undecided import groups, what_settles
from diagnostics.verdict import Fix, NotEvaluable
from tests.diagnostics.report.probed import ANSWER, FINDING, curve, left_open, other_page, result, shot, with_pages
from tests.diagnostics.report.reading import all_text, opened, outline
from tests.diagnostics.report.support import PATTERN, diagnosis, pattern, reported
from tests.diagnostics.report.test_html import Page

GAP = "\N{NO-BREAK SPACE}"
TOLD = (
    "Made-up probe", "Does it hold?", "One view alone reaches 41.2 dB, ten together 27.3 dB.", "PSNR of one view alone",
    "41.2 dB", "30 dB", "3.4 %", "2 of 10 views stay below the bar of 30 dB", "not found", "left open", "no photo of c.png",
    "These cameras do not stand where their poses say", "Estimate these poses again", "It removed 87 % of the floaters",
    "It helped.", "Why it holds.", "views: 10; pictures: 60 × 45 px; seeds: 1, 2", "1 min 35 s, 812 MiB of memory at most",
    "2026-03-01 12:00 +01:00", "a.png after 300 steps", "iteration 7,000",
)


@pytest.fixture(autouse=True)
def _described(monkeypatch: pytest.MonkeyPatch) -> None:
    """The made-up probe has a page."""
    monkeypatch.setattr(probe_words, "pages", with_pages)


@pytest.fixture(scope="module")
def asked_twice() -> Diagnosis:
    return diagnosis(reported(), probed=(result(), left_open("overfit", "cameras", "photos")))


def test_the_terminal_tells_all_of_it_in_its_width() -> None:
    """Who has no window must miss nothing but the pictures."""
    text = answer_text(result(), 80)
    flat = " ".join(text.replace(GAP, " ").split())
    assert [told for told in TOLD if told not in flat] == []
    assert "Found: One view alone" in flat
    assert "PSNR of b.png: 11 dB → 22.9 dB (3 values to step 20)" in flat
    assert max(map(len, text.splitlines())) <= 80


def test_an_unknown_probe_is_shown_under_its_own_name() -> None:
    """A result may come from a later version."""
    text = answer_text(result("of-the-future"))
    assert text.startswith("of-the-future probe\n  Found: One view")
    assert "What it does not say" not in text
    assert probe_page(1, result("of-the-future")).question == ""


def test_reasons_are_told_once() -> None:
    """An open answer names them in its sentence, for each pattern and as a list."""
    assert answer_text(left_open("made-up", "no photos at all")).count("no photos at all") == 1
    both = replace(ANSWER, missing=("time ran out after 3 views",))
    assert answer_text(result(answer=both)).count("time ran out after 3 views") == 1


def test_a_trial_of_a_fix_is_no_clear_verdict() -> None:
    """It judges no pattern: "nothing found" would claim that all is well."""
    trial = result(answer=replace(ANSWER, judged=()), probe="fix-trial")
    assert "  Answered: One view" in answer_text(trial)
    assert asked((trial,)) == f"1{GAP}probe was asked: fix-trial tried a fix of AF-01."
    undecided = result(answer=Answer("It is 3.", (Judged("needle-gaussians", None, ("no held-out views",)),)))
    assert "Answered: It is 3." in answer_text(undecided)
    assert asked((undecided,)) == f"1{GAP}probe was asked: made-up settled nothing."


@pytest.mark.parametrize("helped", [True, False, None])
def test_a_trial_says_how_it_went(helped: bool | None) -> None:
    """Within the noise is neither success nor failure."""
    went = {True: "It helped.", False: "It did not help.", None: "Not shown to help."}[helped]
    one = (Tried("AF-01", "x", 1, "PSNR +0.1 ± 0.2 dB", helped),)
    assert probe_words.tried(Answer("One change was tried.", tried=one))[0].text == f"PSNR +0.1 ± 0.2 dB. {went}"
    assert probe_words.tried(Answer("Tried: PSNR +0.1 ± 0.2 dB.", tried=one))[0].text == went  # and not twice the same


def test_missing_numbers_are_not_available() -> None:
    """A cost that nobody measured, and a curve without a number."""
    assert probe_words.cost(result(peak_bytes=0)) == "1 min 35 s, memory not available"
    lost = Curve("loss", "", (0, 1), (float("nan"), float("inf")))
    assert probe_words.curve_words(lost) == f"loss: not available (2{GAP}values to step 1)"
    assert probe_words.curve_words(Curve("loss", "", (), ())) == "loss: not available"
    assert probe_plots((lost,)) == ()
    assert "loss: not available" in plots_caption((lost,))
    assert (duration(0.84), duration(59.7), duration(7300), moment("2026-03-01T12:00:30")) == (
        "0.8 s", "1 min 0 s", "121 min 40 s", "2026-03-01 12:00")


def test_curves_of_one_unit_share_axes_and_a_title() -> None:
    """A plot of ten views is compared; ten plots are not."""
    both, loss = probe_plots((curve("PSNR of a.png", 12, 21), curve("PSNR of b.png", 11, 23), curve("loss", 0.3, 0.1, unit="")))
    assert (both.title, both.unit, [line.label for line in both.curves]) == ("PSNR", "dB", ["a.png", "b.png"])
    assert (loss.title, [line.label for line in loss.curves], loss.along) == ("Loss", [""], "step")
    assert loss.curves[0].source == "loss"
    assert len(probe_plots((curve("loss", 0.3, unit=""), curve("largest gradient", 1e-6, unit="")))) == 2  # not comparable
    assert probe_plots((curve("PSNR of views by degree", 12, 21),))[0].along == "degree"
    mixed = probe_plots((curve("a.png alone", 12, 21), curve("mean of ten", 11, 23)))[0]
    assert [line.label for line in mixed.curves] == ["a.png alone", "mean of ten"]


def test_more_curves_than_a_legend_names_are_told() -> None:
    """What is left out of a plot is said, with its numbers."""
    many = tuple(curve(f"PSNR of {index}.png", 10.0, 20.0 + index) for index in range(MOST_NAMED + 2))
    assert len(probe_plots(many)[0].curves) == MOST_NAMED
    assert plots_caption(many).replace(GAP, " ") == (
        "Measured too and not drawn, 2 curves: PSNR of 8.png (10 dB → 28 dB), PSNR of 9.png (10 dB → 29 dB).")
    assert "Red crosses: PSNR of b.png is not a finite number at step 10." in plots_caption(result().curves[1:])


def test_wide_pictures_have_the_line_for_themselves() -> None:
    """A photo beside its render would be a stamp in a third of the page."""
    shots = [shot("a"), shot("b"), shot("c"), shot("d"), shot("wide", 90), shot("wider", 200), shot("e")]
    assert [[one.label for one in line.pictures] for line in lines_of(shots)] == [
        ["a", "b", "c"], ["d"], ["wide"], ["wider"], ["e"]]
    assert lines_of([shot("a")])[0].pictures[0].pixels.shape == (45 * 6, 60 * 6, 3)  # whole pixels, so that none is smoothed away
    page = probe_page(1, result(answer=replace(ANSWER, shots=(shot("a"),) * 14)))
    assert page.pictures_caption == f"2{GAP}more pictures not shown."


def test_the_pdf_holds_a_chapter_of_probes(asked_twice: Diagnosis) -> None:
    """A report is searched and quoted; its outline leads to each probe."""
    reader = opened(pdf_bytes(build_report(asked_twice)))
    text = all_text(reader).replace(GAP, " ")
    assert [told for told in (*TOLD, "twice the noise", "Someone 2020") if told not in text] == []
    assert "2 probes were asked: made-up found AF-06; overfit stays open." in text
    titles = [title for title, _ in outline(reader)]
    assert titles.index("Probes") + 1 == titles.index("Made-up probe") < titles.index("Looked for and not found")


def test_the_html_holds_the_same(asked_twice: Diagnosis) -> None:
    """And its pictures lie inside."""
    report = build_report(asked_twice)
    page, without = Page(html_page(report)), Page(html_page(replace(report, probes=())))
    text = " ".join(page.text.replace(GAP, " ").split())
    assert [told for told in (*TOLD, "twice the noise", "Someone 2020") if told not in text] == []
    assert page.open == []
    pictures = [sum(name == "src" for name, _ in one.attributes) for one in (page, without)]
    assert pictures[0] - pictures[1] == 2
    assert "Probes" not in without.text


def test_hostile_words_of_a_result_are_no_markup() -> None:
    """A file of a result may come from anyone."""
    nasty = "<script>alert('&')</script>\" onload=\"x\x07"
    picture = replace(shot("a"), title=nasty, camera=nasty)
    odd = replace(ANSWER, says=nasty, missing=(nasty,), done={nasty: nasty}, shots=(picture,),
                  judged=(Judged(nasty, None, (nasty,)),), tried=(Tried(nasty, nasty, nasty, nasty, None),))
    told = diagnosis(probed=(result(nasty, odd, curves=(Curve(nasty, nasty, (1,), (2.0,)),), finished_at=nasty, product=nasty),))
    page = Page(html_page(build_report(told)))
    assert "script" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert opened(pdf_bytes(build_report(told))).pages


def test_the_json_holds_all_but_the_pixels(asked_twice: Diagnosis) -> None:
    """A script reads the numbers; pictures would make the file a hundred times larger."""
    told = json.loads(json.dumps(to_json(asked_twice), allow_nan=False))["probed"]
    assert [(each["probe"], each["outcome"]) for each in told] == [("made-up", "finding"), ("overfit", "open")]
    first = told[0]
    assert first["shots"] == [{"title": "a.png after 300 steps", "camera": ""}, {"title": "b.png after 300 steps", "camera": ""}]
    assert [(each["pattern"], each["code"], each["outcome"]) for each in first["judged"]] == [
        ("needle-gaussians", "AF-06", "finding"), ("exposure-varies", "N-07", "clear"), ("of-the-future", None, "open")]
    assert first["curves"][1]["values"] == [11.0, None, 22.9]
    assert {"says", "rows", "missing", "iteration", "done", "tried", "seconds", "peak_bytes", "finished_at"} <= set(first)


def test_only_a_fix_that_was_tried_says_so() -> None:
    """"Validated" is a measured word."""
    fix = Fix("Do it", "it is better")
    assert [told.label for told in prospects(fix)] == ["Expect"]
    helped = replace(fix, tried="It removed 87 % of the floaters.", validated=True)
    vain = replace(fix, tried="Nothing changed.")
    assert [(told.label, told.text) for each in (helped, vain) for told in prospects(each)[:1]] == [
        ("Validated", "It removed 87 % of the floaters."), ("Tried", "Nothing changed.")]
    page = Page(html_page(build_report(diagnosis(reported(fixes=(fix, helped, vain))))))
    assert (page.text.count("Validated:"), page.text.count("Tried:")) == (1, 1)
    fixes = to_json(diagnosis(reported(fixes=(fix, helped, vain))))["findings"][0]["fixes"]
    assert [(each["tried"], each["validated"]) for each in fixes] == [
        ("", False), ("It removed 87 % of the floaters.", True), ("Nothing changed.", False)]


def test_a_finding_says_which_probe_decided_it() -> None:
    """A reader must know whether the files show it, or an optimisation that we made."""
    floaters = _judging(PATTERN.name)
    alone, agreed = reported(says=FINDING.says), reported()
    assert found_by(alone, (floaters,)) == "Decided by the made-up probe."
    assert found_by(agreed, (floaters,)) == "Found in the files of the run, and by the made-up probe as well."
    assert found_by(alone, (result(),)) == found_by(alone, ()) == ""
    told = build_report(diagnosis(alone, probed=(floaters,)))
    assert "Decided by the made-up probe." in html_page(told)
    assert "Decided by the made-up probe." in all_text(opened(pdf_bytes(told)))
    assert to_json(diagnosis(alone, probed=(floaters,)))["findings"][0]["found_by"] == "Decided by the made-up probe."


def _judging(name: str) -> Result:
    return result(answer=replace(ANSWER, judged=(Judged(name, FINDING),)))


def test_what_a_probe_left_open_is_not_said_to_be_unasked() -> None:
    """"Was not run" would be untrue, and its reasons would be lost."""
    bare = NotEvaluable(("the overfit probe: no file settles it",))
    verdict = reconciled("made-up-1", bare, (left_open("overfit", "photos", pattern="made-up-1"),))
    assert isinstance(verdict, NotEvaluable)
    heard = Undecided(replace(pattern(1), probe="overfit"), verdict.missing)
    unheard = Undecided(replace(pattern(2), probe="overfit"), bare.missing)
    assert [(group.reason, [what_settles(one) for one in group.entries]) for group in groups((heard, unheard))] == [
        ("asked", ["photos (the overfit probe)"]), ("probe", ["overfit probe"])]
    told = story(diagnosis(not_evaluable=(heard, unheard)))
    assert f"1{GAP}pattern was left open by the probe that was asked." in told
    assert f"1{GAP}pattern can be settled by a probe alone, which was not run." in told


def test_the_story_says_which_probes_were_asked() -> None:
    """And nothing where none was."""
    clear = result("overfit", Answer("All is well.", (Judged("needle-gaussians"),)))
    assert asked((clear,)) == f"1{GAP}probe was asked: overfit found nothing."
    assert stories(diagnosis(probed=(clear,))) == (asked((clear,)),)
    assert asked(()) == ""
    assert not any("asked" in paragraph for paragraph in story(diagnosis(not_evaluable=())))


def test_a_pattern_s_page_names_the_probes_that_settle_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command, so that it can be typed."""
    needles = load_catalogue()["needle-gaussians"]
    assert "Made-up probe. Does it hold?" in pattern_text(needles, {})
    assert "splatdoctor probe made-up RUN --data DIR" in pattern_text(needles, {})
    other = replace(needles, name="other")
    assert "What settles it" not in pattern_text(other, {})
    assert "The unheard probe" in pattern_text(replace(other, probe="unheard"), {})
    monkeypatch.setattr(probe_words, "pages", lambda: with_pages(other_page("second", settles=("other",))))
    assert "splatdoctor probe second RUN" in pattern_text(other, {})


def test_a_picture_of_one_pixel_is_laid_out() -> None:
    """A probe may work on very small pictures."""
    tiny = replace(shot("one pixel"), rgb=np.zeros((1, 1, 3), np.uint8))
    assert pdf_bytes(build_report(diagnosis(probed=(result(answer=replace(ANSWER, shots=(tiny,))),))))
