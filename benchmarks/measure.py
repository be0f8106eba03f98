"""How the benchmarks measure: the best of several rounds in turns, and the memory that one act takes in a process of its own."""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

Act = Callable[[Path], object]


@dataclass(frozen=True)
class Taken:
    """Milliseconds of the fastest round of one act: by the clock, and of all its threads on the processor."""

    clock: float
    processor: float  # what a busy neighbour hardly changes


def best_ms(acts: Mapping[str, Act], path: Path, rounds: int) -> dict[str, Taken]:
    """The times of each act, taken in turns, because the machine may be shared."""
    times: dict[str, list[Taken]] = {name: [] for name in acts}
    for _ in range(rounds):
        for name, act in acts.items():
            clock, processor = time.perf_counter(), time.process_time()
            kept = act(path)
            times[name].append(Taken((time.perf_counter() - clock) * 1000, (time.process_time() - processor) * 1000))
            del kept
    return {name: Taken(min(t.clock for t in taken), min(t.processor for t in taken)) for name, taken in times.items()}


def peak_bytes(module: str, act: str, path: Path) -> int:
    """What the resident memory of `python -m MODULE --act ACT PATH` grows by at its highest, mapped pages included."""
    command = [sys.executable, "-m", module, "--act", act, str(path)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])


def print_growth(act: Act, small: Path, path: Path) -> None:
    """In the child: warm up on a small file, forget the highest mark so far, act, and print the growth (Linux)."""
    act(small)
    Path("/proc/self/clear_refs").write_text("5", "ascii")  # resets VmHWM to the present size
    before = _status("VmRSS")
    kept = act(path)
    print(_status("VmHWM") - before)
    del kept


def _status(name: str) -> int:
    """Bytes, from /proc/self/status."""
    line = next(line for line in Path("/proc/self/status").read_text("ascii").splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024


def table(times: Mapping[str, Taken], against: str) -> str:
    """One line for each act: its times, and their ratios to those of `against`."""
    base = times[against]
    return "\n".join(
        f"  {name:24s} {taken.clock:9.1f} ms {taken.clock / base.clock:7.2f}x   on the processor {taken.processor:9.1f} ms "
        f"{taken.processor / base.processor:7.2f}x" for name, taken in times.items()
    )
