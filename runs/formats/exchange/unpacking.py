"""Unpacking gzip and zstd under the size that a header claims; a claim far beyond what splats shrink to is refused."""

import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import zstandard

from runs.advice import DAMAGED, EXPORT_SPLATS, UNFINISHED, UNTRUSTED
from runs.arrays import U8
from runs.errors import RefusedFile, UnreadableFile
from runs.formats.small_files import MIB
from runs.storage import present

# Positions and rotations of real splats shrink to a half at best; even with all view-dependent colour zero that leaves 1:10.
LARGEST_RATIO = 100
FREE_BYTES = MIB  # what a file of any size may claim
IN_BYTES = 1 << 12  # deflate unpacks to at most 1032 times as much, so a piece is below 5 MB
GZIP = zlib.MAX_WBITS + 16


def check_claim(claimed_bytes: int, held_bytes: int, path: Path) -> None:
    """Raises RefusedFile when a file of `held_bytes` claims to unpack to far more than splats can."""
    if claimed_bytes > LARGEST_RATIO * held_bytes + FREE_BYTES:
        says = f"this file of {held_bytes:,} bytes claims to unpack to {claimed_bytes:,}, which no splats do"
        raise RefusedFile(f"{says}; {UNTRUSTED}", path)


def inflated(packed: U8, path: Path) -> Iterator[bytes]:
    """The content of a gzip file in pieces; members follow each other as if they were one. Raises UnreadableFile."""
    engine, at, pending = zlib.decompressobj(GZIP), 0, b""
    try:
        while pending or at < len(packed):
            if not pending:
                pending, at = bytes(present(packed[at:at + IN_BYTES])), at + IN_BYTES
            piece = engine.decompress(pending)
            pending = engine.unused_data
            if engine.eof:
                engine = zlib.decompressobj(GZIP)
            yield piece
    except zlib.error as error:
        raise UnreadableFile(f"this compressed file is damaged ({error}); {DAMAGED}", path) from error


def gunzip(packed: U8, start: int, stop: int, path: Path) -> U8:
    """uint8 [stop - start]: these bytes of the content; nothing behind them is unpacked. Raises UnreadableFile."""
    out, at = np.empty(stop - start, np.uint8), 0
    for piece in inflated(packed, path):
        first, last = max(start - at, 0), min(stop - at, len(piece))
        if first < last:
            out[at + first - start:at + last - start] = np.frombuffer(piece, np.uint8)[first:last]
        at += len(piece)
        if at >= stop:
            return out
    raise UnreadableFile(f"this compressed file holds {at:,} of {stop:,} bytes; {UNFINISHED}", path)


def content_bytes(packed: U8, most: int, path: Path) -> int:
    """Bytes of the content of a gzip file, counted no further than `most`. Raises UnreadableFile."""
    held = 0
    for piece in inflated(packed, path):
        held += len(piece)
        if held >= most:
            return most
    return held


def unzstd(packed: U8, size_bytes: int, path: Path) -> U8:
    """uint8 [size_bytes], the content of one zstd frame that must have that size. Raises UnreadableFile."""
    if not size_bytes:
        return np.empty(0, np.uint8)  # no frame is written for nothing; and as a limit, 0 means none to the library
    try:
        told = zstandard.get_frame_parameters(packed.data).content_size  # what is allocated, if the frame says it
        if told not in (size_bytes, zstandard.CONTENTSIZE_UNKNOWN):
            raise UnreadableFile(f"a stream of this file does not hold the {size_bytes:,} bytes it should; {EXPORT_SPLATS}", path)
        content = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompress(packed.data, max_output_size=size_bytes)
    except zstandard.ZstdError as error:
        raise UnreadableFile(f"a stream of this file is damaged ({error}); {DAMAGED}", path) from error
    if len(content) != size_bytes:
        raise UnreadableFile(f"a stream of this file holds {len(content):,} of {size_bytes:,} bytes; {EXPORT_SPLATS}", path)
    return np.frombuffer(content, np.uint8)
