"""What a run logged: metrics files, event files, results and text logs of one folder, read once on first use."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from runs.advice import cannot_open
from runs.canonical import merge
from runs.errors import RunError
from runs.events import ERRORS, LogEvent
from runs.formats.logs.columns import MetricsFile
from runs.formats.logs.metrics import JsonLines
from runs.formats.logs.metrics_csv import CsvRows
from runs.formats.logs.results import read_results
from runs.formats.logs.tails import Parser, Tail, tail_of
from runs.formats.logs.textlog import LogFile, LogReader, looks_like_log
from runs.formats.logs.wandb_log import WandbFile, WandbRun, read_summary
from runs.formats.tensorboard import Events, Scalars, combine
from runs.notes import NoteBook
from runs.series import Series
from runs.tags import FAMILY_TAGS, TagRow, restarts, series_from_tags

TEXT_ENDINGS = frozenset({".log", ".txt", ".out", ".err", ""})
NOT_LOGS = frozenset({"cfg_args"})
WANDB_FILES = "wandb/*run-*-*/run-*.wandb"  # `wandb/latest-run` is a link to one of them
WANDB_SUMMARIES = "wandb/*run-*-*/files/wandb-summary.json"
WANDB_OUTPUTS = "wandb/*run-*-*/files/output.log"
LONGEST_QUOTE = 160  # characters of an error
LATER_WINS = "the later values are shown, move their event file away to see the earlier"

Read = TypeVar("Read")


@dataclass(frozen=True, eq=False)
class Logged:
    """The logs of one folder. Trouble with a file becomes a note, and the others are read.

    Files that only grow are read on from where the last look at them ended, whoever looked, while someone still holds it.
    """

    folder: Path
    book: NoteBook
    event_files: str = "events.out.tfevents.*"  # below the folder
    tags: Sequence[TagRow] = FAMILY_TAGS
    first_step: int = 1  # the number that TensorBoard gets for the first iteration
    _tails: list[Tail[Any]] = field(default_factory=list, repr=False)  # kept, so that a next look goes on from here

    @cached_property
    def series(self) -> Mapping[str, Series]:
        """By canonical name; where files overlap, the one with the finer record comes first."""
        return merge(*self._tables, self._tensorboard, self._wandb, *self._results, *(log.series for log in self._texts))

    @cached_property
    def events(self) -> tuple[LogEvent, ...]:
        """Events of the text logs, file after file."""
        return tuple(event for log in self._texts for event in log.events)

    @property
    def _tables(self) -> list[Mapping[str, Series]]:
        rows: list[tuple[Callable[[str], Parser[MetricsFile]], str]] = [(JsonLines, "*.jsonl"), (CsvRows, "*.csv")]
        found = []
        for make, pattern in rows:
            for path in self._files(pattern):
                table = self._read_on(path, make)
                if table is not None:
                    self._note(path, table.notes)
                    found.append(table.series)
        return found

    @property
    def _tensorboard(self) -> Mapping[str, Series]:
        paths = self._files(self.event_files)
        files = []
        for path in paths:
            file = self._read_on(path, Events.of)
            if file is not None:
                self._note(path, file.notes)
                files.append(file.scalars)
        return self._counted(files, paths)

    @cached_property
    def _wandb_files(self) -> Mapping[Path, WandbFile]:
        found = {path: self._read_on(path, WandbRun) for path in self._files(WANDB_FILES)}
        return {path: file for path, file in found.items() if file is not None}

    @property
    def _wandb(self) -> Mapping[str, Series]:
        """Rows of history; of a run whose run file is gone, the last values."""
        for path, file in self._wandb_files.items():
            self._note(path, file.notes)
        if self._wandb_files:
            return self._counted([file.scalars for file in self._wandb_files.values()], list(self._wandb_files))
        summaries = {path: self._try(read_summary, path) for path in self._files(WANDB_SUMMARIES)}
        return self._counted([last for last in summaries.values() if last is not None], list(summaries))

    @property
    def config(self) -> Mapping[str, Any]:
        """The settings that the trainer handed to W&B, the last run's first; empty where it used none."""
        return {key: value for file in self._wandb_files.values() for key, value in file.config.items() if key != "_wandb"}

    def _counted(self, files: Sequence[Mapping[str, Scalars]], paths: Sequence[Path]) -> Mapping[str, Series]:
        """By iterations done, whatever number the trainer gives its first."""
        scalars = {tag: replace(one, steps=one.steps + 1 - self.first_step) for tag, one in combine(files).items()}
        for iteration in restarts(scalars):
            self.book.add(str(self.folder), f"logging began again at iteration {iteration:,}; {LATER_WINS}")
        return self._series_of(scalars, ", ".join(path.relative_to(self.folder).as_posix() for path in paths))

    def _series_of(self, scalars: Mapping[str, Scalars], source: str) -> Mapping[str, Series]:
        """What the tags mean; a trainer of several stages brings them to one axis here."""
        return series_from_tags(scalars, source, self.tags)

    @property
    def _results(self) -> list[Mapping[str, Series]]:
        read = [self._try(read_results, path) for path in self._files("results.json")]
        return [series for series in read if series is not None]

    @cached_property
    def _texts(self) -> tuple[LogFile, ...]:
        found = []
        for path in (*self._files("*"), *self._files(WANDB_OUTPUTS)):
            if path.suffix.lower() in TEXT_ENDINGS and path.name not in NOT_LOGS and self._try(looks_like_log, path):
                log = self._read_on(path, LogReader)
                if log is not None:
                    self._note(path, (*log.notes, *_end_of(log)))
                    found.append(log)
        return tuple(found)

    def _files(self, pattern: str) -> list[Path]:
        try:
            return sorted(path for path in self.folder.glob(pattern) if path.is_file())
        except OSError:
            return []

    def _read_on(self, path: Path, make: Callable[[str], Parser[Read]]) -> Read | None:
        tail = tail_of(path, make)
        self._tails.append(tail)
        return self._try(lambda _: tail.read(), path)

    def _try(self, read: Callable[[Path], Read], path: Path) -> Read | None:
        try:
            return read(path)
        except RunError as error:
            self.book.add_error(error)
        except OSError as error:
            self.book.add(str(path), cannot_open(error))
        return None

    def _note(self, path: Path, notes: tuple[str, ...]) -> None:
        for says in notes:
            self.book.add(str(path), says)


def _end_of(log: LogFile) -> tuple[str, ...]:
    """A sentence where the last event is an error: a training that went on would have evaluated or saved after it."""
    if not log.events or log.events[-1].kind not in ERRORS:
        return ()
    last = log.events[-1]
    at = "" if last.iteration is None else f", iteration {last.iteration:,}"
    text = last.text.splitlines()[-1].strip()
    shown = text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"
    return (f"the last event of this log is an error (line {last.source.rpartition(':')[2]}{at}): \"{shown}\"; "
            "read the lines before it for where it came from",)
