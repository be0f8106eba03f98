"""The figures of each probe, and their part of ACCURACY.md."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.accuracy.intervals import Share
from benchmarks.accuracy.markdown import share_text
from benchmarks.probes.asked import Heard
from tests.lab.case import HALVES, SIZES

HEADING = "## Probes"


@dataclass(frozen=True)
class Row:
    """One probe on the runs of one size and half."""

    probe: str
    size: str
    half: str
    found: tuple[int, int]  # hits, of the runs with a fault that it is meant for
    alarms: tuple[int, int]  # healthy runs in which it found something, of those asked
    left_open: tuple[int, int]  # of all that were asked
    seconds: float  # median
    missed: tuple[str, ...]  # runs
    wrong: tuple[str, ...]
    broken: tuple[str, ...]


def rows(answers: Iterable[Heard]) -> tuple[Row, ...]:
    """By probe, then size, then half."""
    groups: dict[tuple[str, str, str], list[Heard]] = {}
    for each in answers:
        groups.setdefault((each.asked.probe, each.asked.size, each.asked.half), []).append(each)
    return tuple(_row(*key, groups[key]) for key in sorted(groups, key=_place))


def _place(key: tuple[str, str, str]) -> tuple[str, int, int]:
    return key[0], SIZES.index(key[1]), -HALVES.index(key[2])  # type: ignore[arg-type]


def _row(probe: str, size: str, half: str, answers: Sequence[Heard]) -> Row:
    sick, healthy = ([one for one in answers if bool(one.asked.fault) is faulty] for faulty in (True, False))
    still_open = sum(one.outcome in ("open", "failed") for one in answers)
    return Row(
        probe, size, half, (sum(one.right for one in sick), len(sick)),
        (sum(not one.right and not one.failure for one in healthy), len(healthy)), (still_open, len(answers)),
        float(np.median([one.seconds for one in answers])),
        tuple(sorted(one.asked.slug for one in sick if not one.right)),
        tuple(sorted(one.asked.slug for one in healthy if not one.right)),
        tuple(sorted(f"{one.asked.slug}: {one.failure}" for one in answers if one.failure)),
    )


def plain(found: Sequence[Row]) -> list[dict[str, Any]]:
    """For JSON."""
    return [asdict(row) for row in found]


def merged(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Figures that were not measured again stay."""
    fresh = {(row["probe"], row["size"], row["half"]) for row in new}
    kept = [row for row in old if (row["probe"], row["size"], row["half"]) not in fresh]
    return sorted([*kept, *new], key=lambda row: _place((row["probe"], row["size"], row["half"])))


def section(figures: Sequence[Mapping[str, Any]]) -> str:
    """The part of ACCURACY.md, its heading included; "" where nothing was measured."""
    return "\n".join(_lines(figures)) + "\n" if figures else ""


def _lines(figures: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    yield HEADING
    yield ""
    yield ("Written by `python -m benchmarks.probes`. Found: of the runs with a fault that the probe is made to find. False "
           "alarms: healthy runs in which it found something. Open: it said that it cannot tell, with the reason. Seconds: "
           "median, on one core of a shared machine. Of the fix trial, found means that a fix which is known to be right was "
           "validated.")
    yield ""
    yield "| probe | runs | found | false alarms | open | seconds |"
    yield "|---|---|---|---|---|---|"
    for row in figures:
        shares = [Share(*row[name]) for name in ("found", "alarms", "left_open")]
        yield (f"| {row['probe']} | {row['size']}, {row['half']} half | " + " | ".join(map(share_text, shares))
               + f" | {row['seconds']:.1f} |")
    yield ""
    yield from (_wrong(row) for row in figures if row["half"] == "test" and (row["missed"] or row["wrong"]))


def _wrong(row: Mapping[str, Any]) -> str:
    told = (f"{name} {', '.join(row[name])}" for name in ("missed", "wrong") if row[name])
    return f"- {row['probe']}, {row['size']}: {'; '.join(told)}."


def with_section(page: str, figures: Sequence[Mapping[str, Any]]) -> str:
    """The page with this part at its end, in place of an older one."""
    return f"{page.partition(HEADING)[0].rstrip()}\n\n{section(figures)}" if figures else page
