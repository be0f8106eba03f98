"""What probes cost on a big run, beside what was estimated: `python -m benchmarks.probe_costs [--count 1000000] [--probe NAME]`.

Each probe runs as a user would run it, in a process of its own with its usual limits.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.diagnosis import write_run
from diagnostics.probes.registry import pages

SAVES = 3
ASKED = {"fix-trial": ["--finding", "AF-02"]}  # a finding that it must look for; where there is none it ends at once


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.probe_costs", description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000, help="Gaussians in each save")
    parser.add_argument("--probe", action="append", choices=tuple(pages()), help="may be given several times (default: all)")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        write_run(Path(folder), asked.count, SAVES)
        print(f"{asked.count:,} Gaussians\n{'probe':<16}{'estimated':>14}{'s':>8}{'MiB':>8}  outcome")
        for name in asked.probe or pages():
            print(_line(name, Path(folder)), flush=True)


def _line(name: str, folder: Path) -> str:
    command = [sys.executable, "-m", "app", "probe", name, str(folder / "run"), "--data", str(folder / "data"), "--stream",
               *ASKED.get(name, [])]
    estimated = _last([*command, "--estimate"], "estimate")
    result = _last(command, "result")
    if result is None:
        return f"{name:<16} no answer"
    seconds = (estimated or {}).get("seconds")
    told = "not told" if seconds is None else f"{seconds[0]:.0f}-{seconds[1]:.0f} s"
    return (f"{name:<16}{told:>14}{result['seconds']:>8.1f}{result['peak_bytes'] / 2**20:>8.0f}  "
            f"{result['outcome']}: {'; '.join(result['missing']) or result['says'][:80]}")


def _last(command: list[str], key: str) -> dict[str, Any] | None:
    """The last message with this key."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        assert child.stdout is not None
        found = [message[key] for line in child.stdout if key in (message := json.loads(line))]
    return found[-1] if found else None


if __name__ == "__main__":
    main()
