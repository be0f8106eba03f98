"""Diagnosing: the long jobs behind the buttons: diagnose, score the shown Gaussians, write the report."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from app.lanes import Job, Task
from app.notices import Trouble
from app.session import SCORE_JOB, Session, State
from diagnostics.diagnosis import Diagnosis, Reported
from diagnostics.probed import foreign_to
from diagnostics.probes.answer import Result
from diagnostics.probes.json import to_json
from runs.arrays import F32
from runs.run import Run

SCORES = ("floater_score", "ghost_score")  # facts of diagnostics, one number per Gaussian


class NotScored(Trouble):
    """A score cannot be computed from what the run holds."""


class Doctor(QObject):
    """Runs one diagnosis at a time; findings are shown as they come."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._diagnose, self._score, self._export = Job("diagnose", session), Job(SCORE_JOB, session), Job("export", session)
        self._before: Diagnosis | None = None  # what a cancelled diagnosis gives way to
        self._weighing = False  # rather than diagnosing for the first time
        session.watch(self.show_run, "run")
        session.watch(self.show_wanted_score, "colour_by", "shown")
        session.watch(self.show_probed, "probed")

    def show_run(self, _state: State) -> None:
        """Work for another run is no longer wanted."""
        for job in (self._diagnose, self._score, self._export):
            job.cancel()

    def show_wanted_score(self, state: State) -> None:
        """A colouring that nobody has computed yet is computed for the checkpoint that is shown."""
        name, run, shown = state.colour_by, state.run, state.shown
        if name not in SCORES or run is None or shown is None or name in state.scores:
            self._score.cancel()
            return
        text = f"Computing the {name.replace('_', ' ')}"
        self._score.start(
            text, lambda task: score(run, shown.checkpoint.iteration, name, task),
            lambda values: self._session.update(scores={**self._session.state.scores, name: values}),
        )

    def diagnose(self) -> None:
        """Judge every pattern on the chosen range."""
        state = self._session.state
        run, span = state.run, state.span
        if run is None:
            return
        found: list[Reported] = []
        self._before, self._weighing = state.diagnosis, False
        self._session.update(diagnosis=None, finding=None)

        def on_partial(reported: Reported) -> None:
            from diagnostics.diagnose import whole_span  # every detector; the worker that reports has loaded them

            found.append(reported)
            self._session.update(diagnosis=Diagnosis(run, span or whole_span(run), tuple(found), (), (), ()))

        work = partial(examine, run, span, state.probed)
        self._diagnose.start("Diagnosing", work, lambda done: self._session.update(diagnosis=done), on_partial)

    def show_probed(self, state: State) -> None:
        """What a probe found out goes into a diagnosis that is there or on its way; the old one is shown until the new one is."""
        run, diagnosis = state.run, state.diagnosis
        if self._diagnose.busy and not self._weighing:
            self.diagnose()
        elif run is not None and diagnosis is not None:
            self._before, self._weighing = diagnosis, True
            work = partial(examine, run, diagnosis.span, state.probed)
            self._diagnose.start("Weighing what the probe found out", work, self._on_weighed)

    def _on_weighed(self, done: Diagnosis) -> None:
        """Whoever reads a finding goes on reading it."""
        read = self._session.state.finding
        same = None if read is None else next((f for f in done.findings if f.pattern.name == read.pattern.name), None)
        self._session.update(diagnosis=done, finding=same)

    def cancel(self) -> None:
        """Stop whatever runs here; the last complete diagnosis comes back."""
        if self._diagnose.busy:
            self._diagnose.cancel()
            self._session.update(diagnosis=self._before)
        self._score.cancel()
        self._export.cancel()

    def export_report(self, path: Path, done: Callable[[Path], None]) -> None:
        """Write the PDF or the page for a browser; `done` is told the path."""
        diagnosis = self._session.state.diagnosis
        if diagnosis is not None:
            self._export.start(f"Writing {path.name}", lambda task: write_report(diagnosis, path, task), done)

    @property
    def busy(self) -> bool:
        """Whether `cancel` would stop anything."""
        return any(job.busy for job in (self._diagnose, self._score, self._export))

    def export_answer(self, result: Result, path: Path, done: Callable[[Path], None]) -> None:
        """Write what a probe found out, for `splatdoctor diagnose --probed`; `done` is told the path."""
        self._export.start(f"Writing {path.name}", lambda _: write_answer(result, path), done)

    def export_json(self, path: Path, done: Callable[[Path], None]) -> None:
        """Write the JSON of the contract; `done` is told the path."""
        diagnosis = self._session.state.diagnosis
        if diagnosis is not None:
            self._export.start(f"Writing {path.name}", lambda _: write_json(diagnosis, path), done)


def examine(run: Run, span: tuple[int, int] | None, probed: tuple[Result, ...], task: Task) -> Diagnosis:
    """The diagnosis, with what probes found out, told to a lane. Raises Cancelled."""
    from diagnostics.diagnose import diagnose  # every detector: not before it is needed

    def told(fraction: float, title: str) -> None:
        task.progress(fraction, f"Diagnosing: {title}")

    mine = tuple(result for result in probed if not foreign_to(run, result))  # a run that is followed may have changed since
    return diagnose(run, span, progress=told, cancelled=task.cancelled, on_finding=task.partial, probed=mine)


def score(run: Run, iteration: int, name: str, task: Task) -> F32:
    """One score for every Gaussian of the checkpoint at `iteration`, float32 [N]. Raises ValueError with what is missing."""
    import diagnostics.diagnose  # noqa: F401  (registers every fact)
    from diagnostics.evidence import Evidence
    from diagnostics.verdict import NotEvaluable

    value = Evidence(run, (0, iteration), task.cancelled).get(name)
    if isinstance(value, NotEvaluable):
        raise NotScored(f"No {name.replace('_', ' ')} for this run: it needs {'; '.join(value.missing)}")
    scores: F32 = value
    return scores


def write_report(diagnosis: Diagnosis, path: Path, task: Task) -> Path:
    """The report at `path`: a page for a browser where its name ends so, else a PDF. Raises OSError."""
    from diagnostics.report.html import write_html
    from diagnostics.report.pdf import write_pdf

    write = write_html if path.suffix.lower() in (".html", ".htm") else write_pdf
    write(diagnosis, path, progress=task.progress)
    return path


def write_json(diagnosis: Diagnosis, path: Path) -> Path:
    """The JSON at `path`. Raises OSError."""
    from diagnostics.report.json import to_json as diagnosis_to_json

    path.write_text(json.dumps(diagnosis_to_json(diagnosis), indent=2, allow_nan=False) + "\n", encoding="utf-8")
    return path


def write_answer(result: Result, path: Path) -> Path:
    """A probe's result as JSON at `path`. Raises OSError."""
    path.write_text(json.dumps(to_json(result), indent=2, allow_nan=False) + "\n", encoding="utf-8")
    return path
