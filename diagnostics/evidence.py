"""Evidence: the facts of one run and one range, each computed once, on first use, cancellably."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from diagnostics.patience import patiently
from diagnostics.registry import FACTS
from diagnostics.verdict import NotEvaluable
from runs.errors import RunError
from runs.run import Run


class Cancelled(Exception):
    """The user asked to stop."""


def never_cancelled() -> bool:
    return False


@dataclass(frozen=True, eq=False)
class Evidence:
    """Facts by name. `get` answers the value, or NotEvaluable with what the user would have to provide."""

    run: Run
    span: tuple[int, int]  # first and last iteration, both included
    cancelled: Callable[[], bool] = never_cancelled
    _known: dict[str, Any] = field(default_factory=dict, repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def get(self, name: str) -> Any:
        """Raises Cancelled; a file that cannot be read makes the fact missing, with the file's name."""
        with self._lock:
            self.beat()
            if name not in self._known:
                self._known[name] = self._compute(name)
            return self._known[name]

    def gather(self, needs: tuple[str, ...], optional: tuple[str, ...]) -> dict[str, Any] | NotEvaluable:
        """Values for a signature: missing optional facts become None; missing needs are all named together."""
        needed = {name: self.get(name) for name in needs}
        missing = [why for value in needed.values() if isinstance(value, NotEvaluable) for why in value.missing]
        if missing:
            return NotEvaluable(tuple(dict.fromkeys(missing)))
        wanted = {name: self.get(name) for name in optional}
        return needed | {name: None if isinstance(value, NotEvaluable) else value for name, value in wanted.items()}

    def beat(self) -> None:
        """Called between the steps of long work."""
        if self.cancelled():
            raise Cancelled

    def wait_for(self, act: Callable[[], Any]) -> Any:
        """What `act` returns; who may cancel is heard meanwhile. Raises Cancelled."""
        return act() if self.cancelled is never_cancelled else patiently(act, self.beat)

    def _compute(self, name: str) -> Any:
        given = {"run": self.run, "span": self.span, "beat": self.beat}
        if name in given:
            return given[name]
        entry = FACTS[name]
        arguments = self.gather(entry.needs, entry.optional)
        if isinstance(arguments, NotEvaluable):
            return arguments
        try:
            value = self.wait_for(lambda: entry.compute(**arguments))
        except RunError as error:
            self.run.book.add_error(error)
            return NotEvaluable((f"{entry.missing} ({error})",))
        except Cancelled:
            raise
        except Exception as error:  # computed once, so it also fails once: what needs the fact then says why it is missing
            return NotEvaluable((f"{entry.missing} (computing {name} failed: {type(error).__name__}: {error})",))
        return NotEvaluable((entry.missing,)) if value is None else value
