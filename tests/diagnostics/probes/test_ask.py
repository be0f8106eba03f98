"""Asking: whatever happens inside a probe, the user gets one answer, and the run's folder stays as it was."""

from pathlib import Path

import pytest

from diagnostics.evidence import Cancelled
from diagnostics.probes.answer import Answer
from diagnostics.probes.ask import UnknownProbe, ask, left_open, probe_named
from diagnostics.probes.bench import Bench, Listener, OutOfReach, Wish
from diagnostics.probes.registry import PROBES, Page, Probe, Workload, pages, probe
from runs.errors import UnreadableFile
from tests.support.runs import made_run


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Bench]:
    """A probe named "tried" that fails as it is told by `bench.wish.finding`."""
    benches: list[Bench] = []

    def tried(bench: Bench) -> Answer:
        benches.append(bench)
        bench.point("loss", "", 1, 0.5)
        if bench.wish.steps:
            raise UnreadableFile("this photo cannot be decoded", Path("a.png"))
        raise OutOfReach("the photos", "a save")

    page = Page("tried", 1, "Tried", "?", "how", "needs", "no more", ("blur", "holes"), {}, ())
    monkeypatch.setattr("diagnostics.probes.ask.pages", lambda: {**pages(), "tried": page})
    monkeypatch.setitem(PROBES, "tried", Probe("tried", tried, {}, lambda _: Workload(1, 1, 1, (8, 8))))
    return benches


def test_a_question_out_of_reach_stays_open_for_every_pattern(asked: list[Bench]) -> None:
    """With the reasons, and with what was measured until then."""
    result = ask("tried", made_run())
    assert result.outcome == "open"
    assert result.answer.missing == ("the photos", "a save")
    assert [(each.pattern, each.finding, each.missing) for each in result.answer.judged] == [
        ("blur", None, ("the photos", "a save")), ("holes", None, ("the photos", "a save"))]
    assert result.curves[0].values == (0.5,)
    assert asked[0].evidence.run.path == Path(result.run)


def test_a_file_that_cannot_be_read_is_named_and_noted(asked: list[Bench]) -> None:
    run = made_run()
    result = ask("tried", run, wish=Wish(steps=1))
    assert result.answer.missing == ("this photo cannot be decoded: a.png",)
    assert [note.says for note in run.notes] == ["this photo cannot be decoded"]
    assert len(asked) == 1


def test_a_cancelled_probe_answers_nothing(asked: list[Bench]) -> None:
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        ask("tried", made_run(), listener=Listener(point=lambda *_: stop()))
    assert len(asked) == 1


def test_an_unknown_probe_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownProbe, match="there is no probe 'guess'"):
        probe_named("guess")


def test_two_probes_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or one of them would silently never be asked."""
    monkeypatch.setattr("diagnostics.probes.registry.PROBES", {})
    declare = probe("twice", lambda _: Workload(1, 1, 1, (8, 8)))

    def twice(bench: Bench) -> Answer:
        return Answer(str(bench))

    declare(twice)
    with pytest.raises(TypeError, match="twice is registered twice"):
        declare(twice)


def test_a_probe_may_only_ask_for_a_bench() -> None:
    """Its limits are keywords, as a detector's are."""
    with pytest.raises(TypeError, match="asks for facts that nobody provides: cameras"):
        probe("odd", lambda _: Workload(1, 1, 1, (8, 8)))(lambda cameras: Answer(str(cameras)))


def test_an_open_answer_says_why(asked: list[Bench]) -> None:
    assert left_open("tried", ("a", "b")).says == "The question stays open: a; b."
    assert not asked
