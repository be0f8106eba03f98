"""Session: the one State value that the whole window shows, and the verbs that replace it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from app.probe_values import Asked, Costed, Working
from diagnostics.catalogue import Pattern
from diagnostics.diagnosis import Diagnosis, Reported
from diagnostics.probes.answer import Result
from render.splats import Splats
from render.viewport.picking import Contributor as Contributor  # re-exported: selections carry it
from runs.arrays import F32, I64, Array
from runs.checkpoints import Checkpoint
from runs.gaussians import Gaussians
from runs.run import Run

NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Selection:
    """Gaussians of one saved iteration; the first row is the one that the inspector reads."""

    iteration: int
    rows: I64  # int64 [n], rows of the stored Gaussians
    contributors: tuple[Contributor, ...] = ()  # front to back, where the selection came from a picked pixel


@dataclass(frozen=True, eq=False)
class Shown:
    """A checkpoint that has arrived: read, activated, ready to draw."""

    checkpoint: Checkpoint
    gaussians: Gaussians  # as stored
    splats: Splats  # as drawn: of a moving scene at `time`
    time: float | None = None  # None: as stored
    moved: Gaussians | None = None  # the stored Gaussians, row by row, at `time`

    @property
    def drawn(self) -> Gaussians:
        """What the picture shows, row by row as stored."""
        return self.gaussians if self.moved is None else self.moved


@dataclass(frozen=True, eq=False)
class State:
    """Everything the window shows. The upper fields are asked for and change at once; the lower ones arrive later."""

    run: Run | None = None
    iteration: int = 0  # a saved iteration wherever the run has any
    span: tuple[int, int] | None = None  # the chosen range, both ends included; None is the whole run
    time: float | None = None  # moment of a moving scene, in its trainer's unit; None is the canonical set
    camera: str | None = None  # image name; None is the free camera
    selected: Selection | None = None
    finding: Reported | None = None
    colour_by: str = "rgb"
    pattern: Pattern | None = None  # whose page is open
    asked: Asked | None = None  # the probe whose page is open

    shown: Shown | None = None
    diagnosis: Diagnosis | None = None
    cost: Costed | None = None  # of the probe that was last asked about
    working: Working | None = None  # the probe that runs
    probed: tuple[Result, ...] = ()  # what probes found out about this run, in the order in which they ended
    scores: Mapping[str, F32] = field(default_factory=lambda: NOTHING)  # name -> float32 [N] for `shown`
    busy: Mapping[str, tuple[float, str]] = field(default_factory=lambda: NOTHING)  # job -> (0..1 or -1 unknown, text)


FIELDS = frozenset(f.name for f in fields(State))
PLACE = ("iteration", "span", "time", "camera", "selected", "finding", "colour_by", "pattern")  # what `back` restores
Place = Mapping[str, Any]
REMEMBERED = 100
SCORE_JOB = "score"  # under which `busy` tells of a floater or ghost score that is being computed
PROBE_JOB = "probe"


class Session(QObject):
    """Holds the State. Acts go up through the verbs, states come down through `watch`. GUI thread only."""

    changed = Signal(object, object)  # new State, old State

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = State()
        self._past: list[Place] = []
        self._future: list[Place] = []
        self._scrubbing = False  # one drag of the timeline is one step back, not a hundred

    @property
    def state(self) -> State:
        return self._state

    def update(self, **changes: Any) -> None:
        """Replace the state and emit `changed` once; silent when nothing differs. Raises TypeError for an unknown field."""
        if not self.thread().isCurrentThread():
            raise RuntimeError("the session may only be changed on the GUI thread")
        old = self._state
        new = replace(old, **changes)
        if any(not _same(getattr(new, name), getattr(old, name)) for name in changes):
            self._state = new
            self.changed.emit(new, old)

    def watch(self, show: Callable[[State], None], *names: str) -> None:
        """Call `show(state)` now, and again whenever one of the named fields changes."""
        unknown = set(names) - FIELDS
        if unknown:
            raise TypeError(f"State has no field {', '.join(sorted(unknown))}")

        owner = getattr(show, "__self__", None)
        seen = self._state

        def on_change(_new: State, _old: State) -> None:
            nonlocal seen
            if isinstance(owner, QObject) and not isValid(owner):
                return  # the panel was closed and deleted
            last, seen = seen, self._state  # not the emitted pair: an update inside a slot would hide it from later slots
            if any(not _same(getattr(seen, name), getattr(last, name)) for name in names):
                show(seen)

        self.changed.connect(on_change)
        show(self._state)

    # Verbs: what the user does.

    def open(self, run: Run) -> None:
        """Show another run, from the iteration that was asked for, else the last saved one, with nothing chosen."""
        self._past.clear()
        self._future.clear()
        blank = {name: getattr(State(), name) for name in FIELDS - {"busy"}}
        last = run.iterations[-1] if run.iterations else 0
        self.update(**blank | {"run": run, "iteration": last if run.asked is None else nearest(run.iterations, run.asked)})

    def renew(self, run: Run) -> None:
        """The same folder, read again: whoever looked at the newest iteration follows to the new one, and whoever looked at
        one that the trainer has deleted goes to the nearest. Whoever studies a finding or chosen Gaussians stays with them."""
        old = self._state
        newest = old.run is not None and old.run.iterations[-1:] in ((), (old.iteration,))
        follows = newest and old.finding is None and old.selected is None
        kept = nearest(run.iterations, old.iteration)
        self.update(run=run, iteration=run.iterations[-1] if follows and run.iterations else kept)

    def go_to(self, iteration: int) -> None:
        """Look at the saved iteration nearest to `iteration`; a selection of another iteration is dropped."""
        run = self._state.run
        target = nearest(run.iterations, iteration) if run is not None else iteration
        if target == self._state.iteration:
            return
        if not self._scrubbing:
            self._remember()
        self._scrubbing = True
        selected = self._state.selected
        self.update(iteration=target, selected=selected if selected and selected.iteration == target else None)

    def step(self, by: int) -> None:
        """Go `by` saved iterations forward or back, stopping at the ends."""
        saved = self._state.run.iterations if self._state.run is not None else ()
        if saved:
            here = saved.index(nearest(saved, self._state.iteration))
            self.go_to(saved[min(max(here + by, 0), len(saved) - 1)])

    def visit(self, reported: Reported) -> None:
        """Jump to where a finding was measured: iteration, camera, guilty Gaussians and colouring in one change."""
        self._remember()
        place, finding = reported.finding.gaussians, reported.finding
        selected = Selection(place.iteration, place.rows) if place is not None and len(place.rows) else None
        self.update(
            finding=reported, pattern=reported.pattern, iteration=self._iteration_of(reported), selected=selected,
            camera=finding.cameras[0] if finding.cameras else self._state.camera,
            colour_by=finding.colour_by or reported.pattern.colour_by,
        )

    def visit_or_leave(self, reported: Reported) -> None:
        """Visit a finding; where the window stands at it already, leave it."""
        if self._state.finding is reported and self._state.iteration == self._iteration_of(reported):
            self.leave()
        else:
            self.visit(reported)

    def leave(self) -> None:
        """Close the finding: its tint, its interval and its selection go; iteration, camera and colouring stay."""
        finding, selected = self._state.finding, self._state.selected
        if finding is not None:
            self._remember()
            place = finding.finding.gaussians
            of_it = place is not None and selected is not None and selected.rows is place.rows
            self.update(finding=None, selected=None if of_it else selected)

    def select(self, rows: Array | Sequence[int], contributors: Sequence[Contributor] = ()) -> None:
        """Select Gaussians of the iteration that is shown; no rows selects nothing."""
        shown = self._state.shown
        chosen = np.asarray(rows, np.int64).reshape(-1)
        if shown is None or not len(chosen):
            self.update(selected=None)
            return
        self._remember()
        self.update(selected=Selection(shown.checkpoint.iteration, chosen, tuple(contributors)))

    def follow(self, iteration: int, row: int) -> None:
        """Go to what the selected Gaussian was in another save, or became there; nowhere where that save is gone."""
        if self._state.run is not None and self._state.run.checkpoint(iteration) is not None:
            self._remember()
            self.update(iteration=iteration, selected=Selection(iteration, np.array([row], np.int64)))

    def choose_span(self, first: int | None, last: int | None) -> None:
        """Choose the range to diagnose; None for either end chooses the whole run."""
        span = None if first is None or last is None else (min(first, last), max(first, last))
        if span != self._state.span:
            self._remember()
            self.update(span=span)

    def read_about(self, pattern: Pattern) -> None:
        """Open a pattern's page without going anywhere."""
        self.update(pattern=pattern)

    def ask_about(self, probe: str, finding: str = "", fix: int = 1) -> None:
        """Open a probe's page; `finding` is the code of the one whose fix is to be tried, `fix` its number from 1."""
        self.update(asked=Asked(probe, finding, fix))

    def show_probes(self) -> None:
        """Close the probe's page: the list of them all."""
        self.update(asked=None)

    def look_at(self, iteration: int | None, camera: str | None, colour_by: str | None, time: float | None = None) -> None:
        """Go to a place given by name, as on the command line; None leaves that part as it is."""
        state, saved = self._state, self._state.run.iterations if self._state.run is not None else ()
        self.update(
            iteration=state.iteration if iteration is None else nearest(saved, iteration),
            camera=state.camera if camera is None else camera, colour_by=state.colour_by if colour_by is None else colour_by,
            time=state.time if time is None else time,
        )

    def show_moment(self, time: float | None) -> None:
        """Show a moving scene at a moment; None is the canonical set."""
        self.update(time=time)

    def look_through(self, camera: str | None) -> None:
        """Look through the named camera; None is the free camera."""
        self.update(camera=camera)

    def back(self) -> None:
        """Undo the last jump, selection or choice of range."""
        self._travel(self._past, self._future)

    def forward(self) -> None:
        """Redo what `back` undid."""
        self._travel(self._future, self._past)

    # What lanes report.

    def report(self, job: str, fraction: float, text: str) -> None:
        """Progress of a job, 0..1, or -1 where it is not known."""
        self.update(busy={**self._state.busy, job: (fraction, text)})

    def done(self, job: str) -> None:
        """The job is over, however it ended."""
        if job in self._state.busy:
            self.update(busy={name: how for name, how in self._state.busy.items() if name != job})

    def _remember(self) -> None:
        self._past = [*self._past, _place(self._state)][-REMEMBERED:]
        self._future.clear()
        self._scrubbing = False

    def _travel(self, source: list[Place], target: list[Place]) -> None:
        if source:
            target.append(_place(self._state))
            self._scrubbing = False
            self.update(**source.pop())

    def _iteration_of(self, reported: Reported) -> int:
        saved = self._state.run.iterations if self._state.run is not None else ()
        if reported.finding.gaussians is not None:
            return nearest(saved, reported.finding.gaussians.iteration)
        first, last = reported.iterations
        if reported.finding.iterations is None:
            return nearest(saved, last)
        return next((i for i in saved if first <= i <= last), nearest(saved, first))


def nearest(saved: Sequence[int], iteration: int) -> int:
    """The saved iteration closest to `iteration`, the later of two equals; `iteration` itself where nothing is saved."""
    return min(saved, key=lambda i: (abs(i - iteration), -i), default=iteration)


def _place(state: State) -> Place:
    """Without the run: each look at a training that still writes gives another one, and its curves."""
    return {name: getattr(state, name) for name in PLACE}


def _same(one: Any, other: Any) -> bool:
    """Identity for values that hold arrays, equality for plain ones: numbers, text, pairs, progress."""
    plain = isinstance(one, int | float | str | tuple)
    return one is other or (plain and type(one) is type(other) and bool(one == other))
