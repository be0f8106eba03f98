"""`python -m benchmarks.accuracy`: runs the lab, prints the scoreboard, writes ACCURACY.md and accuracy.json."""

import argparse
import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from benchmarks.accuracy.markdown import ROWS, Measured, accuracy_page, share_text
from benchmarks.accuracy.scoreboard import figures
from benchmarks.accuracy.shipped import patterns_json, to_json
from benchmarks.probes.scoreboard import with_section
from runs.writers.atomic import write_text
from tests.lab.case import HALVES, SIZES, Half, Size
from tests.lab.corpus import cases
from tests.lab.faults import FAULTS
from tests.lab.outcome import Outcome
from tests.lab.suite import run_suite
from tests.lab.truth import score

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE, FIGURES = REPOSITORY / "ACCURACY.md", Path(__file__).with_name("accuracy.json")
OF_PROBES = REPOSITORY / "benchmarks" / "probes" / "probes.json"  # what `python -m benchmarks.probes` measured
SHIPPED = REPOSITORY / "resources" / "accuracy" / "patterns.json"


def main() -> None:
    asked = _arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # else the workers would outlive us
    sizes: tuple[Size, ...] = SIZES if asked.size == "all" else (asked.size,)
    halves: tuple[Half, ...] = HALVES if asked.half == "all" else (asked.half,)
    measured = [each for size in sizes for each in _measured(size, halves, asked)]
    for each in measured:
        _print(each)
    if asked.only is None and halves == HALVES:
        of_probes = json.loads(OF_PROBES.read_text("utf-8")) if OF_PROBES.exists() else []
        write_text(PAGE, with_section(accuracy_page(measured, FAULTS), of_probes))
        write_text(FIGURES, json.dumps(to_json(measured), indent=1) + "\n")
        if asked.ship:
            write_text(SHIPPED, json.dumps(patterns_json(measured, FAULTS), indent=1) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("--size", choices=(*SIZES, "all"), default="mini")
    parser.add_argument("--half", choices=(*HALVES, "all"), default="all", help="files are written only for all")
    parser.add_argument("--only", metavar="NAME", help="faults and controls whose name begins so; writes no file")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes, of one thread each")
    parser.add_argument("--ship", action="store_true", help="also write what the product shows beside its verdicts")
    parser.add_argument("--verbose", action="store_true", help="a line for each run as it ends, in place of the wrong ones only")
    return parser.parse_args()


def _measured(size: Size, halves: tuple[Half, ...], asked: argparse.Namespace) -> Iterator[Measured]:
    started = perf_counter()
    chosen = [case for half in halves for case in cases(size, half, asked.only)]
    outcomes = run_suite(chosen, jobs=asked.jobs, told=lambda done, of, newest: _tell(done, of, newest, asked.verbose))
    print(f"{size}: {len(chosen)} runs in {perf_counter() - started:.0f} s")
    for half in halves:
        counted = tuple(outcome for outcome in outcomes if outcome.case.half == half)
        yield Measured(size, half, counted, figures(counted, FAULTS))


def _tell(done: int, of: int, newest: Outcome, verbose: bool) -> None:
    mark = mark_of(newest)
    if verbose or mark in ("MISS", "ALARM"):
        named = " ".join(found.code for found in newest.findings) or "nothing"
        print(f"{done:4d}/{of} {mark:5s} {newest.case.half:6s} {newest.case.title}: {named}", flush=True)


def mark_of(outcome: Outcome) -> str:
    """One word for a run."""
    fault = FAULTS[outcome.case.name] if outcome.case.sick else None
    marks = score(outcome, fault)
    if fault is None:
        return "ALARM" if marks.false_alarms else "clear"
    if marks.cause_first:
        return "first"
    return "found" if marks.detected else "MISS" if fault.leaves_trace else "-"


def _print(each: Measured) -> None:
    print(f"\n{each.size} runs, {each.half} half")
    for name, says in ROWS.items():
        print(f"  {share_text(getattr(each.figures, name)):34s} {says}")
    for why in each.figures.broken:
        print(f"  broken: {why}")


if __name__ == "__main__":
    main()
