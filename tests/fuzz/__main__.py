"""Fuzz the parsers: `python -m tests.fuzz [--seconds 600] [--only NAME] [--jobs 1]`. Finds go to tests/fuzz/found/."""

import argparse
import importlib.util
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from tests.fuzz.folders import Places
from tests.fuzz.mutations import mutate_for
from tests.fuzz.registry import module_names, targets_of

MOST_RESTARTS = 5  # of a target that libFuzzer had to end


def main() -> int:
    arguments = _arguments()
    named = [(module, target) for module in module_names() for target in targets_of(module)]
    chosen = [(module, target.name) for module, target in named if not arguments.only or target.name in arguments.only]
    if not chosen:
        print(f"no target of that name; there are {', '.join(target.name for _, target in named)}")
        return 2
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed (pip install -e .[fuzz]), so mutations are drawn by hypothesis, blind to coverage")
        for _, target in named:
            if (_, target.name) in chosen:
                mutate_for(target, arguments.seconds)
                print(_report(target.name), flush=True)
        return 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for report in pool.map(lambda place: _guided(*place, arguments.seconds), chosen):
            print(report, flush=True)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Fuzz every parser of files.")
    parser.add_argument("--seconds", type=int, default=600, help="for each target")
    parser.add_argument("--only", action="append", metavar="NAME", help="this target; may be given several times")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time")
    return parser.parse_args()


def _guided(module: str, name: str, seconds: int) -> str:
    """Fuzz one target in processes of its own, a new one after each that had to be ended."""
    places = Places.of(name)
    end = time.monotonic() + seconds
    for _ in range(MOST_RESTARTS):
        left = int(end - time.monotonic())
        if left < 1:
            break
        command = [sys.executable, "-m", "tests.fuzz.guided", module, name, str(left)]
        with places.log.open("wb") as log:
            code = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False).returncode
        if code == 0 or not places.take_crashes():
            break
    return _report(name, "" if code == 0 else f", ended with code {code}: see {places.log}")


def _report(name: str, trouble: str = "") -> str:
    places = Places.of(name)
    found = sorted(path.name for path in places.found.iterdir()) if places.found.is_dir() else []
    log = places.log.read_text("utf-8", "replace") if places.log.exists() else ""
    runs = next((line.split()[-1] for line in log.splitlines() if "number_of_executed_units" in line), "?")
    return f"{time.strftime('%H:%M:%S')} {name}: {runs} inputs, finds: {', '.join(found) or 'none'}{trouble}"


if __name__ == "__main__":
    sys.exit(main())
