"""Report: everything that a PDF or a page of a diagnosis shows, as one value without any layout."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from diagnostics.catalogue import Pattern
from diagnostics.diagnosis import Diagnosis, ExplainedAway, Reported, Undecided
from diagnostics.registry import DETECTORS
from diagnostics.report.finding_words import Limit
from diagnostics.report.pictures import Gallery, Strip
from diagnostics.report.plots import Plot, finding_plots, overview_plots
from diagnostics.report.probe_page import ProbePage, probe_pages
from diagnostics.report.probe_words import found_by
from diagnostics.report.provenance import FileHash, hashed, small_files, software
from diagnostics.report.story import story
from diagnostics.report.wording import count, listed, percent, rows, save
from diagnostics.verdict import NOT_AVAILABLE
from runs.notes import Note
from runs.run import Run
from runs.settings import Setting

Progress = Callable[[float, str], None]  # fraction 0..1, what is being done


def silent(fraction: float, text: str) -> None:
    """Progress that nobody asked for."""


@dataclass(frozen=True, eq=False)
class FindingPage:
    """One finding with all that is shown beside it."""

    number: int  # 1, 2, …
    reported: Reported
    limits: tuple[Limit, ...]
    strip: Strip
    plots: tuple[Plot, ...]
    found_by: str = ""  # a sentence where a probe found it as well, or alone


@dataclass(frozen=True, eq=False)
class Report:
    """A diagnosis, ready to be laid out."""

    run_name: str
    made_at: datetime
    span: tuple[int, int]
    facts: tuple[tuple[str, str], ...]  # label, text
    story: tuple[str, ...]  # paragraphs
    overview: tuple[Plot, ...]
    findings: tuple[FindingPage, ...]
    clear: tuple[Pattern, ...]
    not_evaluable: tuple[Undecided, ...]
    explained_away: tuple[ExplainedAway, ...]
    notes: tuple[Note, ...]
    settings: tuple[Setting, ...]
    software: tuple[tuple[str, str], ...]
    files: tuple[FileHash, ...]
    files_left_out: int  # files of the run's folder that were too many or too large to hash
    probes: tuple[ProbePage, ...] = ()


def build_report(diagnosis: Diagnosis, *, progress: Progress | None = None, made_at: datetime | None = None) -> Report:
    """Draw the pictures, choose the plots and hash the files. Whatever `progress` raises stops the work."""
    tell = progress or silent
    run = diagnosis.run
    pages = _finding_pages(diagnosis, tell)
    small, left_out = small_files(run.path)
    read = [*_files_used(diagnosis), *small]
    files = hashed(read, run.path, _byte_progress(read, tell))
    return Report(
        run_name=run.name or str(run.path), made_at=made_at or datetime.now().astimezone(), span=diagnosis.span,
        facts=run_facts(run), story=story(diagnosis), overview=overview_plots(diagnosis), findings=pages,
        clear=diagnosis.clear, not_evaluable=diagnosis.not_evaluable, explained_away=diagnosis.explained_away,
        notes=tuple(dict.fromkeys((*diagnosis.notes, *run.notes))),
        settings=tuple(run.settings[name] for name in sorted(run.settings)), software=software(), files=files,
        files_left_out=left_out, probes=probe_pages(diagnosis),
    )


def _finding_pages(diagnosis: Diagnosis, tell: Progress) -> tuple[FindingPage, ...]:
    gallery, pages = Gallery(diagnosis), []
    for index, reported in enumerate(diagnosis.findings):
        tell(0.7 * index / len(diagnosis.findings), f"Drawing {reported.pattern.code}")
        pages.append(FindingPage(
            index + 1, reported, limits_of(reported.pattern), gallery.strip(reported), finding_plots(diagnosis, reported),
            found_by(reported, diagnosis.probed)))
    return tuple(pages)


def limit_values(pattern: Pattern) -> Mapping[str, Any]:
    """The numbers that the pattern's detector uses; empty where it has no detector."""
    detector = DETECTORS.get(pattern.name)
    return {} if detector is None else detector.limits


def limits_of(pattern: Pattern) -> tuple[Limit, ...]:
    values = limit_values(pattern)
    return tuple(Limit(name, values.get(name), reason) for name, reason in pattern.limits.items())


def run_facts(run: Run) -> tuple[tuple[str, str], ...]:
    """What was found in the folder, label and text; what is missing says so."""
    trainer = run.trainer
    sure = f" ({percent(trainer.confidence)} sure: {trainer.why})" if trainer.confidence else f": {trainer.why}"
    return (
        ("Folder", str(run.path)),
        ("Photos and camera model", NOT_AVAILABLE if run.data is None else str(run.data)),
        ("Trainer", f"{trainer.name if trainer.confidence else 'unknown'}{sure}"),
        ("Saved iterations", listed(map(save, run.checkpoints)) or NOT_AVAILABLE),
        ("Gaussians", _gaussians(run)),
        ("Cameras", _cameras(run)),
        ("Photos found", f"{len(run.photos):,}" if run.photos else NOT_AVAILABLE),
        ("Resumable states", listed(state.path.name for state in run.state_files) or NOT_AVAILABLE),
        ("Logged series", listed(sorted(run.series)) or NOT_AVAILABLE),
    )


def _gaussians(run: Run) -> str:
    if not run.checkpoints:
        return NOT_AVAILABLE
    first, last = run.checkpoints[0], run.checkpoints[-1]
    told = f"{last.count:,} at iteration {last.iteration:,}, SH degree {last.sh_degree}"
    if last.holds != "splats":
        return f"{NOT_AVAILABLE}; {rows(last)} at iteration {last.iteration:,}"
    return told if first is last else f"{first.count:,} at iteration {first.iteration:,}; {told}"


def _cameras(run: Run) -> str:
    if not run.cameras:
        return NOT_AVAILABLE
    parts = {split: sum(camera.split == split for camera in run.cameras) for split in ("train", "test")}
    named = ", ".join(f"{amount:,} {split}" for split, amount in parts.items() if amount)
    return count(len(run.cameras), "camera") + (f" ({named})" if named else "")


def _files_used(diagnosis: Diagnosis) -> list[Path]:
    """Saved files that the findings are about, the last one of the range, and its resumable states."""
    run, (first, last) = diagnosis.run, diagnosis.span
    inside = [checkpoint.iteration for checkpoint in run.checkpoints if first <= checkpoint.iteration <= last]
    places = [reported.finding.gaussians for reported in diagnosis.findings]
    about = {*inside[-1:], *(place.iteration for place in places if place is not None)}
    saved = [checkpoint.path for checkpoint in run.checkpoints if checkpoint.iteration in about]
    return saved + [state.path for state in run.state_files if first <= state.iteration <= last]


def _byte_progress(paths: Iterable[Path], tell: Progress) -> Callable[[int], None]:
    total = sum(path.stat().st_size for path in paths if path.is_file()) or 1
    done = 0

    def tick(size: int) -> None:
        nonlocal done
        done += size
        tell(0.7 + 0.2 * min(1.0, done / total), "Hashing the run's files")

    return tick
