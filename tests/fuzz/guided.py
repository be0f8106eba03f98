"""One target under atheris, whose mutations follow the coverage: `python -m tests.fuzz.guided MODULE TARGET SECONDS`.

Runs as a process of its own, because libFuzzer ends it: by the clock, and where an input takes too long or too much memory.
"""

import sys
import tempfile
from pathlib import Path

import atheris

from tests.fuzz.folders import FUZZ, Places
from tests.fuzz.limits import LONGEST_INPUT_BYTES, MOST_RSS_MIB, SECONDS_PER_INPUT, limit_memory

# numba compiles these functions from their bytecode, which must be as written.
KERNELS = "runs.kernels"


def compiled_modules(root: Path) -> list[str]:
    """Modules with functions for numba."""
    found = [path for path in root.rglob("*.py") if "@kernel" in (text := path.read_text("utf-8")) or "@parallel_kernel" in text]
    return [KERNELS, *(".".join(path.relative_to(root.parent).with_suffix("").parts) for path in found)]


def main(module: str, name: str, seconds: int) -> None:
    limit_memory()
    with atheris.instrument_imports(include=["runs", "yaml"], exclude=compiled_modules(FUZZ.parent / "runs")):
        from tests.fuzz.registry import targets_of
        from tests.fuzz.verdict import fault_of
        target = next(target for target in targets_of(module) if target.name == name)
    places = Places.of(name)
    seeds = target.seeds()
    for number, seed in enumerate(seeds):
        (places.seeds / str(number)).write_bytes(seed)
    folder = Path(tempfile.mkdtemp(dir=places.scratch))

    def read(data: bytes) -> None:
        fault = fault_of(target, data, folder)
        if fault is not None:
            places.keep(fault.file_name, data)

    longest = min(max(4096, *(2 * len(seed) for seed in seeds)), LONGEST_INPUT_BYTES)
    atheris.Setup([
        sys.argv[0], f"-max_total_time={seconds}", f"-timeout={SECONDS_PER_INPUT}", f"-rss_limit_mb={MOST_RSS_MIB}",
        f"-max_len={longest}", f"-artifact_prefix={places.crashes}/", "-print_final_stats=1",
        str(places.corpus), str(places.seeds),
    ], read)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
