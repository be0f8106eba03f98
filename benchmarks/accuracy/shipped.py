"""What the product is told of its own accuracy, and the figures as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

from benchmarks.accuracy.intervals import Share
from benchmarks.accuracy.markdown import Measured
from benchmarks.accuracy.scoreboard import Figures, PatternFigures, figures
from tests.lab.faults.fault import Fault

SCHEMA = 1


def to_json(measured: Sequence[Measured]) -> dict[str, Any]:
    """All figures, and each run's findings."""
    return {"schema": SCHEMA, "figures": [_entry(each) for each in measured]}


def patterns_json(measured: Sequence[Measured], faults: Mapping[str, Fault]) -> dict[str, Any]:
    """Per pattern, over the test halves of all sizes that were measured."""
    tested = [each for each in measured if each.half == "test"]
    outcomes = [outcome for each in tested for outcome in each.outcomes]
    whole: Figures = figures(outcomes, faults)
    return {
        "schema": SCHEMA, "half": "test", "sizes": sorted({each.size for each in tested}),
        "healthy_runs": whole.false_alarms.of, "faulty_runs": sum(outcome.case.sick for outcome in outcomes),
        "patterns": {code: _record(entry) for code, entry in whole.patterns.items()},
    }


def _record(entry: PatternFigures) -> dict[str, Any]:
    return {"found": _pair(entry.recall), "fitting": _pair(entry.precision), "false_alarms": entry.false_alarms.hits}


def _pair(share: Share) -> list[int]:
    return [share.hits, share.of]


def _entry(each: Measured) -> dict[str, Any]:
    told = {name: _plain(getattr(each.figures, name)) for name in Figures.__dataclass_fields__}
    runs = [{"case": asdict(o.case), "psnr": o.trained.psnr, "gaussians": o.trained.count,
             "findings": [[f.code, f.severity] for f in o.findings]} for o in each.outcomes]
    return {"size": each.size, "half": each.half, **told, "runs": runs}


def _plain(value: Any) -> Any:
    if isinstance(value, Share):
        low, high = value.interval
        return {"hits": value.hits, "of": value.of, "value": value.value, "interval": [low, high]}
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    return list(value) if isinstance(value, tuple) else value
