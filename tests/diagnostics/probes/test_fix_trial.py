"""Fix trial: a fix is validated only where the finding goes and the picture does not suffer, in every seed."""

from dataclasses import replace

import pytest

from diagnostics.evidence import Cancelled
from diagnostics.probes.answer import Result
from diagnostics.probes.ask import ask, bench_at
from diagnostics.probes.bench import Limits, Listener, Wish
from diagnostics.probes.questions import fix_trial
from diagnostics.probes.questions.fix_trial import expected
from diagnostics.probes.trial_changes import Change
from tests.lab.opened import opened

WIDE = "start-in-a-wide-cube-at-1.3_studio-0_mini"
BUG = "scales-stretched-at-1_shelf-0_mini"  # in the trainer's code: no setting tells it
HEALTHY = "usual-court-0_court-0_mini"
STEPS = 150


def _asked(slug: str, code: str, fix: int = 1, **wish: int) -> Result:
    return ask("fix-trial", opened(slug), wish=Wish(**{"finding": code, "fix": fix, "engine": "cpu", **wish}))  # type: ignore[arg-type]


def test_the_right_fix_is_validated() -> None:
    """Of a start that no camera sees, with the model's points at hand."""
    result = _asked(WIDE, "TG-03", steps=STEPS)
    (tried,) = result.answer.tried
    assert tried.helped is True
    assert result.answer.says.startswith("Validated in short trainings: start points of the COLMAP model: TG-03 shows in 3 of 3 ")
    assert "PSNR of held-out views +" in tried.says
    assert (result.outcome, result.answer.judged) == ("clear", ())
    names = [f"{side}, seed {seed}" for seed in range(3) for side in ("control", "trial")]
    assert [curve.name for curve in result.curves] == names
    gained = [row.value for row in result.answer.rows if row.what.startswith("PSNR gained")]
    assert len(gained) == 3
    assert all(isinstance(value, float) and value > 1 for value in gained)
    (shot,) = result.answer.shots
    assert shot.rgb.shape == (64, 3 * 64, 3)


def test_a_change_that_cures_nothing_is_not_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The finding stays, whatever the seed makes of the picture."""
    placebo = Change("rotation_lr", 0.0011, settings={"rotation_lr": 0.0011})
    monkeypatch.setattr(fix_trial, "change_of", lambda *_: placebo)
    result = _asked(WIDE, "TG-03", steps=STEPS)
    assert result.answer.tried[0].helped is None
    assert result.answer.says.startswith("Not validated: ")
    assert "TG-03 shows in 3 of 3 trainings without the change and in 3 of 3 with it" in result.answer.says


def test_a_short_training_without_the_trouble_leaves_it_open() -> None:
    """The settings of a trainer with a bug train soundly here: no fix may be praised for that."""
    result = _asked(BUG, "AF-06", steps=STEPS)
    assert result.outcome == "open"
    assert result.answer.tried == ()
    assert "AF-06 does not show" in result.answer.says
    assert [curve.name for curve in result.curves] == ["control, seed 0"]  # nothing more was trained


def test_too_few_seeds_validate_nothing() -> None:
    """One pair has no spread, so the noise is not known."""
    result = _asked(WIDE, "TG-03", steps=60, seeds=1)
    assert result.answer.tried[0].helped is None
    assert result.answer.says.startswith("Not validated, for want of seeds: 1 of at least 3 pairs")
    assert "±" not in result.answer.says


@pytest.mark.parametrize(("slug", "code", "fix", "why"), [
    (HEALTHY, "", 1, "a finding whose fix is to be tried"),
    (HEALTHY, "X-99", 1, "a finding with the code X-99"),
    (HEALTHY, "MF2-06", 1, "is decided by a probe, or by eye"),
    (HEALTHY, "OF-01", 1, "the finding OF-01 in this run (it is clear)"),
    (WIDE, "TG-03", 9, "a fix with the number 9"),
    (WIDE, "TG-03", 2, "asks for a look, for other data, or for other code"),
    ("cloud-elsewhere-at-3_court-0_mini", "N-20", 1, "other points than the COLMAP model's"),
])
def test_what_cannot_be_tried_says_why(slug: str, code: str, fix: int, why: str) -> None:
    """An open question names what it lacks."""
    result = _asked(slug, code, fix, steps=STEPS)
    assert result.outcome == "open"
    assert why in result.answer.says


def test_without_photos_nothing_is_trained() -> None:
    run = opened("opacity-rate-too-high-at-30_corridor-0_mini")
    bare = replace(run, data=None, sources=replace(run.sources, photos=dict))
    result = ask("fix-trial", bare, wish=Wish(finding="OF-01"))
    assert result.outcome == "open"
    assert "the photos (give the data folder with --data)" in result.answer.missing


def test_it_ends_when_told_to_and_when_time_is_over() -> None:
    """Within an iteration, and not as an answer."""
    calls: list[int] = []

    def wait() -> None:
        calls.append(1)
        if len(calls) > 200:
            raise Cancelled

    with pytest.raises(Cancelled):
        ask("fix-trial", opened(WIDE), wish=Wish(finding="TG-03", steps=STEPS), listener=Listener(wait=wait))
    over = ask("fix-trial", opened(WIDE), wish=Wish(finding="TG-03"), limits=Limits(seconds=0.0))
    assert over.outcome == "open"
    assert "more time than 0 s" in over.answer.says


def test_the_estimate_counts_both_sides_of_every_seed() -> None:
    work = expected(bench_at(opened(HEALTHY), wish=Wish(finding="OF-01", steps=100, seeds=2)))
    assert work.steps == 2 * 2 * 100
    assert work.at_least
    assert max(work.size_px) == 64
