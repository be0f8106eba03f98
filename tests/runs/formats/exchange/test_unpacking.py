"""Unpacking must give exact bytes from anywhere in a stream, and never more memory than a header may claim."""

import gzip
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from runs.arrays import U8
from runs.errors import RefusedFile, UnreadableFile
from runs.formats.exchange.unpacking import check_claim, content_bytes, gunzip, unzstd

HERE = Path("a.spz")


def array(content: bytes) -> U8:
    return np.frombuffer(content, np.uint8)


@given(members=st.lists(st.binary(max_size=300), min_size=1, max_size=4), start=st.integers(0, 400), length=st.integers(0, 400))
def test_any_window_of_any_members(members: list[bytes], start: int, length: int) -> None:
    """Python's own gzip is the witness, also for members one after another."""
    packed = array(b"".join(map(gzip.compress, members)))
    content = b"".join(members)
    if start + length <= len(content):
        assert gunzip(packed, start, start + length, HERE).tobytes() == content[start:start + length]
    else:
        with pytest.raises(UnreadableFile, match="holds"):
            gunzip(packed, start, start + length, HERE)
    assert content_bytes(packed, 350, HERE) == min(len(content), 350)


def test_a_bomb_costs_only_what_is_asked_for() -> None:
    """40 KB that unpack to 40 MB: the first hundred bytes must cost one piece, not the whole."""
    packed = array(gzip.compress(bytes(40_000_000)))
    tracemalloc.start()
    try:
        assert not gunzip(packed, 0, 100, HERE).any()
        assert tracemalloc.get_traced_memory()[1] < 12_000_000
    finally:
        tracemalloc.stop()


@given(st.binary(max_size=500), st.booleans())
def test_zstd_frames_with_and_without_their_size(content: bytes, told: bool) -> None:
    packed = array(zstandard.ZstdCompressor(write_content_size=told).compress(content))
    assert unzstd(packed, len(content), HERE).tobytes() == content
    with pytest.raises(UnreadableFile):
        unzstd(packed, len(content) + 1, HERE)


def test_a_frame_that_lies_about_its_size_takes_no_memory() -> None:
    """The size in a frame's header is what the library would allocate."""
    bomb = array(zstandard.compress(bytes(50_000_000)))
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableFile, match="does not hold"):
            unzstd(bomb, 1000, HERE)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_what_a_file_may_claim() -> None:
    """A megabyte is free; beyond it a file may claim a hundred times its size."""
    check_claim(1 << 20, 0, HERE)
    check_claim(100 * 10**9, 10**9, HERE)
    with pytest.raises(RefusedFile, match="claims to unpack to 3,000,000"):
        check_claim(3_000_000, 1000, HERE)
