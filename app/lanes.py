"""Lanes: work off the GUI thread that takes a value and returns a value; in each lane the newest request wins."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.session import Session
from diagnostics.evidence import Cancelled
from runs.storage import following

JOIN_S = 60.0  # longer than any step between two looks at `cancelled`


def ignore(*_: Any) -> None:
    """For whoever has nothing to do when this happens."""


@dataclass(frozen=True, eq=False)
class Request:
    """One piece of work. The callbacks run on the GUI thread, and only while the request is still the newest."""

    work: Callable[["Task"], Any]
    arrived: Callable[[Any], None]
    partial: Callable[[Any], None] = ignore
    progress: Callable[[float, str], None] = ignore
    over: Callable[[], None] = ignore  # once at the end, whether it arrived, failed or was cancelled
    dropped: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, eq=False)
class Task:
    """The worker's end of a request."""

    request: Request
    post: Callable[["Answer"], None]

    def cancelled(self) -> bool:
        """True once a newer request came or the user cancelled."""
        return self.request.dropped.is_set()

    def beat(self) -> None:
        """Raises Cancelled where the work is no longer wanted; call it between steps."""
        if self.cancelled():
            raise Cancelled

    def progress(self, fraction: float, text: str) -> None:
        """0..1, or -1 where it is not known."""
        self.post(Answer(self.request, "progress", (fraction, text)))

    def partial(self, value: Any) -> None:
        """A result that can be shown before the rest is there."""
        self.post(Answer(self.request, "partial", value))


def _fetching(task: Task, part: float, address: str) -> None:
    """Between two pieces from a remote machine. Raises Cancelled."""
    task.beat()
    task.progress(part, f"Fetching {address}")


@dataclass(frozen=True, eq=False)
class Answer:
    """What a worker has to say about a request."""

    request: Request
    kind: Literal["progress", "partial", "arrived", "failed", "cancelled"]
    value: Any = None


class Latest(QObject):
    """One worker thread, alive only while there is work. A newer request replaces a waiting one and drops a running one.

    An exception of the work is raised again on the GUI thread, where `notices` shows it once.
    """

    answered = Signal(object)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self._lock = threading.Lock()
        self._waiting: Request | None = None
        self._newest: Request | None = None
        self._thread: threading.Thread | None = None
        self.answered.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether a request has neither been answered nor cancelled."""
        return self._newest is not None

    def request(
        self, work: Callable[[Task], Any], arrived: Callable[[Any], None], *, partial: Callable[[Any], None] = ignore,
        progress: Callable[[float, str], None] = ignore, over: Callable[[], None] = ignore,
    ) -> None:
        """Do `work` in the lane; results of earlier requests that have not been delivered yet fall away."""
        request = Request(work, arrived, partial, progress, over)
        with self._lock:
            if self._newest is not None:
                self._newest.dropped.set()
            self._newest = self._waiting = request
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=f"lane-{self.name}", daemon=True)
                self._thread.start()

    def cancel(self) -> None:
        """Give up the newest request; its `over` is called at once, and nothing of it arrives any more."""
        with self._lock:
            given_up, self._newest, self._waiting = self._newest, None, None
        if given_up is not None:
            given_up.dropped.set()
            given_up.over()

    def close(self) -> None:
        """Cancel and wait for the worker; the lane can be used again afterwards."""
        self.cancel()
        thread = self._thread
        if thread is not None:
            thread.join(JOIN_S)

    def _run(self) -> None:
        while (request := self._next()) is not None:
            self.answered.emit(self._answer(request))

    def _next(self) -> Request | None:
        with self._lock:
            request, self._waiting = self._waiting, None
            if request is None:
                self._thread = None  # under the lock, so that a request either finds this thread working or starts another
            return request

    def _answer(self, request: Request) -> Answer:
        try:
            task = Task(request, self.answered.emit)
            with following(partial(_fetching, task)):
                return Answer(request, "arrived", request.work(task))
        except Cancelled:
            return Answer(request, "cancelled")
        except Exception as error:  # every failure of a worker is shown, none may end the lane
            return Answer(request, "failed", error)

    def _deliver(self, answer: Answer) -> None:
        request = answer.request
        if request is not self._newest:
            return
        if answer.kind == "progress":
            request.progress(*answer.value)
        elif answer.kind == "partial":
            request.partial(answer.value)
        else:
            self._newest = None
            request.over()
            self._end(answer)

    @staticmethod
    def _end(answer: Answer) -> None:
        if answer.kind == "arrived":
            answer.request.arrived(answer.value)
        elif answer.kind == "failed":
            raise answer.value


class Job(Latest):
    """Long work whose progress the session shows under the job's name, and which the user may cancel."""

    def __init__(self, name: str, session: Session) -> None:
        super().__init__(name, session)
        self._session = session

    def start(
        self, text: str, work: Callable[[Task], Any], arrived: Callable[[Any], None], partial: Callable[[Any], None] = ignore,
    ) -> None:
        """`text` is what the progress bar says until the work reports something better."""
        self.request(
            work, arrived, partial=partial,
            progress=lambda fraction, says: self._session.report(self.name, fraction, says or text),
            over=lambda: self._session.done(self.name),
        )
        self._session.report(self.name, -1.0, text)


def close_lanes(root: QObject) -> None:
    """End every lane below `root` and wait for its worker; a window does this before it goes, and no timer asks again."""
    for timer in root.findChildren(QTimer):
        timer.stop()
    for lane in root.findChildren(Latest):
        lane.close()


def settled(root: QObject) -> bool:
    """Whether no lane below `root` has anything to do."""
    return not any(lane.busy for lane in root.findChildren(Latest))
