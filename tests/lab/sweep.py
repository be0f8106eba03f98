"""What single detectors say about every training that the lab has kept, to set their limits by.

    python -m tests.lab.sweep NAME … [--size mini|large|all] [--only HEALTHY|TEXT] [--jobs 1]
"""

import argparse
import json
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import diagnostics.detectors  # noqa: F401  (registers every detector)
from diagnostics.diagnose import whole_span
from diagnostics.evidence import Evidence
from diagnostics.registry import DETECTORS
from diagnostics.verdict import Finding, NotEvaluable
from runs.errors import RunError
from runs.open_run import open_run
from tests.lab.case import SIZES
from tests.lab.corpus import cases
from tests.lab.scenes.building import cache_folder
from tests.lab.suite import QUIET


def kept(size: str, only: str) -> list[tuple[str, Path]]:
    """Title and folder of each kept training, the healthy ones first."""
    chosen = [case for one in SIZES if size in ("all", one) for case in sorted(cases(one), key=lambda case: case.sick)]
    told = {f"{'sick' if case.sick else 'HEALTHY'} {case.title}": cache_folder().parent / "runs" / case.slug for case in chosen}
    return [(title, folder) for title, folder in told.items() if only in title and (folder / "trained.json").is_file()]


def verdicts(title: str, folder: Path, names: tuple[str, ...]) -> list[str]:
    """One line per pattern: fires, clear or why not, and what was measured."""
    try:
        run = open_run(folder / "run", folder / "data")
    except RunError as error:
        return [f"{title}: {error}"]
    evidence = Evidence(run, whole_span(run))
    return [f"{title:64} {name:32} {_told(name, evidence)}" for name in names]


def _told(name: str, evidence: Evidence) -> str:
    detector = DETECTORS[name]
    facts = evidence.gather(detector.needs, detector.optional)
    verdict = facts if isinstance(facts, NotEvaluable) else detector.judge(**facts)
    if isinstance(verdict, NotEvaluable):
        return f"-     {'; '.join(verdict.missing)[:150]}"
    if not isinstance(verdict, Finding):
        return "clear"
    measured = {row.what: row.value for row in verdict.evidence}
    return f"FOUND {verdict.severity or ''} {verdict.says[:200]} {json.dumps(measured, default=str)}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.sweep", description=__doc__)
    parser.add_argument("names", nargs="+", choices=sorted(DETECTORS), metavar="NAME")
    parser.add_argument("--size", choices=("mini", "large", "all"), default="all")
    parser.add_argument("--only", default="", help="part of the title")
    parser.add_argument("--jobs", type=int, default=1)
    return parser.parse_args()


def _lines(options: argparse.Namespace) -> Iterator[list[str]]:
    titles, folders = zip(*kept(options.size, options.only), strict=True)
    with ProcessPoolExecutor(options.jobs) as pool:
        yield from pool.map(verdicts, titles, folders, [tuple(options.names)] * len(folders))


if __name__ == "__main__":
    os.environ.update(QUIET)
    for told in _lines(_arguments()):
        print("\n".join(told), flush=True)
