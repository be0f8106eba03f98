"""Training logs as text (captured stdout and stderr): evaluations, saves, progress, and how the process died."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from runs.events import EventKind, LogEvent
from runs.formats.columns import Columns
from runs.formats.log_lines import HEAD_BYTES, TAIL_BYTES, lines
from runs.formats.out_of_memory import SIGNS as OUT_OF_MEMORY
from runs.formats.out_of_memory import out_of_memory_fields
from runs.formats.small_files import MIB, unreadable
from runs.series import Series

LONGEST_TEXT = 2_000
MOST_EVENTS = 2_000
LONGEST_TRACEBACK = 200  # lines

NUMBER = r"([-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf))"
ITER_LINE = re.compile(r"\[ITER (\d{1,15})\] (?:(Evaluating) (train|test):|Saving (Gaussians|Checkpoint))(.*)")
SCORE = re.compile(rf"\b(L1|PSNR|SSIM|LPIPS):? {NUMBER}", re.IGNORECASE)
PROGRESS = re.compile(r"\b(\d{1,15})/\d+ \[([^\]]{1,300}(?:it/s|s/it)[^\]]{0,300})\]")
RATE = re.compile(r"(\d+\.?\d*)(it/s|s/it)")
LOSS = re.compile(rf"\b(Loss|Depth Loss)={NUMBER}", re.IGNORECASE)
INITIAL_COUNT = re.compile(r"Number of points at initiali[sz]ation ?: *(\d{1,15})")
TRACEBACK = "Traceback (most recent call last):"
CUDA = re.compile(
    r"CUDA error: |\[CUDA ERROR\]|an illegal memory access was encountered|device-side assert triggered"
    r"|CUDNN_STATUS_[A-Z]|CUBLAS_STATUS_[A-Z]|NCCL error|nccl(?:System|UnhandledCuda|Internal|Remote)Error"
    r"|Watchdog caught collective operation timeout"
)
KILLED = re.compile(
    r"^Killed$|\bKilled\s+\S*python|Out of memory: Killed process|\bSIGKILL\b|\bexit ?code:? *(?:-9|137)\b|Segmentation fault"
)
NAN = re.compile(r"\b(?:loss|grad\w*|tensor|gradient)\b.{0,40}\bnan\b", re.IGNORECASE)
# In this order: the first that matches names the line.
TROUBLES: tuple[tuple[EventKind, re.Pattern[str]], ...] = (
    ("out_of_memory", OUT_OF_MEMORY), ("cuda_error", CUDA), ("killed", KILLED), ("nan", NAN),
)
NAME_OF: Mapping[str, str] = {"L1": "l1", "PSNR": "psnr", "SSIM": "ssim", "LPIPS": "lpips"}
EMA_OF: Mapping[str, str] = {"loss": "loss/total_ema", "depth loss": "loss/depth_ema"}
OUTPUT_ENDINGS = frozenset({".log", ".out", ".err"})
SIGNS_OF_A_LOG = re.compile(rf"Training progress|\[ITER \d|{re.escape(TRACEBACK)}|Number of points at initiali")


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
        with path.open("rb") as file:
            head = file.read(65_536)
            file.seek(max(0, file.seek(0, 2) - 65_536))
            ends = head + file.read()
    except OSError:
        return False
    text = ends.decode("utf-8", "replace")
    crashed = path.suffix.lower() in OUTPUT_ENDINGS and (OUT_OF_MEMORY.search(text) or CUDA.search(text))
    return b"\0" not in ends and bool(crashed or SIGNS_OF_A_LOG.search(text))


def read_log(path: Path) -> LogFile:
    """Events and series of a log. Of a log over 64 MiB the first and the last 32 MiB are read, and a note says so.

    `loss/total_ema` is the smoothed loss of the progress bar, at the iteration that the bar shows (up to ten behind).
    An event without an iteration of its own carries the last one named before it. Raises UnreadableFile.
    """
    reader = _LogReader(path.name)
    for number, text in lines(path):
        reader.add(number, text)
    reader.finish_traceback()
    return LogFile(tuple(reader.events), reader.columns.series(), (*_skipped(path), *reader.notes))


def _skipped(path: Path) -> tuple[str, ...]:
    try:
        middle = path.stat().st_size - HEAD_BYTES - TAIL_BYTES
    except OSError as error:
        raise unreadable(error, path) from error
    return (f"{middle / MIB:,.0f} MiB in the middle of this log were not read; split it to see them",) if middle > 0 else ()


@dataclass
class _LogReader:
    """Takes the lines in order; remembers the last iteration and an open traceback."""

    source: str
    columns: Columns = field(init=False)
    events: list[LogEvent] = field(default_factory=list)
    iteration: int | None = None
    _trace: list[str] = field(default_factory=list)
    _trace_line: int = 0
    _saw_nan: bool = False

    def __post_init__(self) -> None:
        self.columns = Columns(self.source)

    @property
    def notes(self) -> tuple[str, ...]:
        full = len(self.events) >= MOST_EVENTS
        return (f"only the first {MOST_EVENTS:,} events of this log are kept; split it to see the others",) if full else ()

    def add(self, number: int, text: str) -> None:
        if self._trace and self._takes_traceback(text):
            return
        if TRACEBACK in text:
            self._progress(number, text)  # the bar may stand on the same line
            self._trace, self._trace_line = [TRACEBACK], number
        elif match := ITER_LINE.search(text):
            self._iter_line(number, text, match)
        elif match := INITIAL_COUNT.search(text):
            self.columns.add("num_gaussians", 0, float(match[1]))
        elif not self._progress(number, text):
            self._trouble(number, text, text)

    def _takes_traceback(self, text: str) -> bool:
        """Whether the line belongs to the open traceback; its first line without indent is the exception and closes it."""
        if PROGRESS.search(text):
            return False
        self._trace.append(text)
        if (text and not text.startswith(" ")) or len(self._trace) > LONGEST_TRACEBACK:
            self.finish_traceback()
        return True

    def finish_traceback(self) -> None:
        if self._trace:
            whole, exception, self._trace = "\n".join(self._trace), self._trace[-1], []
            if not self._trouble(self._trace_line, exception, whole):
                self._event("traceback", self._trace_line, whole)

    def _trouble(self, number: int, line: str, whole: str) -> bool:
        """An event if `line` reports one of the troubles; its text is `whole`."""
        kind = next((kind for kind, sign in TROUBLES if sign.search(line)), None)
        if kind is None or "Warning:" in line:
            return False
        self._event(kind, number, whole, out_of_memory_fields(line) if kind == "out_of_memory" else {})
        return True

    def _iter_line(self, number: int, text: str, match: re.Match[str]) -> None:
        self.iteration = int(match[1])
        if match[2]:
            scores = {f"{match[3]}/{NAME_OF[name.upper()]}": float(value) for name, value in SCORE.findall(match[5])}
            for name, value in scores.items():
                self.columns.add(name, self.iteration, value)
            self._event("evaluation", number, text, scores)
        else:
            self._event("save" if match[4] == "Gaussians" else "checkpoint", number, text)

    def _progress(self, number: int, text: str) -> bool:
        """Whether the line is the training's progress bar; other bars (reading, rendering) are left alone."""
        match = PROGRESS.search(text)
        if match is None or not ("Training progress" in text or LOSS.search(match[2])):
            return False
        self.iteration = int(match[1])
        if (rate := RATE.search(match[2])) and float(rate[1]):
            self.columns.add("iter_rate", self.iteration, float(rate[1]) if rate[2] == "it/s" else 1 / float(rate[1]))
        for name, value in LOSS.findall(match[2]):
            self.columns.add(EMA_OF[name.lower()], self.iteration, float(value))
            self._note_nan(number, text, float(value))
        return True

    def _note_nan(self, number: int, text: str, loss: float) -> None:
        if math.isnan(loss) and not self._saw_nan:
            self._saw_nan = True
            self._event("nan", number, text)

    def _event(self, kind: EventKind, number: int, text: str, fields: Mapping[str, float] | None = None) -> None:
        if len(self.events) < MOST_EVENTS:
            where = f"{self.source}:{number}"
            self.events.append(LogEvent(kind, self.iteration, text.strip()[-LONGEST_TEXT:], where, fields or {}))
