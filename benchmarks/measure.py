"""How the benchmarks measure: the best of several rounds in turns, and the memory that one act takes in a process of its own."""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

Act = Callable[[Path], object]


def best_ms(acts: Mapping[str, Act], path: Path, rounds: int) -> dict[str, float]:
    """Milliseconds of the fastest round of each act; in turns, because the machine may be shared."""
    times: dict[str, list[float]] = {name: [] for name in acts}
    for _ in range(rounds):
        for name, act in acts.items():
            start = time.perf_counter()
            act(path)
            times[name].append((time.perf_counter() - start) * 1000)
    return {name: min(taken) for name, taken in times.items()}


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


def table(times: Mapping[str, float], against: str) -> str:
    """One line for each act: its time, and its ratio to that of `against`."""
    return "\n".join(f"  {name:34s} {ms:9.1f} ms   {ms / times[against]:7.2f}x" for name, ms in times.items())
