"""The commands that need no window: diagnose, info, catalogue."""

import argparse
import json
import sys
import textwrap
from pathlib import Path
from typing import Any

from app import wording
from app.progress import Progress
from app.wrong_use import WrongUse
from diagnostics.accuracy import sentence_of
from diagnostics.catalogue import Pattern, load_catalogue
from diagnostics.diagnosis import Diagnosis, Reported
from diagnostics.report import wording as report
from diagnostics.report.finding_words import beginning, change, doubts, prospects, row_words
from diagnostics.report.probe_words import found_by
from diagnostics.report.story import stories
from diagnostics.report.undecided import groups, what_settles
from diagnostics.verdict import NOT_AVAILABLE, SEVERITIES, Fix
from runs.checkpoints import Checkpoint
from runs.run import Run
from runs.storage import address_of

COLUMNS = 100


def run_diagnosis(options: argparse.Namespace) -> int:
    """Diagnose, print, write; 1 where something at `--fail-on` or worse was found. Raises RunError, OSError."""
    from app.compared import comparison_text, with_references
    from app.probe_results import read_results, results_of
    from diagnostics.diagnose import diagnose, whole_span
    from diagnostics.reference.recorded import record
    from runs.open_run import open_run

    check_folders(options.json, options.pdf, options.html)
    probed = read_results(options.probed)
    progress = Progress(sys.stderr)
    try:
        run = with_references(open_run(options.run, options.data), options.reference)
        span = chosen_span(options.first, options.last, whole_span(run))
        diagnosis = diagnose(run, span, progress=progress, probed=results_of(run, probed))
        if options.pdf is not None:
            from diagnostics.report.pdf import write_pdf

            write_pdf(diagnosis, options.pdf, progress=progress)
        if options.html is not None:
            from diagnostics.report.html import write_html

            write_html(diagnosis, options.html, progress=progress)
    finally:
        progress.end()
    _write_json(diagnosis, options.json)
    if options.json != "-":
        print("\n\n".join(filter(None, (diagnosis_text(diagnosis), comparison_text(run)))))
    kept = record(run) if options.record else None
    for path in (options.json, options.pdf, options.html, kept):
        if path not in (None, "-"):
            print(f"Written: {path}", file=sys.stderr)
    return int(any(SEVERITIES.index(f.severity) <= SEVERITIES.index(options.fail_on) for f in diagnosis.findings))


def check_folders(*paths: Path | str | None) -> None:
    """Say before minutes of work that the result could not be written. Raises WrongUse."""
    for path in paths:
        if path not in (None, "-") and not Path(path).resolve().parent.is_dir():
            raise WrongUse(f"there is no folder to write into, make it first: {Path(path).resolve().parent}")
        if path not in (None, "-") and Path(path).is_dir():
            raise WrongUse(f"this is a folder, name a file in it: {path}")


def chosen_span(first: int | None, last: int | None, whole: tuple[int, int]) -> tuple[int, int]:
    """The range asked for, inside the run. Raises WrongUse where it is empty."""
    span = (whole[0] if first is None else max(first, whole[0]), whole[1] if last is None else min(last, whole[1]))
    if span[0] > span[1]:
        raise WrongUse(f"the range is empty: this run has {report.iterations(whole)}")
    return span


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """The diagnosis for a reader: findings root causes first, then what is clear and what could not be evaluated."""
    run = diagnosis.run
    head = f"{run.name} · trainer {wording.trainer(run)} · {report.iterations(diagnosis.span)}"
    count = report.count(len(diagnosis.findings), "finding") if diagnosis.findings else wording.no_finding(diagnosis)
    blocks = [f"{head}\n{count}, {len(diagnosis.clear)} clear, {len(diagnosis.not_evaluable)} not evaluable"]
    blocks += [wrapped(paragraph, "") for paragraph in stories(diagnosis)]
    blocks += [finding_text(reported, found_by(reported, diagnosis.probed)) for reported in diagnosis.findings]
    if diagnosis.explained_away:
        blocks.append("Explained away\n" + "\n".join(
            wrapped(f"{away.reported.pattern.code} {away.reported.pattern.title}: {away.why}", "  ")
            for away in diagnosis.explained_away))
    for group in groups(diagnosis.not_evaluable):
        lead = "needs " if group.reason == "missing" else ""
        blocks.append(f"{group.title}\n" + "\n".join(
            wrapped(f"{one.pattern.code} {one.pattern.title}: {lead}{what_settles(one)}", "  ") for one in group.entries))
    if diagnosis.clear:
        blocks.append("Clear\n" + wrapped(", ".join(p.code for p in diagnosis.clear), "  "))
    if diagnosis.notes:
        told = (f"{note.says}: {address_of(Path(note.file))}" for note in diagnosis.notes)
        blocks.append("Notes\n" + "\n".join(wrapped(says, "  ") for says in told))
    return "\n\n".join(blocks)


