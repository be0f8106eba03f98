"""The bench: a probe that could not be stopped, or took more than it may, would be worse than none."""

import pytest

from diagnostics.evidence import Cancelled, Evidence
from diagnostics.probes import bench as at
from diagnostics.probes.bench import Bench, Limits, Listener, OutOfReach
from tests.support.runs import made_run


def _bench(**changes: object) -> Bench:
    return Bench(Evidence(made_run(), (0, 0)), **changes)  # type: ignore[arg-type]


def test_a_missing_fact_leaves_the_question_open_with_what_to_provide() -> None:
    """The user must read which file to give."""
    with pytest.raises(OutOfReach) as reason:
        _bench().fact("cameras")
    assert reason.value.missing == ("the cameras (cameras.json, or the COLMAP model with --data)",)
    assert _bench().fact_or_none("cameras") is None


def test_time_runs_out_between_steps() -> None:
    with pytest.raises(OutOfReach, match="more time than 0 s"):
        _bench(limits=Limits(seconds=0.0)).beat()


def test_memory_runs_out_between_steps() -> None:
    """This process holds more than one byte."""
    with pytest.raises(OutOfReach, match=r"more memory than 0\.0 GiB"):
        _bench(limits=Limits(memory_bytes=1)).beat()


def test_a_pause_costs_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who pauses for lunch must not find the time limit reached."""
    now = [0.0]
    monkeypatch.setattr(at, "monotonic", lambda: now[0])
    pauses = iter((100.0, 0.0))

    def wait() -> None:
        now[0] += next(pauses)

    bench = Bench(Evidence(made_run(), (0, 0)), limits=Limits(seconds=10.0), listener=Listener(wait=wait), _started=0.0)
    now[0] = 2.0
    bench.beat()
    now[0] += 3.0
    bench.beat()
    assert (bench.seconds, bench.seconds_left) == (5.0, 5.0)


def test_who_listens_may_stop_it() -> None:
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        _bench(listener=Listener(wait=stop)).progress(0.5, "half way")


def test_points_are_told_as_they_come_and_kept_in_order() -> None:
    """The live plot and the report show the same curve."""
    told: list[tuple[str, str, int, float]] = []
    bench = _bench(listener=Listener(point=lambda *point: told.append(point)))
    for curve, step, value in (("a", 1, 10.0), ("b", 1, 1.0), ("a", 2, 20.0)):
        bench.point(curve, "dB", step, value)
    assert told == [("a", "dB", 1, 10.0), ("b", "dB", 1, 1.0), ("a", "dB", 2, 20.0)]
    assert [(curve.name, curve.unit, curve.steps, curve.values) for curve in bench.curves] == [
        ("a", "dB", (1, 2), (10.0, 20.0)), ("b", "dB", (1,), (1.0,))]
