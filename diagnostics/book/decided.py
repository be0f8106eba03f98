"""How a pattern is decided: by a detector from files, by a probe, or by a person who looks."""

from collections.abc import Mapping
from typing import Literal

from diagnostics.catalogue import Pattern
from diagnostics.registry import FACTS, GIVEN, Detector

By = Literal["detector", "probe", "manual"]
SENTENCES: Mapping[By, str] = {
    "detector": "Decided from the files of the run, by measurement.",
    "probe": "No file settles it; a probe does: a short optimisation or rendering that is made on purpose.",
    "manual": "No file reveals it; a person has to look.",
}
GIVEN_WORDS: Mapping[str, str] = {"run": "the run's folder"}


def decided_by(pattern: Pattern, detectors: Mapping[str, Detector]) -> By:
    """Detectors go before probes, probes before a look."""
    if pattern.name in detectors:
        return "detector"
    return "probe" if pattern.probe else "manual"


def method(detector: Detector) -> str:
    """What the detector measures, in its own words: its docstring as one paragraph per blank line."""
    told = detector.judge.__doc__ or ""
    return "\n".join(" ".join(part.split()) for part in told.split("\n\n"))


def words_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """What must be at hand for these facts, each said once, also where one fact needs several things."""
    told = (GIVEN_WORDS.get(name, "") if name in GIVEN else FACTS[name].missing for name in names)
    return tuple(dict.fromkeys(part for words in told if words for part in words.split("; ")))