def finding_text(reported: Reported, found: str = "") -> str:
    """One finding with its numbers and fixes; `found` says which probe has a part in it."""
    finding = reported.finding
    unsure = f" ({doubts(reported)})" if doubts(reported) else ""
    title = f"{reported.severity.upper()} {reported.pattern.code} {reported.pattern.title}{unsure}"
    lines = [title, wrapped(finding.says, "  ")]
    if found:
        lines.append(wrapped(found, "  "))
    if reported.harmless:
        lines.append(wrapped(reported.harmless, "  "))
    place = [report.iterations(reported.iterations)]
    if finding.gaussians is not None:
        place.append(f"{finding.gaussians.count:,} Gaussians ({report.percent(finding.gaussians.fraction)}) "
                     f"at iteration {finding.gaussians.iteration:,}")
    if finding.cameras:
        place.append(f"cameras {report.listed(finding.cameras, 6)}")
    if reported.consequence_of:
        place.append(f"follows from {', '.join(reported.consequence_of)}")
    lines.append(wrapped(f"Where: {' · '.join(place)} · {report.percent(finding.confidence)} sure", "  "))
    record = sentence_of(reported.pattern.code)
    if record:
        lines.append(wrapped(report.capitalised(record), "  "))
    lines += [wrapped(f"- {row_words(row)}", "  ") for row in finding.evidence]
    if beginning(reported):
        lines.append(wrapped(f"When it began: {' '.join(beginning(reported))}", "  "))
    lines.append(wrapped(f"Cause: {reported.cause}", "  "))
    for number, fix in enumerate(reported.fixes, 1):
        lines.append(wrapped(f"{number}. {fix.do}{setting_text(fix)}", "  "))
        lines += [wrapped(f"{told.label}: {told.text}", "     ") for told in prospects(fix)]
    return "\n".join(lines)


def setting_text(fix: Fix) -> str:
    """The setting that a fix changes, in the trainer's spelling: " [opacity_reset_interval: 400 → 1000]"."""
    return f" [{change(fix)}]" if change(fix) else ""


def print_info(options: argparse.Namespace) -> int:
    """What was found in the folder. Raises RunError."""
    from runs.open_run import open_run

    run = open_run(options.run, options.data)
    facts = run_facts(run)
    if options.json:
        print(json.dumps(facts, indent=2, allow_nan=False))
        return 0
    print(f"{address_of(run.path)}\nTrainer: {wording.trainer(run)}: {run.trainer.why}")
    print(f"Photos and COLMAP model: {NOT_AVAILABLE if run.data is None else address_of(run.data)}")
    print(f"Cameras: {facts['cameras']:,} · photos: {facts['photos']:,} · settings: {facts['settings']:,} · "
          f"log events: {facts['events']:,}")
    print(f"Saved iterations ({len(run.checkpoints)})")
    for c in run.checkpoints:
        print(f"  {c.iteration:>8,}  {c.count:>11,} {wording.ROWS[c.holds]}s  SH {c.sh_degree}  {wording.size(c.size_bytes):>8}  "
              f"{c.path.name}{_own_words(c)}")
    print(f"Resumable states ({len(run.state_files)})")
    for state in run.state_files:
        print(f"  {state.iteration:>8,}  {state.path.name}")
    print(f"Series ({len(run.series)})")
    for name, series in sorted(run.series.items()):
        print(f"  {name:<20} {len(series):>8,} values  {series.source}")
    if run.per_view:
        print(f"Scores per view at iterations {', '.join(f'{iteration:,}' for iteration in run.per_view)}")
    for note in run.notes:
        print(f"Note: {note.says}: {address_of(Path(note.file))}")
    return 0


