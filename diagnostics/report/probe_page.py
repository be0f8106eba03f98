"""One probe's answer with all that is shown beside it, without any layout."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from diagnostics.catalogue import Source
from diagnostics.diagnosis import Diagnosis
from diagnostics.probes.answer import Result, Shot
from diagnostics.probes.registry import PROBES, Page
from diagnostics.report.finding_words import Limit, Told
from diagnostics.report.pictures import SHORTEST_PX, ReportPicture
from diagnostics.report.plots import Plot
from diagnostics.report.probe_plots import plots_caption, probe_plots
from diagnostics.report.probe_words import Settled, advice, facts, page_of, settled, title_of, tried
from diagnostics.report.wording import count
from runs.arrays import U8

MOST_SHOTS = 12  # pictures of one probe
WIDE, VERY_WIDE = 1.7, 2.6  # width by height from which two pictures fill a line, and from which one does
ACROSS = 3  # pictures in a line that are no wider


@dataclass(frozen=True, eq=False)
class PictureLine:
    """Pictures side by side; `across` would fill the line."""

    pictures: tuple[ReportPicture, ...]
    across: int


@dataclass(frozen=True, eq=False)
class ProbePage:
    """One probe's chapter."""

    number: int  # 1, 2, …
    title: str
    question: str  # empty where this version does not know the probe
    does_not_say: str
    result: Result
    settled: tuple[Settled, ...]
    advice: tuple[Told, ...]  # causes and fixes that only the probe tells
    tried: tuple[Told, ...]
    facts: tuple[Told, ...]
    plots: tuple[Plot, ...]
    plots_caption: str
    pictures: tuple[PictureLine, ...]
    pictures_caption: str
    limits: tuple[Limit, ...]
    sources: tuple[Source, ...]


def probe_pages(diagnosis: Diagnosis) -> tuple[ProbePage, ...]:
    """In the order in which they were asked."""
    return tuple(probe_page(number, result) for number, result in enumerate(diagnosis.probed, 1))


def probe_page(number: int, result: Result) -> ProbePage:
    """A result ready to be laid out."""
    answer, page = result.answer, page_of(result.probe)
    left = len(answer.shots) - MOST_SHOTS
    return ProbePage(
        number, title_of(result.probe), "" if page is None else page.question, "" if page is None else page.does_not_say, result,
        settled(result), tuple(told for judged in answer.judged for told in advice(judged)), tuple(map(tried, answer.tried)),
        facts(result), probe_plots(result.curves), plots_caption(result.curves), lines_of(answer.shots[:MOST_SHOTS]),
        f"{count(left, 'more picture')} not shown." if left > 0 else "", limits_of(page),
        () if page is None else page.sources)


def limits_of(page: Page | None) -> tuple[Limit, ...]:
    """The numbers that the probe uses, with their reasons."""
    if page is None:
        return ()
    import diagnostics.probes.questions  # noqa: F401  (registers every probe, which reports without probes need not load)

    used = PROBES[page.name].limits if page.name in PROBES else {}
    return tuple(Limit(name, used.get(name), reason) for name, reason in page.limits.items())


def lines_of(shots: Sequence[Shot]) -> tuple[PictureLine, ...]:
    """Pictures side by side, as many as their proportions allow; each line holds pictures of about the same."""
    lines: list[list[Shot]] = []
    for shot in shots:
        if not lines or len(lines[-1]) >= _across(lines[-1][0]) or _across(shot) != _across(lines[-1][0]):
            lines.append([])
        lines[-1].append(shot)
    return tuple(PictureLine(tuple(map(_picture, line)), _across(line[0])) for line in lines)


def _across(shot: Shot) -> int:
    height, width = shot.rgb.shape[:2]
    return 1 if width > VERY_WIDE * height else 2 if width > WIDE * height else ACROSS


def _picture(shot: Shot) -> ReportPicture:
    named = shot.title if not shot.camera or shot.camera in shot.title else f"{shot.title}, {shot.camera}"
    return ReportPicture(named, _enlarged(shot.rgb))


def _enlarged(pixels: U8) -> U8:
    """Small pictures of a probe by a whole factor, pixel by pixel: smoothing would hide how coarse it worked."""
    height, width = pixels.shape[:2]
    factor = max(1, SHORTEST_PX // max(height, width, 1))
    if factor == 1:
        return pixels
    return np.asarray(Image.fromarray(pixels).resize((width * factor, height * factor), Image.Resampling.NEAREST))
