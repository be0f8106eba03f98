"""Short ways to a fact of a made run, for tests of what is evaluable."""

from typing import Any

from diagnostics.evidence import Evidence
from diagnostics.verdict import NotEvaluable
from runs.run import Run, Trainer


def of(name: str, confidence: float = 0.9) -> Trainer:
    return Trainer(name, confidence, "made up")


def fact(name: str, run: Run) -> Any:
    return Evidence(run, (0, 30_000)).get(name)


def why(name: str, run: Run) -> str:
    found = fact(name, run)
    assert isinstance(found, NotEvaluable), found
    return " ".join(found.missing)
