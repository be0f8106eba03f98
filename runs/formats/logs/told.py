"""What the lines of a training log tell, taken one after another."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from runs.canonical import RAW
from runs.events import ERRORS, EventKind, LogEvent
from runs.formats.logs.columns import Columns
from runs.formats.logs.phrases import NUMBER, POSTFIX, Spoken, spoken
from runs.formats.logs.troubles import deepest_frame, trouble_of

LONGEST_TEXT = 2_000
MOST_EVENTS = 2_000  # and as many errors
LONGEST_TRACEBACK = 200  # lines

ITER_LINE = re.compile(r"\[ITER (\d{1,15})\] (?:(Evaluating) (train|test):|Saving (Gaussians|Checkpoint))(.*)")
SCORE = re.compile(rf"\b(L1|PSNR|SSIM|LPIPS):? {NUMBER}", re.IGNORECASE)
PROGRESS = re.compile(r"\b(\d{1,15})/(\d{1,15}) \[([^\]]{1,300}(?:it/s|s/it)[^\]]{0,300})\]")
RATE = re.compile(r"(\d+\.?\d*)(it/s|s/it)")
SHOWN = re.compile(rf"(?:^|[ ,])({'|'.join(sorted(POSTFIX, key=len, reverse=True))})={NUMBER}", re.IGNORECASE)
LOSS = re.compile(r"(?:^|[ ,])(?:depth )?loss=", re.IGNORECASE)
GSPLAT_LOSS = re.compile(rf"\bloss={NUMBER}\| ?sh degree=\d")  # in front of the bar, of the iteration that it counts
INITIAL_COUNT = re.compile(r"Number of points at initiali[sz]ation ?: *(\d{1,15})")
BATCH = re.compile(r"iteration\[(\d{1,15}),(\d{1,15})\) loss: \[(.{1,7000}?)\] image: \[(.{1,7000}?)\]$")  # Grendel
BATCH_LOSS = re.compile(rf"(?:float32\()?{NUMBER}\)?(?:, |$)")
OF_PLANNED = re.compile(r"(\d[\d,]{0,14})/(\d[\d,]{0,14}) \| Loss:")  # LichtFeld-Studio
SHARE = re.compile(r"python_ws=(\d{1,4})_rk=(\d{1,4})")  # Grendel's logs: one per process
PLANNED = "planned_iterations"  # a series only where the log tells two of them
TRACEBACK = "Traceback (most recent call last):"
NAME_OF: Mapping[str, str] = {"L1": "l1", "PSNR": "psnr", "SSIM": "ssim", "LPIPS": "lpips"}


@dataclass
class Told:
    """What the lines so far have told."""

    source: str
    columns: Columns = field(init=False)
    events: list[LogEvent] = field(default_factory=list)
    iteration: int | None = None
    _errors: int = 0
    _trace: list[str] = field(default_factory=list)
    _trace_line: int = 0
    _saw_nan: bool = False
    _bar: tuple[int, int] = (0, 0)  # where the progress bar stood, and its end
    _dated: bool = False  # whether gsplat has just said the step of what it prints next

    def __post_init__(self) -> None:
        self.columns = Columns(self.source)

    def ahead(self) -> "Told":
        """The same state without what was told, to look ahead of what is certain."""
        return replace(self, events=[], _errors=0, _trace=list(self._trace))

    @property
    def notes(self) -> tuple[str, ...]:
        full = len(self.events) - self._errors >= MOST_EVENTS
        return (f"only the first {MOST_EVENTS:,} events of this log are kept; split it to see the others",) if full else ()

    def add(self, number: int, text: str) -> None:
        if self._trace and self._takes_traceback(text):
            return
        if TRACEBACK in text:
            self._progress(number, text)  # the bar may stand on the same line
            self._trace, self._trace_line = [TRACEBACK], number
        elif not (self._phrase(number, text) or self._progress(number, text)):
            self._trouble(number, text, text)

    def add_unfinished(self, number: int, text: str) -> None:
        """A text whose end is not there yet."""
        if self._trace:
            self._takes_traceback(text)
        elif not self._progress(number, text):
            self._trouble(number, text, text)

    def finish_traceback(self) -> None:
        if self._trace:
            trace, self._trace = self._trace, []
            whole, exception = "\n".join(trace), trace[-1]
            if not self._trouble(self._trace_line, exception, whole, deepest_frame(trace)):
                self._event("traceback", self._trace_line, whole, frame=deepest_frame(trace))

    def _takes_traceback(self, text: str) -> bool:
        """Whether the line belongs to the open traceback; its first line without indent is the exception and closes it."""
        if PROGRESS.search(text):
            return False
        self._trace.append(text)
        if (text and not text.startswith(" ")) or len(self._trace) > LONGEST_TRACEBACK:
            self.finish_traceback()
        return True

    def _trouble(self, number: int, line: str, whole: str, frame: str = "") -> bool:
        """An event if `line` reports one of the troubles; its text is `whole`."""
        trouble = trouble_of(line)
        if trouble is None:
            return False
        self._event(trouble.kind, number, whole, trouble.fields(line), frame)
        return True

    def _phrase(self, number: int, text: str) -> bool:
        """Whether the line is one that a trainer prints on its own."""
        if match := ITER_LINE.search(text):
            self._iter_line(number, text, match)
        elif match := INITIAL_COUNT.search(text):
            self.columns.add("num_gaussians", 0, float(match[1]))
        elif match := BATCH.search(text):
            self._batch(match)
        elif said := spoken(text):
            self._spoken(number, text, said)
        else:
            return False
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

    def _batch(self, match: re.Match[str]) -> None:
        """Grendel counts the images that it has seen: each of a batch is the view of one iteration."""
        first, end = int(match[1]), int(match[2])
        losses = [float(value) for value in BATCH_LOSS.findall(match[3])]
        images = re.findall(r"'([^']{1,400})'", match[4])
        if len(losses) == len(images) == end - first:
            for iteration, loss, image in zip(range(first, end), losses, images, strict=True):
                self.columns.add("loss/total", iteration, loss)
                self.columns.add_word("train/view", iteration, image)
        self.iteration = first

    def _spoken(self, number: int, text: str, said: Spoken) -> None:
        if said.iteration is not None:
            self.iteration = said.iteration
        share = SHARE.search(self.source)
        for name, iteration, value in said.series:
            partial = name == "num_gaussians" and share is not None and int(share[1]) > 1
            self.columns.add(f"{RAW}num_gaussians_of_rank_{share[2]}" if share and partial else name, iteration, value)
        if said.event is not None:
            self._event(said.event, number, text, said.fields)
        if "| Loss:" in text and (match := OF_PLANNED.search(text)):
            self._stage(int(match[1].replace(",", "")), int(match[2].replace(",", "")))
        if said.event == "evaluation" and said.iteration is None and self._dated and self.iteration is not None:
            for name, value in said.fields.items():
                self.columns.add(name, self.iteration, value)
        self._dated = said.event == "checkpoint" and text.startswith("Step:")

    def _progress(self, number: int, text: str) -> bool:
        """Whether the line is the training's progress bar; other bars (reading, rendering) are left alone."""
        match = PROGRESS.search(text)
        loss = GSPLAT_LOSS.search(text) if match is not None else None
        if match is None or not (loss or "Training progress" in text or LOSS.search(match[3])):
            return False
        self._stage(int(match[1]), int(match[2]))
        self.iteration = int(match[1])
        self._dated = False
        if (rate := RATE.search(match[3])) and float(rate[1]):
            self.columns.add("iter_rate", self.iteration, float(rate[1]) if rate[2] == "it/s" else 1 / float(rate[1]))
        shown = [("loss/total_shown", loss[1])] if loss else [(POSTFIX[name.lower()], v) for name, v in SHOWN.findall(match[3])]
        for name, value in shown:
            self.columns.add(name, self.iteration, float(value))
            self._note_nan(number, text, name, float(value))
        return True

    def _stage(self, at: int, end: int) -> None:
        """A bar of another length that begins again belongs to another stage, whose values are no longer of this count.

        One that goes on counting tells that the plan was changed, as a resume with other settings does.
        """
        before, planned = self._bar
        if planned not in (0, end) and at < before:
            self.columns.drop(("iter_rate", "loss/total_shown", *POSTFIX.values()))
        elif planned not in (0, end):
            self.columns.add(PLANNED, before, planned)
            self.columns.add(PLANNED, at, end)
        self._bar = at, end

    def _note_nan(self, number: int, text: str, name: str, value: float) -> None:
        if math.isnan(value) and name.startswith("loss/") and not self._saw_nan:
            self._saw_nan = True
            self._event("nan", number, text)

    def _event(
        self, kind: EventKind, number: int, text: str, fields: Mapping[str, float] | None = None, frame: str = "",
    ) -> None:
        """Errors have a share of their own, so that a talkative log does not hide its end."""
        error = kind in ERRORS
        if (self._errors if error else len(self.events) - self._errors) < MOST_EVENTS:
            self._errors += error
            where = f"{self.source}:{number}"
            self.events.append(LogEvent(kind, self.iteration, text.strip()[-LONGEST_TEXT:], where, fields or {}, frame))