def _own_words(checkpoint: Checkpoint) -> str:
    """What the trainer calls the save, and whether it moves."""
    told = [checkpoint.label] if checkpoint.label else []
    if checkpoint.motion is not None:
        told.append("moves from {:g} to {:g}".format(*checkpoint.motion.span))
    return f"  ({', '.join(told)})" if told else ""


def run_facts(run: Run) -> dict[str, Any]:
    """What a folder holds, as JSON."""
    return {
        "path": address_of(run.path), "data": None if run.data is None else address_of(run.data),
        "trainer": run.trainer.name, "trainer_confidence": run.trainer.confidence, "trainer_why": run.trainer.why,
        "checkpoints": [{"iteration": c.iteration, "gaussians": c.count, "sh_degree": c.sh_degree, "bytes": c.size_bytes,
                         "file": str(c.path), "holds": c.holds, "label": c.label,
                         "moments": None if c.motion is None else list(c.motion.span)} for c in run.checkpoints],
        "states": [{"iteration": s.iteration, "file": str(s.path)} for s in run.state_files],
        "series": {name: {"values": len(s), "unit": s.unit, "source": s.source} for name, s in sorted(run.series.items())},
        "settings": len(run.settings), "cameras": len(run.cameras), "photos": len(run.photos), "events": len(run.events),
        "per_view": {iteration: sorted(scores) for iteration, scores in run.per_view.items()},
        "notes": [{"file": address_of(Path(note.file)), "says": note.says} for note in run.notes],
    }


def print_catalogue(options: argparse.Namespace) -> int:
    """Every pattern in a line, one page, the guide, or all of it as pages for a browser. Raises WrongUse for an unknown name."""
    if options.html is not None:
        return write_pages(options.html)
    if options.guide is not None:
        return print_guide(options.guide)
    patterns = load_catalogue()
    if options.code is None:
        for pattern in sorted(patterns.values(), key=lambda p: p.code):
            print(f"{pattern.code:<6} {pattern.severity:<9} {pattern.title}  ({pattern.name})")
        print("\nWhat to watch, what to ask first, what to tune: splatdoctor catalogue --guide")
        return 0
    import diagnostics.detectors  # noqa: F401  (registers every detector)
    from diagnostics.registry import DETECTORS
    from diagnostics.report.page import pattern_text

    found = find_pattern(options.code)
    detector = DETECTORS.get(found.name)
    print(pattern_text(found, detector.limits if detector is not None else {}), end="")
    return 0


def write_pages(folder: Path) -> int:
    """The catalogue and the guide as pages for a browser. Raises WrongUse, OSError."""
    from diagnostics.book.write import write_book

    check_folders(folder / "index.html" if folder.exists() else folder)
    print(f"Written: {write_book(folder)} pages, begin at {folder / 'index.html'}", file=sys.stderr)
    return 0


def print_guide(name: str) -> int:
    """The names of the guide's pages, or one page. Raises WrongUse for an unknown name."""
    from diagnostics.book.guide import load_guide
    from diagnostics.book.guide_text import guide_text

    guide = load_guide()
    if not name:
        for page in guide.values():
            print(f"{page.name:<12} {page.title}")
        return 0
    if name.casefold() not in guide:
        raise WrongUse(f"the guide has no page {name!r}; run `splatdoctor catalogue --guide` to see them all")
    print(guide_text(guide[name.casefold()]), end="")
    return 0


def find_pattern(code: str) -> Pattern:
    """By code or name, whatever the case. Raises WrongUse."""
    wanted = code.casefold()
    for pattern in load_catalogue().values():
        if wanted in (pattern.name, *(known.casefold() for known in (pattern.code, *pattern.also))):
            return pattern
    raise WrongUse(f"the catalogue has no pattern {code!r}; run `splatdoctor catalogue` to see them all")


def _write_json(diagnosis: Diagnosis, target: str | None) -> None:
    if target is None:
        return
    from diagnostics.report.json import to_json

    text = json.dumps(to_json(diagnosis), indent=2, allow_nan=False) + "\n"
    if target == "-":
        sys.stdout.write(text)
    else:
        Path(target).write_text(text, encoding="utf-8")


def wrapped(text: str, indent: str) -> str:
    """Lines of at most 100 letters, all but the first two further in."""
    return textwrap.fill(text, COLUMNS, initial_indent=indent, subsequent_indent=f"{indent}  ", break_long_words=False)
