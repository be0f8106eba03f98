"""ACCURACY.md: the scoreboard for people."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.accuracy.intervals import Share
from benchmarks.accuracy.scoreboard import NOTHING, Figures, never_detected
from tests.lab.case import HALVES, Half, Size
from tests.lab.corpus import SIZE_PX
from tests.lab.faults.fault import Fault
from tests.lab.outcome import Outcome
from tests.lab.split import SCENES_OF
from tests.lab.truth import Hit

TARGETS: Mapping[str, str] = {
    "recall": "≥ 0.90", "precision": "≥ 0.95", "false_alarms": "≤ 1 of 30", "top1": "≥ 0.75",
}
ROWS: Mapping[str, str] = {
    "recall": "Recall: runs of faults that leave a trace in which a finding fits",
    "precision": "Precision: findings of severity major or critical that fit",
    "false_alarms": "False alarms: healthy runs with a finding of severity major or critical",
    "top1": "Root cause first: the first finding names the fault",
    "top3": "Root cause among the first three",
    "onset": "Begin told within one save, for faults that began during the run",
    "traceless": "Runs of faults held to leave no trace in which a finding fits",
}

PLACES: Mapping[str, str] = {
    "rows": "Place: guilty Gaussians, mean precision / recall where they are known and were pointed at",
    "cameras": "Place: guilty cameras, likewise",
}


@dataclass(frozen=True)
class Measured:
    """The figures of one size and half, and what they were counted from."""

    size: Size
    half: Half
    outcomes: tuple[Outcome, ...]
    figures: Figures


def accuracy_page(measured: Sequence[Measured], faults: Mapping[str, Fault]) -> str:
    """The whole page."""
    parts = [
        "# How often the diagnosis is right", "", *_method(measured), "", *_overview(measured), "",
        *(line for each in measured if each.half == "test" for line in _patterns(each)),
        *(line for each in measured for line in _confusion(each, faults)), *_limits(measured, faults),
    ]
    return "\n".join(parts) + "\n"


def share_text(share: Share) -> str:
    """"0.94 (33 of 35; 0.81-0.99)", or what there is to say where nothing was counted."""
    if share.value is None:
        return "none to count"
    low, high = share.interval
    return f"{share.value:.2f} ({share.hits} of {share.of}; {low:.2f}–{high:.2f})"


def _method(measured: Sequence[Measured]) -> Iterable[str]:
    yield ("Written by `python -m benchmarks.accuracy`. Every run is a real small training, made by this program, with one known "
           "fault or with none; the diagnosis sees only the folder and its data. Intervals are exact 95 % intervals "
           "(Clopper–Pearson).")
    yield ""
    yield "| runs | half | photos | faulty | healthy | scenes |"
    yield "|---|---|---|---|---|---|"
    for each in measured:
        sick = sum(outcome.case.sick for outcome in each.outcomes)
        scenes = ", ".join(sorted({outcome.case.scene for outcome in each.outcomes}))
        yield f"| {each.size} | {each.half} | {SIZE_PX[each.size]} px | {sick} | {len(each.outcomes) - sick} | {scenes} |"
    yield ""
    yield (f"Limits were tuned on the *tuning* half alone ({', '.join(SCENES_OF['tuning'])}; first, third, … strength of each "
           "fault). The *test* half has other scenes and, where a fault has several strengths, other strengths; its figures are "
           "the ones that count.")


def _overview(measured: Sequence[Measured]) -> Iterable[str]:
    ordered = sorted(measured, key=lambda each: HALVES.index(each.half), reverse=True)
    yield "## Overview"
    yield ""
    yield "| | target (test) | " + " | ".join(f"{each.size}, {each.half} half" for each in ordered) + " |"
    yield "|---|---|" + "---|" * len(ordered)
    for name, says in ROWS.items():
        values = " | ".join(share_text(getattr(each.figures, name)) for each in ordered)
        yield f"| {says} | {TARGETS.get(name, '')} | {values} |"
    for name, says in PLACES.items():
        yield f"| {says} | | " + " | ".join(_place(getattr(each.figures, name)) for each in ordered) + " |"


def _place(hit: Hit | None) -> str:
    return "none to count" if hit is None else f"{hit.precision:.2f} / {hit.recall:.2f}"


def _patterns(each: Measured) -> Iterable[str]:
    yield f"## Each pattern, {each.size} runs, {each.half} half"
    yield ""
    yield ("Found: of the runs that it should have named, and that no other right pattern named in its place. Fitting: of all "
           "its findings, those that name the fault or something that follows from it.")
    yield ""
    yield "| pattern | found | fitting | healthy runs in which it was found |"
    yield "|---|---|---|---|"
    for code, figures in each.figures.patterns.items():
        alarms = figures.false_alarms
        yield f"| {code} | {share_text(figures.recall)} | {share_text(figures.precision)} | {alarms.hits} of {alarms.of} |"
    yield ""


def _confusion(each: Measured, faults: Mapping[str, Fault]) -> Iterable[str]:
    yield f"## What was named first, {each.size} runs, {each.half} half"
    yield ""
    yield ("Bold: it names the fault. Struck through: it would send the user somewhere else. With a question mark: it does not "
           "fit, and nobody had thought of it.")
    yield ""
    yield "| fault | first finding (runs) |"
    yield "|---|---|"
    for fault, row in sorted(each.figures.confusion.items()):
        often = sorted(row.items(), key=lambda entry: (-entry[1], entry[0]))
        yield f"| {fault} | {', '.join(f'{_marked(code, faults.get(fault))} ({runs})' for code, runs in often)} |"
    yield ""


def _marked(code: str, fault: Fault | None) -> str:
    if code == NOTHING or (fault is not None and code in fault.fitting - fault.right):
        return code
    if fault is not None and code in fault.right:
        return f"**{code}**"
    return f"~~{code}~~" if fault is None or code in fault.wrong else f"{code}?"


def _limits(measured: Sequence[Measured], faults: Mapping[str, Fault]) -> Iterable[str]:
    yield "## What no artifact tells"
    yield ""
    for name, fault in faults.items():
        if not fault.leaves_trace:
            yield f"- **{name}** is counted as without trace: {fault.why}"
    silent = never_detected([outcome for each in measured for outcome in each.outcomes], faults)
    traced = [name for name in silent if faults[name].leaves_trace]
    if traced:
        yield f"- Never detected in any run, although they leave a trace: {', '.join(traced)}."
    yield ("- The scenes are small, most of them computed, with exact poses; how often faults occur in the field is not known, "
           "so these figures are no forecast of it. Several faults of one family share their code and stand or fall together.")
    broken = sorted({why for each in measured for why in each.figures.broken})
    if broken:
        yield f"- Detectors that failed on some run: {'; '.join(broken)}."
