"""Nothing that a file holds may crash the product, hang it or fill the memory: old finds, and a short search for new ones."""

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.fuzz.folders import FOUND
from tests.fuzz.limits import MOST_TRACED_BYTES
from tests.fuzz.mutations import mutated
from tests.fuzz.registry import all_targets
from tests.fuzz.target import Target
from tests.fuzz.verdict import fault_of

TARGETS = all_targets()
FINDS = [(folder.name, find.name) for folder in sorted(FOUND.glob("*")) for find in sorted(folder.iterdir())]
EXAMPLES = 120  # of each target: all together about 20 s


def traced(target: Target, data: bytes, folder: Path) -> object:
    """The fault of one read, or that it took too much memory."""
    tracemalloc.start()
    try:
        fault = fault_of(target, data, folder)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return fault or (peak_bytes if peak_bytes > MOST_TRACED_BYTES else None)


@pytest.mark.parametrize("name", TARGETS)
def test_valid_files_are_read(name: str, tmp_path: Path) -> None:
    """A seed that is refused would let every mutation of it end at the first check."""
    target = TARGETS[name]
    seeds = target.seeds()
    assert seeds
    for seed in seeds:
        path = tmp_path / target.file_name
        path.unlink(missing_ok=True)
        path.write_bytes(seed)
        target.read(path)


@pytest.mark.parametrize(("name", "find"), FINDS)
def test_what_fuzzing_found_is_mended(name: str, find: str, tmp_path: Path) -> None:
    """Each of these bytes once crashed a parser, or took it too long."""
    assert traced(TARGETS[name], (FOUND / name / find).read_bytes(), tmp_path) is None


@pytest.mark.parametrize("name", TARGETS)
def test_mutations_are_read_or_refused(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A parser that was changed is searched anew at each run of the suite."""
    target = TARGETS[name]
    folder = tmp_path_factory.mktemp(name)
    seeds = target.seeds()
    for seed in seeds:
        fault_of(target, seed, folder)  # compiled and imported here, so that only reading is measured below

    @settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
    @given(mutated(seeds))
    def search(data: bytes) -> None:
        assert traced(target, data, folder) is None

    search()
