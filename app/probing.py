"""Probing: one probe at a time in a process of its own, what it tells, and what the next one would cost."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.lanes import Latest, Task
from app.notices import Trouble
from app.probe_child import ADDRESSES, GO, PAUSE
from app.probe_lines import Answered, Cost, Failed, Message, Point, Progress
from app.probe_process import COMMAND, Ended, ProbeProcess
from app.probe_question import Question, command_line
from app.probe_values import Costed, Working
from app.session import PROBE_JOB, Session, State
from diagnostics.probes.answer import Curve, Result, Shot
from diagnostics.probes.json import NotAResult, from_json
from diagnostics.report.wording import capitalised
from runs.remote.mounting import typed
from runs.run import Run
from runs.storage import address_of

SHOW_MS = 100  # between two states of a running probe on the screen
MOST_CURVES, MOST_POINTS, MOST_SHOTS = 64, 200_000, 64  # that the window keeps of one probe


@dataclass(eq=False)
class Heard:
    """What the running probe has told, as it comes."""

    curves: dict[str, tuple[str, list[int], list[float]]] = field(default_factory=dict)
    shots: dict[str, Shot] = field(default_factory=dict)
    progress: Progress = field(default_factory=lambda: Progress(-1.0, "Starting"))
    failure: str = ""
    answer: Mapping[str, Any] | None = None

    def point(self, point: Point) -> None:
        if point.curve in self.curves or len(self.curves) < MOST_CURVES:
            _, steps, values = self.curves.setdefault(point.curve, (point.unit, [], []))
            if len(steps) < MOST_POINTS:
                steps.append(point.step)
                values.append(point.value)

    def shot(self, shot: Shot) -> None:
        if shot.title in self.shots or len(self.shots) < MOST_SHOTS:
            self.shots[shot.title] = shot

    def told(self) -> dict[str, Any]:
        """What changes in `Working`."""
        curves = (Curve(name, unit, tuple(steps), tuple(values)) for name, (unit, steps, values) in self.curves.items())
        return {"fraction": self.progress.fraction, "text": self.progress.text, "curves": tuple(curves),
                "shots": tuple(self.shots.values())}


class Prober(QObject):
    """Acts come from the panel; what happens goes into the session."""

    failed = Signal(str, str)  # a sentence, and details for a bug report

    def __init__(self, session: Session, command: Sequence[str] = COMMAND) -> None:
        super().__init__(session)
        self._session, self.command = session, command
        self._running: ProbeProcess | None = None
        self._asking: ProbeProcess | None = None  # what it would cost
        self._heard = Heard()
        self._stopped = False
        self._run: Run | None = None
        self._lane = Latest("answer", self)
        self._show = QTimer(self, singleShot=True, interval=SHOW_MS)
        self._show.timeout.connect(self._publish)
        session.watch(self.show_run, "run")

    @property
    def busy(self) -> bool:
        """Whether a probe runs."""
        return self._running is not None

    def show_run(self, state: State) -> None:
        """Work for another run is no longer wanted; the same one read again changes nothing."""
        before, self._run = self._run, state.run
        if before is not None and (state.run is None or state.run.path != before.path):
            self.end()

    def ask(self, question: Question) -> None:
        """Start a probe, unless one runs already."""
        run = self._session.state.run
        if run is None or self.busy:
            return
        self.forget_cost()
        self._heard, self._stopped = Heard(), False
        self._running = self._process(run, question, self._on_told, partial(self._on_ended, question))
        self._session.update(working=Working(question))
        self._publish()
        self._running.start()

    def pause(self, on: bool) -> None:
        """Or go on."""
        if self._running is not None and not self._stopped:
            self._running.say(PAUSE if on else GO)
            self._change(paused=on)

    def stop(self) -> None:
        """The running probe ends without an answer."""
        if self._running is not None and not self._stopped:
            self._stopped = True
            self._running.cancel()
            self._change(paused=False)
            self._publish()

    def cost(self, question: Question) -> None:
        """Find out what it would cost; a newer question replaces an older one. Not while a probe runs: both would be slow."""
        run = self._session.state.run
        if run is None or self.busy:
            return
        self.forget_cost()
        self._session.update(cost=Costed(question))
        self._asking = self._process(run, question, partial(self._on_cost, question), partial(self._on_no_cost, question),
                                     "--estimate")
        self._asking.start()

    def forget_cost(self) -> None:
        """Nobody waits for it any more."""
        asking, self._asking = self._asking, None
        costed = self._session.state.cost
        if costed is not None and costed.cost is None:  # also after trouble: the next time may be better
            self._session.update(cost=None)
        if asking is not None:
            asking.leave()

    def end(self) -> None:
        """No process is left when this returns."""
        self._show.stop()
        self._lane.cancel()
        for process in self.findChildren(ProbeProcess):
            process.end()
        self._running = self._asking = None
        self._session.update(working=None, cost=None)
        self._session.done(PROBE_JOB)

    def _process(
        self, run: Run, question: Question, told: Callable[[Message], None], ended: Callable[[Ended], None], *more: str,
    ) -> ProbeProcess:
        arguments = [*command_line(question, run), "--stream", *more]
        process = ProbeProcess(arguments, self, command=self.command, environment=_secrets(run))
        process.told.connect(told)
        process.ended.connect(ended)
        return process

    # What the running probe says

    def _on_told(self, message: Message) -> None:
        if isinstance(message, Progress):
            self._heard.progress = message
        elif isinstance(message, Point):
            self._heard.point(message)
        elif isinstance(message, Shot):
            self._heard.shot(message)
        elif isinstance(message, Failed):
            self._heard.failure = message.says
        elif isinstance(message, Answered):
            self._heard.answer = message.told
        if not self._show.isActive():
            self._show.start()

    def _publish(self) -> None:
        told = self._heard.told()
        self._change(**(told | {"text": "Stopping"} if self._stopped else told))

    def _change(self, **changes: Any) -> None:
        """What is shown of the running probe, and in the status bar."""
        working = self._session.state.working
        if working is not None:
            working = replace(working, **changes)
            self._session.update(working=working)
            says = f"{'paused: ' if working.paused else ''}{working.text}"
            self._session.report(PROBE_JOB, working.fraction, f"{capitalised(working.question.probe)} probe: {says}")

    def _on_ended(self, question: Question, ended: Ended) -> None:
        heard, stopped = self._heard, self._stopped
        self._running = None
        self._show.stop()
        self._session.update(working=None)
        self._session.done(PROBE_JOB)
        if heard.answer is not None:
            answer = heard.answer
            self._lane.request(partial(read_answer, answer), self._on_answer)
        elif heard.failure:
            self.failed.emit(f"The {question.probe} probe: {heard.failure}", ended.printed)
        elif not stopped:
            self.failed.emit(f"The {question.probe} probe {how(ended)}", ended.printed)

    def _on_answer(self, result: Result) -> None:
        self._session.update(probed=(*self._session.state.probed, result))

    # What it would cost

    def _on_cost(self, question: Question, message: Message) -> None:
        if isinstance(message, Cost):
            self._session.update(cost=Costed(question, message))
        elif isinstance(message, Failed):
            self._session.update(cost=Costed(question, trouble=message.says))

    def _on_no_cost(self, question: Question, ended: Ended) -> None:
        self._asking = None
        costed = self._session.state.cost
        if costed is not None and costed.question is question and costed.cost is None and not costed.trouble:
            self._session.update(cost=Costed(question, trouble=f"the process that should tell it {how(ended)}"))


def read_answer(told: Mapping[str, Any], task: Task) -> Result:
    """The result from its JSON, with all its pictures. Raises Trouble."""
    task.beat()
    try:
        return from_json(told)
    except NotAResult as error:
        raise Trouble(str(error)) from error


def how(ended: Ended) -> str:
    """How a process came to its end without a word."""
    if ended.code == -1:
        return "could not be started"
    if ended.crashed:
        return f"was ended from outside (signal {ended.code})"
    return f"ended without an answer (exit code {ended.code})"


def _secrets(run: Run) -> dict[str, str]:
    """User and password of remote addresses, where any were typed; a command line could be read by every user of the machine."""
    shown = [address_of(path) for path in (run.path, run.data) if path is not None]
    secret = [typed(each) for each in shown if typed(each) != each]
    return {ADDRESSES: json.dumps(secret)} if secret else {}
