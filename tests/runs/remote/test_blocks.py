"""A stand-in must never give a byte that was not fetched: zeros would be read as Gaussians at the origin."""

import os
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.remote.blocks import BLOCK_BYTES, StandIn, Version

SIZE = 5 * BLOCK_BYTES + 100


def standin(folder: Path) -> StandIn:
    return StandIn(folder / "files" / "a.ply", folder / "records" / "a.ply.json")


def filled(one: StandIn, true: bytes, start: int, stop: int) -> int:
    """Fetch what is missing; returns how many bytes that took."""
    taken = 0
    for first, last in list(one.missing(start, stop)):
        one.fill(first, true[first:last])
        taken += last - first
    return taken


@given(st.lists(st.tuples(st.integers(0, SIZE), st.integers(0, SIZE + 9)), max_size=8), st.integers(0, 2**32 - 1))
def test_every_asked_byte_is_true_and_none_is_fetched_twice(
    tmp_path_factory: pytest.TempPathFactory, asked: list[tuple[int, int]], seed: int,
) -> None:
    """Whatever ranges are asked for in whatever order."""
    true = np.random.default_rng(seed).bytes(SIZE)
    one = standin(tmp_path_factory.mktemp("mirror"))
    one.make(Version(SIZE, "7"))
    taken = 0
    for start, stop in asked:
        taken += filled(one, true, start, stop)
        with one.path.open("rb") as file:
            assert file.read()[start:stop] == true[start:stop]
    blocks = {block for start, stop in asked if start < stop
              for block in range(start // BLOCK_BYTES, -(-min(stop, SIZE) // BLOCK_BYTES))}
    assert taken == sum(min(BLOCK_BYTES, SIZE - block * BLOCK_BYTES) for block in blocks)


def test_what_was_fetched_is_remembered_and_keeps_its_time(tmp_path: Path) -> None:
    """A second opening reads the cache, and readers tell by size and time that the file is the same."""
    one = standin(tmp_path)
    one.make(Version(SIZE, "etag", 1700000000.0))
    before = one.path.stat()
    filled(one, bytes(SIZE), 0, SIZE)
    one.make(Version(SIZE, "etag", 1700000000.0))
    assert not list(standin(tmp_path).missing(0, SIZE))
    after = one.path.stat()
    assert (before.st_size, before.st_mtime_ns, after.st_ino) == (SIZE, after.st_mtime_ns, before.st_ino)
    assert int(after.st_mtime) == 1700000000


def test_each_version_has_a_time_of_its_own(tmp_path: Path) -> None:
    """Readers tell by size and time alone that a file is another one; a web server's clock has seconds."""
    times = []
    for mark in ("a", "b", ""):
        standin(tmp_path).make(Version(SIZE, mark, 1700000000.0 if mark else None))
        times.append(standin(tmp_path).path.stat().st_mtime)
    assert len(set(times)) == 3
    assert times[2] < 1.1e9, "an unknown time lies long ago: nothing is told as written just now"


@pytest.mark.parametrize("changed", [Version(SIZE, "8"), Version(SIZE - 1, "7"), Version(SIZE, '"etag"')])
def test_another_version_is_fetched_anew_and_a_map_of_the_old_stays(changed: Version, tmp_path: Path) -> None:
    """A trainer overwrote the file: old bytes may not be mixed with new ones, nor pulled from under a reader."""
    one = standin(tmp_path)
    one.make(Version(SIZE, "7"))
    filled(one, b"\1" * SIZE, 0, SIZE)
    held = np.memmap(one.path, np.uint8, "r")
    one.make(changed)
    assert sum(last - first for first, last in one.missing(0, SIZE)) == changed.size_bytes
    assert (held == 1).all()


@pytest.mark.parametrize("record", ["", "{", '{"size": 9}', "[]", '{"size": "x", "mark": 3, "modified": 1, "blocks": "zz"}'])
def test_a_damaged_record_means_that_nothing_was_fetched(record: str, tmp_path: Path) -> None:
    """The program may be killed at any moment."""
    one = standin(tmp_path)
    one.make(Version(SIZE, "7"))
    filled(one, b"\1" * SIZE, 0, SIZE)
    one.record.write_text(record)
    assert one.version is None
    one.make(Version(SIZE, "7"))
    assert sum(last - first for first, last in one.missing(0, SIZE)) == SIZE


def test_a_file_put_in_the_place_of_a_stand_in_is_not_taken_for_it(tmp_path: Path) -> None:
    """The record belongs to one file; a copy under its name has other bytes."""
    one = standin(tmp_path)
    one.make(Version(SIZE, "7"))
    filled(one, b"\1" * SIZE, 0, SIZE)
    other = one.path.with_name("other")
    other.write_bytes(bytes(SIZE))
    os.replace(other, one.path)
    assert one.version is None


def test_threads_fill_one_file(tmp_path: Path) -> None:
    """The window reads in several lanes."""
    from runs.remote.locks import locked

    true = np.random.default_rng(0).bytes(SIZE)
    one = standin(tmp_path)
    one.make(Version(SIZE, "7"))

    def fill(first: int) -> None:
        with locked(one.record):
            filled(one, true, first * BLOCK_BYTES, SIZE)

    threads = [threading.Thread(target=fill, args=(i,)) for i in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert one.path.read_bytes() == true
    assert not list(one.missing(0, SIZE))
