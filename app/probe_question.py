"""Question: one probe with how it is to be asked, and the command line that asks it so."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from diagnostics.probes.bench import Limits, Wish
from runs.run import Run
from runs.storage import address_of

GIB = 1 << 30


@dataclass(frozen=True)
class Question:
    """What is put to a run."""

    probe: str
    wish: Wish = field(default_factory=Wish)
    limits: Limits = field(default_factory=Limits)
    span: tuple[int, int] | None = None  # first and last iteration; None: the whole run

    def wishing(self, **changes: Any) -> "Question":
        """The same question with another wish."""
        return replace(self, wish=replace(self.wish, **changes))


def command_line(question: Question, run: Run) -> list[str]:
    """What follows `splatdoctor` for the same question to the same run."""
    data = ["--data", absolute(run.data)] if run.data is not None and run.data_was_named else []
    return ["probe", question.probe, absolute(run.path), *data, *_options(question)]


def absolute(path: Path) -> str:
    """The path as any process finds it; of a remote one its address, without user and password."""
    shown = address_of(path)
    return str(path.absolute()) if shown == str(path) else shown


def _options(question: Question) -> Iterator[str]:
    """Only what differs from the default."""
    wish, usual, limits = question.wish, Wish(), question.limits
    first, last = question.span or (None, None)
    given = {
        "--from": first, "--to": last, "--iteration": wish.iteration, "--size": wish.longest_px or None,
        "--steps": wish.steps or None, "--seed": wish.seed or None, "--seeds": wish.seeds or None,
        "--engine": wish.engine if wish.engine != usual.engine else None,
        "--seconds": f"{limits.seconds:g}" if limits.seconds != Limits().seconds else None,
        "--memory": f"{limits.memory_bytes / GIB:g}" if limits.memory_bytes != Limits().memory_bytes else None,
        "--finding": wish.finding or None, "--fix": wish.fix if wish.finding else None,
    }
    for name, value in given.items():
        if value is not None:
            yield from (name, str(value))
