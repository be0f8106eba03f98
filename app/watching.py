"""Following a training that still writes: looks at the open run every few seconds, in a lane, and renews what is shown."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from app.lanes import Latest, Task
from app.loading import with_parts
from app.session import Session, State
from runs.run import Run
from runs.storage import remote_of
from runs.watch import Watch

LOOK_MS = 2_000
REMOTE_LOOK_MS = 30_000  # each look asks another machine for its lists of files
RECENT_S = 6 * 3600.0  # a run whose newest file is older is no longer followed by itself
LIVE_S = 600.0  # of a training that still runs: the longest that it writes nothing


@dataclass(frozen=True, eq=False)
class Seen:
    """What one look found; `run` is None where nothing is new."""

    run: Run | None
    saved_s: float | None  # seconds since 1970
    written_s: float | None
    trouble: str = ""


class Follower(QObject):
    """Off for a run that is long finished, on for any other; the user may switch it."""

    followed = Signal(bool)  # whether the open run is followed
    told = Signal(str)  # "Live · last save 2 min ago"; "" where nothing is followed

    def __init__(self, session: Session, now: Callable[[], float] = time.time) -> None:
        super().__init__(session)
        self._session, self._now = session, now
        self._lane = Latest("watch", self)
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._watch: Watch | None = None
        self._seen: Seen | None = None
        session.watch(self.show_run, "run")

    @property
    def following(self) -> bool:
        return self._timer.isActive()

    def follow(self, on: bool) -> None:
        """Look at the open run from now on, or no longer."""
        on = on and self._session.state.run is not None
        if on == self.following:
            return
        if on:
            self._timer.start()
            self.look()
        else:
            self._timer.stop()
            self._lane.cancel()
        self.followed.emit(on)
        self._tell()

    def show_run(self, state: State) -> None:
        """Another run is open: it is followed if it was written to lately."""
        run, watch = state.run, self._watch
        if run is None or (watch is not None and watch.run is run):
            return
        same = watch is not None and watch.path == run.path
        self._watch, self._seen = Watch(run, run.data if run.data_was_named else None), None
        self._timer.setInterval(LOOK_MS if remote_of(run.path) is None else REMOTE_LOOK_MS)
        if not same:
            self.follow(False)
            self._lane.request(partial(date, self._watch), self._on_dated)

    def look(self) -> None:
        """Unless the last look is still on its way, or the run is being opened."""
        if self._lane.busy or "open" in self._session.state.busy or self._watch is None:
            return
        watch = self._watch
        self._lane.request(partial(look, watch), partial(self._on_seen, watch))


    def _on_dated(self, found: Seen) -> None:
        self._seen = found
        if found.written_s is not None and self._now() - found.written_s < RECENT_S:
            self.follow(True)

    def _on_seen(self, watch: Watch, found: Seen) -> None:
        if watch is not self._watch:
            return  # another run was opened meanwhile
        self._seen = found
        if found.run is not None:
            self._session.renew(found.run)
        self._tell()

    def _tell(self) -> None:
        self.told.emit(live_text(self._seen, self._now()) if self.following else "")


def date(watch: Watch, _task: Task) -> Seen:
    """When the run was last written."""
    watch.glance()
    return seen(watch, None)


def look(watch: Watch, task: Task) -> Seen:
    """One look, with the small parts of what is new read. Raises Cancelled."""
    run = watch.look()
    if run is not None:
        with_parts(run, task)
    return seen(watch, run)


def seen(watch: Watch, run: Run | None) -> Seen:
    trouble = "" if watch.trouble is None else watch.trouble.says
    return Seen(run, _seconds(watch.saved_ns), _seconds(watch.written_ns), trouble)


def _seconds(time_ns: int | None) -> float | None:
    return None if time_ns is None else time_ns / 1e9


def live_text(found: Seen | None, now: float) -> str:
    """"Live · last save 2 min ago", "Following · last change 3 h ago", "Following · no file yet"."""
    if found is None:
        return "Following"
    if found.trouble:
        return f"Following · {found.trouble}"
    if found.written_s is None:
        return "Following · no file yet"
    if now - found.written_s > LIVE_S:
        return f"Following · last change {ago(now - found.written_s)}"
    return "Live · no save yet" if found.saved_s is None else f"Live · last save {ago(now - found.saved_s)}"


def ago(seconds: float) -> str:
    """"just now", "40 s ago", "2 min ago", "3 h ago", "5 days ago"; clocks of two machines may differ."""
    if seconds < 10:
        return "just now"
    for unit, size in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * size or (unit != "days" and seconds >= size):
            return f"{seconds / size:.0f} {unit} ago"
    return f"{seconds:.0f} s ago"
