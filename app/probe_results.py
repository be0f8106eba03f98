"""Results of probes that were kept as JSON: read again, and given to no run but their own."""

import json
from collections.abc import Sequence
from pathlib import Path

from app.wrong_use import WrongUse
from diagnostics.probed import foreign_to
from diagnostics.probes.answer import Result
from diagnostics.probes.json import NotAResult, from_json
from runs.run import Run

Kept = Sequence[tuple[Path, Result]]
LARGEST_BYTES = 512 << 20


def read_results(files: Sequence[Path]) -> Kept:
    """Each file with its result. Raises WrongUse for one that holds none, OSError."""
    return [(file, _read(file)) for file in files]


def results_of(run: Run, kept: Kept) -> tuple[Result, ...]:
    """The results, all of this run. Raises WrongUse for one of another run."""
    for file, result in kept:
        if why := foreign_to(run, result):
            raise WrongUse(f"{why}: {file}")
    return tuple(result for _, result in kept)


def _read(file: Path) -> Result:
    if file.stat().st_size > LARGEST_BYTES:
        raise WrongUse(f"this file is too large for a probe's result: {file}")
    try:
        return from_json(json.loads(file.read_text("utf-8")))
    except NotAResult as error:
        raise WrongUse(f"{error}: {file}") from error
    except (ValueError, RecursionError) as error:
        raise WrongUse(f"this is no JSON, and so no probe's result: {file}") from error
