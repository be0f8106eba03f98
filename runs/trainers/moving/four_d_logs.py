"""The logs of 4DGaussians, whose two stages each count their iterations from one: brought to the run's one axis."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from runs.canonical import merge
from runs.events import LogEvent
from runs.formats.tensorboard import Scalars
from runs.series import Series
from runs.tags import INRIA_TAGS, TagRow, row, series_from_tags
from runs.trainers.shared.logged import Logged

STAGES = ("coarse", "fine")
# Without the stage's name. The trainer forgot the slash before its total; its `lpipsa` and `lpipsv` are sums over views.
STAGE_TAGS: tuple[TagRow, ...] = (row(r"train_loss_patchestotal_loss", "loss/total"), *INRIA_TAGS)
TEXT_SERIES = "its two stages count iterations anew, so of this log only events are shown; TensorBoard's file has the series"


@dataclass(frozen=True, eq=False)
class StagedLogs(Logged):
    """Iterations of the fine stage come after those of the coarse one."""

    coarse: int = 0  # iterations of the coarse stage

    @cached_property
    def series(self) -> Mapping[str, Series]:
        """By canonical name; TensorBoard's record is the finer one."""
        return merge(self._tensorboard, *(_later(one, self.coarse) for one in self._results))

    @cached_property
    def events(self) -> tuple[LogEvent, ...]:
        """Events of the text logs, file after file."""
        for log in self._texts:
            if log.series:
                self.book.add(str(self.folder / next(iter(log.series.values())).source), TEXT_SERIES)
        return tuple(event for log in self._texts for event in placed(log.events, self.coarse))

    def _series_of(self, scalars: Mapping[str, Scalars], source: str) -> Mapping[str, Series]:
        starts = dict(zip(STAGES, (0, self.coarse), strict=True))
        stages = [
            _later(series_from_tags(dict(_of_stage(scalars, stage)), source, STAGE_TAGS), start)
            for stage, start in starts.items()
        ]
        others = {tag: one for tag, one in scalars.items() if tag.partition("/")[0] not in STAGES}
        return {name: replace(one, source=source) for name, one in merge(*stages, series_from_tags(others, source)).items()}


def _of_stage(scalars: Mapping[str, Scalars], stage: str) -> Iterator[tuple[str, Scalars]]:
    for tag, one in scalars.items():
        name, _, rest = tag.partition("/")
        if name == stage and rest:
            yield rest, one


def _later(series: Mapping[str, Series], by: int) -> dict[str, Series]:
    return {name: replace(one, iterations=one.iterations + by) for name, one in series.items()}


def placed(events: Iterable[LogEvent], coarse: int) -> tuple[LogEvent, ...]:
    """Events at the run's iterations: the fine stage begins where their own iterations fall, or pass the coarse stage's end."""
    found, last, before = list(events), 0, 0
    if any(event.iteration is not None and event.iteration > coarse for event in found[: _first_fall(found)]):
        before = coarse  # a log of the fine stage alone
    for index, event in enumerate(found):
        if event.iteration is not None:
            before = coarse if event.iteration < last else before
            last = event.iteration
            found[index] = replace(event, iteration=event.iteration + before)
    return tuple(found)


def _first_fall(events: list[LogEvent]) -> int:
    """How many events come before the first whose iteration is less than that of one before it."""
    last = 0
    for index, event in enumerate(events):
        if event.iteration is not None:
            if event.iteration < last:
                return index
            last = event.iteration
    return len(events)
