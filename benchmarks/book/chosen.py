"""Which training of the lab shows which pattern: one in which it is found now, most plainly."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from diagnostics.diagnose import diagnose
from diagnostics.diagnosis import Reported
from runs.open_run import open_run
from runs.run import Run
from tests.lab.case import Case
from tests.lab.corpus import cases
from tests.lab.faults import FAULTS
from tests.lab.scenes.building import cache_folder

SHOWS_DB = 6.0
MOST = 6  # trainings of one kind that are looked at


@dataclass(frozen=True)
class Shown:
    """A faulty training, the sound one of the same scene, and the finding."""

    case: Case
    sick: Run
    healthy: Run
    sick_db: float | None  # over the held-out views
    healthy_db: float | None
    found: Reported


def shown_for(code: str) -> Shown | None:
    """The training with the fault that the pattern names and the lowest score, large before mini; None where there is none."""
    for case in _candidates(code):
        found = _finding(case, code)
        sound = _sound(case)
        if found is not None and sound is not None:
            return Shown(case, _opened(case), _opened(sound), score(case), score(sound), found)
    return None


def score(case: Case) -> float | None:
    """dB of the held-out views at the end of a kept training."""
    value: float | None = json.loads((_folder(case) / "trained.json").read_text("utf-8"))["entry"]["psnr"]
    return value


def _candidates(code: str) -> Iterator[Case]:
    """Faults that the pattern should name, then those that it may follow from; large ones first, that cost a lot and not all."""
    for truth in ("right", "acceptable"):
        for size in ("large", "mini"):
            named = [case for case in cases(size) if case.sick and code in getattr(FAULTS[case.name], truth) and _is_kept(case)]
            yield from sorted(named, key=_plain)[:MOST]


def _plain(case: Case) -> float:
    """How far its loss is from one that shows the fault and leaves something to be seen."""
    sound, own = _sound(case), score(case)
    best = None if sound is None else score(sound)
    return abs(best - own - SHOWS_DB) if own is not None and best is not None else float("inf")


def _finding(case: Case, code: str) -> Reported | None:
    return next((found for found in _diagnosed(case) if found.pattern.code == code), None)


@cache
def _diagnosed(case: Case) -> tuple[Reported, ...]:
    return diagnose(_opened(case)).findings


@cache
def _opened(case: Case) -> Run:
    return open_run(_folder(case) / "run", _folder(case) / "data")


def _sound(case: Case) -> Case | None:
    return next((one for one in cases(case.size) if one.name.startswith(f"usual-{case.scene}") and _is_kept(one)), None)


def _is_kept(case: Case) -> bool:
    return (_folder(case) / "trained.json").is_file()


def _folder(case: Case) -> Path:
    return cache_folder().parent / "runs" / case.slug
