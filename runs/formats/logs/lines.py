"""Cutting bytes into lines as they come."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass
class Lines:
    """Gives every line once its end is there; keeps the start of the one that has none yet."""

    longest: int  # bytes
    number: int = 1  # of the line that comes next
    rest: bytes = b""  # what stands after the last line end, at most `longest` bytes
    _passing: bool = False  # over the rest of a line that is too long

    def take(self, chunk: bytes) -> Iterator[tuple[int, bytes | None]]:
        """Number from 1 and line, without its end; None for one of more than `longest` bytes."""
        *whole, self.rest = (self.rest + chunk).split(b"\n")
        for line in whole:
            if self._passing:
                self._passing = False
            else:
                yield self.number, line if len(line) <= self.longest else None
            self.number += 1
        if self._passing:
            self.rest = b""
        elif len(self.rest) > self.longest:
            self.rest, self._passing = b"", True
            yield self.number, None
