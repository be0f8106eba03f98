"""Loading: opens runs and checkpoints in lanes and hands what arrived to the session."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app import wording
from app.cache import ShownCache
from app.lanes import Job, Task
from app.session import Session, Shown, State
from render.splats import prepare
from runs.checkpoints import Checkpoint
from runs.gaussians import Gaussians
from runs.open_run import open_run, reopen
from runs.remote.addresses import place_name
from runs.run import Run


class Loader(QObject):
    """Watches which iteration is asked for; the newest request wins and a cached one arrives at once."""

    looked = Signal(str)  # what a look for new saves found, for the user

    def __init__(self, session: Session, cache: ShownCache | None = None) -> None:
        super().__init__(session)
        self._session = session
        self.cache = cache or ShownCache()
        self._open, self._load = Job("open", session), Job("load", session)
        self._moving: Checkpoint | None = None  # whose Gaussians are on their way to a moment, while the load lane is busy
        session.watch(self.show_iteration, "run", "iteration", "time")

    def open(self, path: Path | str, data: Path | str | None = None) -> None:
        """Open a folder or file, by its path or address; an unreadable one becomes a notice and what was open stays."""
        self._open.start(f"Opening {place_name(path)}", lambda task: read_run(path, data, task), self._on_opened)

    def set_data(self, data: Path) -> None:
        """Read the open run again, with its photos and COLMAP model in `data`."""
        run = self._session.state.run
        if run is not None:
            self._open.start(f"Reading {data.name}", lambda task: read_run(run.path, data, task), self._session.renew)

    def refresh(self) -> None:
        """Look for what the training has written since; a user who looks at the newest save follows to the new one."""
        run = self._session.state.run
        if run is not None:
            text = f"Looking for new files of {run.name}"
            self._open.start(text, lambda task: with_parts(reopen(run), task), self._on_renewed)

    def show_iteration(self, state: State) -> None:
        checkpoint = state.run.checkpoint(state.iteration) if state.run is not None else None
        if checkpoint is None:
            self._load.cancel()
            self._session.update(shown=None)
            return
        time = moment_of(checkpoint, state.time)
        if state.shown is not None and (state.shown.checkpoint, state.shown.time) == (checkpoint, time):
            self._load.cancel()
        elif (kept := self.cache.get(checkpoint, time)) is not None:
            self._load.cancel()
            self._arrive(kept)
        elif not (self._load.busy and self._moving is checkpoint):
            self._start(checkpoint, time, state.shown)

    def _start(self, checkpoint: Checkpoint, time: float | None, shown: Shown | None) -> None:
        """One moment at a time, then the newest wanted: a lane alone would drop every moment of a steady drag."""
        at_hand = shown if shown is not None and shown.checkpoint is checkpoint else self.cache.get(checkpoint)
        stored = None if at_hand is None else at_hand.gaussians
        self._moving = None if stored is None else checkpoint
        text = f"Loading iteration {checkpoint.iteration:,}" if stored is None else f"Moving to {wording.moment(time)}"
        self._load.start(text, lambda task: load(checkpoint, task, time, stored), self._on_loaded)

    def _on_opened(self, run: Run) -> None:
        self.cache.clear()
        self._session.open(run)

    def _on_renewed(self, run: Run) -> None:
        before = self._session.state.run
        known = before.iterations if before is not None else ()
        self._session.renew(run)
        self.looked.emit(found_text([i for i in run.iterations if i not in known], run.iterations))

    def _on_loaded(self, shown: Shown) -> None:
        self.cache.add(shown)
        self._arrive(shown)
        self.show_iteration(self._session.state)  # another moment may have been asked for meanwhile

    def _arrive(self, shown: Shown) -> None:
        """Scores are of a checkpoint, whatever its moment."""
        before = self._session.state.shown
        same = before is not None and before.checkpoint is shown.checkpoint
        self._session.update(shown=shown, **({} if same else {"scores": {}}))


def found_text(new: Sequence[int], saved: Sequence[int]) -> str:
    """"New: iteration 1,200", "New: 3 iterations up to 1,200", "No new save since iteration 900"."""
    if not new:
        return f"No new save since iteration {wording.count(saved[-1])}" if saved else "No save yet"
    if len(new) == 1:
        return f"New: iteration {wording.count(new[0])}"
    return f"New: {wording.count(len(new))} iterations up to {wording.count(new[-1])}"


def read_run(path: Path | str, data: Path | str | None, task: Task) -> Run:
    """Open a run and read its small parts, so that no panel has to wait for a file. Raises RunError."""
    return with_parts(open_run(path, data), task)


def with_parts(run: Run, task: Task) -> Run:
    """The run, its small parts read. Raises RunError, Cancelled."""
    for text, part in (("settings", "settings"), ("logs", "series"), ("events", "events"), ("cameras", "cameras"),
                       ("scores", "per_view"), ("photos", "photos"), ("points", "input_points"), ("points", "sfm_points")):
        task.beat()
        task.progress(-1.0, f"Reading {text} of {run.name}")
        getattr(run, part)
    return run


def moment_of(checkpoint: Checkpoint, asked: float | None) -> float | None:
    """The moment at which a checkpoint is shown; None where its scene stands still or the canonical set is asked for."""
    if checkpoint.motion is None or asked is None:
        return None
    first, last = checkpoint.motion.span
    return min(max(asked, first), last)


def load(checkpoint: Checkpoint, task: Task, time: float | None = None, stored: Gaussians | None = None) -> Shown:
    """Read one checkpoint, unless its Gaussians are at hand, bring it to its moment, activate it. Raises RunError, Cancelled."""
    task.beat()
    gaussians = checkpoint.read() if stored is None else stored  # not `.gaussians`: the cache decides what stays in memory
    task.beat()
    moved = None if time is None or checkpoint.motion is None else checkpoint.motion.at(gaussians, time)
    shown = Shown(checkpoint, gaussians, prepare(gaussians if moved is None else moved), time, moved)
    task.beat()
    return shown
