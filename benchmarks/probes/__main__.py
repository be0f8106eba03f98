"""`python -m benchmarks.probes`: puts probes to the lab's runs, prints figures, writes probes.json and a part of ACCURACY.md."""

import argparse
import json
import signal
import sys
from pathlib import Path
from time import perf_counter

from benchmarks.probes.asked import Heard, heard, questions
from benchmarks.probes.scoreboard import merged, plain, rows, section, with_section
from runs.writers.atomic import write_text
from tests.lab.case import HALVES, SIZES
from tests.lab.probing.meant import meant

PAGE, FIGURES = Path(__file__).resolve().parents[2] / "ACCURACY.md", Path(__file__).with_name("probes.json")


def main() -> None:
    asked = _arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # else the workers would outlive us
    sizes, halves = (every if one == "all" else (one,) for every, one in ((SIZES, asked.size), (HALVES, asked.half)))
    chosen = [question for probe in asked.probe or meant() for size in sizes for half in halves
              for question in questions(probe, size, half)][::asked.every]
    started = perf_counter()
    answers = heard(chosen, jobs=asked.jobs, told=lambda done, of, newest: _tell(done, of, newest, asked.verbose))
    print(f"{len(answers)} questions in {perf_counter() - started:.0f} s")
    figures = plain(rows(answers))
    print(section(figures))
    if asked.every == 1 and not asked.dry:
        known = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else []
        kept = merged(known, json.loads(json.dumps(figures)))
        write_text(FIGURES, json.dumps(kept, indent=1) + "\n")
        write_text(PAGE, with_section(PAGE.read_text("utf-8"), kept))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.probes", description=__doc__)
    parser.add_argument("--probe", action="append", choices=tuple(meant()), help="may be given several times (default: all)")
    parser.add_argument("--size", choices=(*SIZES, "all"), default="mini")
    parser.add_argument("--half", choices=(*HALVES, "all"), default="test")
    parser.add_argument("--every", type=int, default=1, help="ask only every n-th run; writes no file")
    parser.add_argument("--dry", action="store_true", help="write no file")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes, of one thread each")
    parser.add_argument("--verbose", action="store_true", help="a line for each answer, in place of the wrong ones only")
    return parser.parse_args()


def _tell(done: int, of: int, newest: Heard, verbose: bool) -> None:
    if verbose or not newest.right:
        mark = "right" if newest.right else "BROKE" if newest.failure else "WRONG"
        print(f"{done:4d}/{of} {mark} {newest.asked.probe} {newest.asked.slug}: {newest.failure or newest.says}", flush=True)


if __name__ == "__main__":
    main()
