"""A trained run is opened as a user would open it, and diagnosed."""

import time
from pathlib import Path

from diagnostics.diagnose import diagnose
from runs.open_run import open_run
from tests.lab.case import Case
from tests.lab.outcome import Outcome, Trained, failures, named


def judge(case: Case, trained: Trained, run: Path, data: Path) -> Outcome:
    """Everything the diagnosis says about the whole run, with its data at hand."""
    started = time.perf_counter()
    diagnosis = diagnose(open_run(run, data))
    return Outcome(
        case, trained, named(diagnosis), tuple(entry.pattern.code for entry in diagnosis.not_evaluable), failures(diagnosis),
        time.perf_counter() - started,
    )
