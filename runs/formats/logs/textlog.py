"""Training logs as text (captured stdout and stderr): evaluations, saves, progress, and how the process died."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from runs.canonical import appended
from runs.errors import RunError
from runs.events import LogEvent
from runs.formats.logs.log_lines import LogLines
from runs.formats.logs.tails import Tail
from runs.formats.logs.told import TRACEBACK, Told
from runs.formats.logs.troubles import trouble_of
from runs.formats.small_files import MIB
from runs.series import Series
from runs.storage import open_file

OUTPUT_ENDINGS = frozenset({".log", ".out", ".err"})
SIGNS_OF_A_LOG = re.compile(
    rf"Training progress|\[ITER \d|{re.escape(TRACEBACK)}|Number of points at initiali|\| ?sh degree=\d|GSs (?:pruned|duplicated)"
    r"|Step \(% Done\)|\| Loss: [\d.]+ \| Splats: |\bRefine iter \d+, \d+ splats|(?m:^Step \d+: [\d.]+(?: \(\d+%\))?$)"
    r"|iteration\[\d+,\d+\) |MonoGS: |Step \d+ -- Running validation|Mapping Time Step"
)


@dataclass(frozen=True, eq=False)
class LogFile:
    """What one text log tells."""

    events: tuple[LogEvent, ...]  # in the order of the file
    series: Mapping[str, Series]
    notes: tuple[str, ...]


def looks_like_log(path: Path) -> bool:
    """Whether a text file is a training log, by 64 KiB at either end.

    A crash text alone is enough only where the ending says that it is output: notes in a .txt may quote one.
    """
    try:
        with open_file(path) as file:
            head = file.read(65_536)
            file.seek(max(0, file.seek(0, 2) - 65_536))
            ends = head + file.read()
    except (OSError, RunError):
        return False
    text = ends.decode("utf-8", "replace")
    return b"\0" not in ends and bool(SIGNS_OF_A_LOG.search(text) or (path.suffix.lower() in OUTPUT_ENDINGS and _crashed(text)))


def _crashed(text: str) -> bool:
    found = (trouble_of(line) for line in text.splitlines())
    return any(trouble is not None and trouble.kind != "nan" for trouble in found)


def read_log(path: Path) -> LogFile:
    """Events and series of a log. Of a log over 64 MiB the first and the last 32 MiB are read, and a note says so.

    `loss/total_ema` is the smoothed loss of the progress bar, at the iteration that the bar shows (up to ten behind).
    An event without an iteration of its own carries the last one named before it. A number at the very end that has no
    line end yet may be half written, so that only a whole progress bar and an error are taken from there.
    Raises UnreadableFile.
    """
    return Tail(path, LogReader).read()


class LogReader:
    """Takes the lines in order; remembers the last iteration and an open traceback."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._lines = LogLines()
        self._told = Told(source)

    @property
    def offset(self) -> int:
        return self._lines.offset

    def advance(self, file: IO[bytes], size: int) -> None:
        for number, text in self._lines.advance(file, size):
            self._told.add(number, text)

    def result(self) -> LogFile:
        ahead = self._told.ahead()
        if (last := self._lines.last()) is not None:
            ahead.add_unfinished(*last)
        ahead.finish_traceback()
        series = self._told.columns.series()
        for name, more in ahead.columns.series().items():
            series[name] = appended(series[name], more) if name in series else more
        return LogFile((*self._told.events, *ahead.events), series, (*self._skipped(), *self._told.notes))

    def _skipped(self) -> tuple[str, ...]:
        middle = self._lines.skipped_bytes
        return (f"{middle / MIB:,.0f} MiB in the middle of this log were not read; split it to see them",) if middle > 0 else ()
