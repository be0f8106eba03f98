"""Which photos a data set holds out, where it says so in lists of names beside its cameras."""

from collections.abc import Callable, Iterable
from pathlib import Path

from runs.cameras import Split
from runs.errors import RunError
from runs.formats.small_files import MIB, read_small
from runs.names import NameIndex

# Lists of test photos: INRIA's beside its model, nerfbaselines' and those of its relatives in the data folder.
TEST_LISTS = ("test.txt", "test_list.txt")
TRAIN_LISTS = ("train_list.txt", "train.txt")
LARGEST_LIST_BYTES = 16 * MIB

SplitOf = Callable[[str], Split | None]


def no_split(_name: str) -> Split | None:
    """Where no list says anything."""
    return None


def declared_split(folders: Iterable[Path], names: Iterable[str]) -> SplitOf:
    """The split of each of `names` as the first list found in `folders` declares it.

    A list of test photos makes all others training photos, and the other way round; with both, a photo in neither has
    no split. A list that names none of the photos is of another data set.
    """
    known = NameIndex(names)
    for folder in folders:
        tests, trained = _listed(folder, TEST_LISTS, known), _listed(folder, TRAIN_LISTS, known)
        if tests or trained:
            return _by_lists(tests, trained)
    return no_split


def _by_lists(tests: set[str], trained: set[str]) -> SplitOf:
    def split(name: str) -> Split | None:
        if name in tests:
            return "test"
        if name in trained or not trained:
            return "train"
        return None if tests else "test"

    return split


def _listed(folder: Path, files: tuple[str, ...], known: NameIndex) -> set[str]:
    for file in files:
        try:
            if (folder / file).is_file():
                text = read_small(folder / file, LARGEST_LIST_BYTES).decode("utf-8", "replace")
                return known.find_all(line.strip() for line in text.splitlines() if line.strip())
        except (OSError, RunError):
            continue  # a list that cannot be read declares nothing: other rules are tried
    return set()
