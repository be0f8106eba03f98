"""What the window knows of probes, as values of its state."""

from dataclasses import dataclass

from app.probe_lines import Cost
from app.probe_question import Question
from diagnostics.probes.answer import Curve, Shot


@dataclass(frozen=True, eq=False)
class Asked:
    """A probe's page that somebody opened; opening it again is another value, so that its panel comes to the front again."""

    probe: str
    finding: str = ""  # code of the finding whose fix is to be tried
    fix: int = 1  # which of its fixes, counted from 1


@dataclass(frozen=True, eq=False)
class Costed:
    """What a question would cost; None while that is being found out, and where there was `trouble` with it."""

    question: Question
    cost: Cost | None = None
    trouble: str = ""  # a sentence without its full stop


@dataclass(frozen=True, eq=False)
class Working:
    """A probe that runs, and what it has told so far."""

    question: Question
    fraction: float = -1.0  # 0..1, or -1 where it is not known
    text: str = ""
    paused: bool = False
    curves: tuple[Curve, ...] = ()
    shots: tuple[Shot, ...] = ()  # the newest of each title
