"""The overfit probe: can the run's start and settings fit one photo, and several at once?"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from diagnostics.facts.photos import PHOTOS, evenly
from diagnostics.measures.backgrounds import BLACK, WHITE
from diagnostics.measures.extent import camera_spread
from diagnostics.optimiser.views import View
from diagnostics.probes import overfit_words as words
from diagnostics.probes.answer import Answer, Judged, Shot
from diagnostics.probes.bench import Bench, OutOfReach
from diagnostics.probes.engines import chosen_engine
from diagnostics.probes.material import Source, source_of, start_points, views
from diagnostics.probes.overfit_findings import judged
from diagnostics.probes.overfit_fits import Desk, Fitted, fit
from diagnostics.probes.overfit_measured import Alone, Bars, Measured, Together
from diagnostics.probes.overfit_model import own_psnr
from diagnostics.probes.overfit_points import MOST_POINTS, seen_by, serving_px, whereabouts
from diagnostics.probes.overfit_residuals import at_odds, disagreement, lagging, residuals
from diagnostics.probes.overfit_settings import FitSettings, fit_settings
from diagnostics.probes.overfit_trials import Trial, Trials, tried
from diagnostics.probes.registry import Workload, probe
from runs.points import PointCloud

LONGEST_PX, STEPS, ALONE, MOST_VIEWS = 128, 500, 3, 10
TOGETHER = ((2, 0.4), (4, 0.6), (10, 2.0))  # views, and steps in those of a view alone; the last ones are judged
FEWEST_TOGETHER = 4
LAGS_DB, MOST_LAGGING = 3.0, 3  # who is so far behind is fitted alone as well
TRIALS = 4


@dataclass(frozen=True, eq=False)
class _Table:
    """What the whole question has in common; the shots gather while it works."""

    bench: Bench
    source: Source
    views: tuple[View, ...]
    points: PointCloud
    desk: Desk
    settings: FitSettings
    steps: int
    shots: list[Shot]
    engine: str


def _workload(bench: Bench) -> Workload:
    """What a sound run takes: three views alone, three groups, and as a rule one or two that lag, alone."""
    source, points = _material(bench)
    steps = bench.wish.steps or STEPS
    known = min(len(source.train), MOST_VIEWS)
    groups = sum(int(share * steps) for count, share in TOGETHER if known >= min(count, FEWEST_TOGETHER))
    return Workload((min(known, ALONE) + 1) * steps + groups, 0, min(len(points), MOST_POINTS), source.train[0].size_px)


@probe("overfit", _workload)
def overfit(
    bench: Bench, *, gained_db: float = 12.0, margin_db: float = 3.0, shift_px: float = 0.08, moved: float = 0.002,
    tint: float = 0.05, tinted: float = 0.08, stays_db: float = 5.0, keeps: float = 0.3, ahead_db: float = 6.0,
) -> Answer:
    """Raises OutOfReach without cameras, photos or start points."""
    bars = Bars(gained_db, margin_db, shift_px, moved, tint, tinted, stays_db, keeps, ahead_db, STEPS)
    table = _laid(bench)
    measured = _measured(table, bars)
    found = judged(measured, bars)
    return Answer(words.says(measured, bars, found), found, words.rows(measured, bars), tuple(table.shots), _open(found),
                  done=_done(table))


def _measured(table: _Table, bars: Bars) -> Measured:
    """Views alone, and then either what mends them or views together."""
    alone = tuple(_alone(table, view, place) for place, view in enumerate(evenly(table.views, ALONE)))
    first = Measured(alone, table.settings, table.steps)
    if not first.gained >= bars.gained_db:
        return replace(first, trials=_trials(table, alone))
    if len(table.views) < FEWEST_TOGETHER:
        return first
    try:  # what views alone said stands, whatever time or memory is left
        together = _together(table, alone, bars)
        return replace(first, together=together, own_psnr=own_psnr(table.bench, [each.camera for each in alone], table.source))
    except OutOfReach as reason:
        return replace(first, stopped=reason.missing)


def _open(found: tuple[Judged, ...]) -> tuple[str, ...]:
    """Why the question stays open; nothing where there is a finding."""
    if any(each.finding is not None for each in found):
        return ()
    return tuple(dict.fromkeys(why for each in found for why in each.missing))


def _material(bench: Bench) -> tuple[Source, PointCloud]:
    """At the size that was wished for, else smaller where so few points are in view that nothing larger could be filled."""
    points, wished = start_points(bench), bench.wish.longest_px
    source = source_of(bench, wished or LONGEST_PX)
    size = wished or serving_px(points, evenly(source.train, MOST_VIEWS))
    return (source if size >= max(source.train[0].size_px) else source_of(bench, size)), points


def _laid(bench: Bench) -> _Table:
    source, points = _material(bench)
    seen = views(bench, source.train, source.background, MOST_VIEWS)
    if not seen:
        raise OutOfReach(PHOTOS)
    steps, engine = bench.wish.steps or STEPS, chosen_engine(bench.wish.engine)
    extent = camera_spread(np.array([camera.centre for camera in source.train])).extent
    most = max(steps, *(int(share * steps) for _, share in TOGETHER))
    return _Table(bench, source, seen, points, Desk(engine.render, extent, bench.beat),
                  fit_settings(bench, source.background == WHITE, most), steps, [], engine.name)


def _fit(table: _Table, fitted: tuple[View, ...], steps: int, curve: str, share: float) -> Fitted:
    """With the run's start and settings; `share` is how much of the question is done before."""
    table.bench.progress(share, curve)
    points = seen_by(table.points, tuple(view.camera for view in fitted))
    told: Callable[[int, float], None] = lambda step, psnr: table.bench.point(curve, "dB", step, psnr)  # noqa: E731
    return fit(table.desk, fitted, points, table.settings.values, steps, told)


def _alone(table: _Table, view: View, place: int, share: float | None = None) -> Alone:
    found = _fit(table, (view,), table.steps, f"one view: {view.name}", 0.1 * place if share is None else share)
    _show(table, found, f"{view.name} alone", (view.name,))
    return Alone.of(found, whereabouts(table.points, view.camera))


def _show(table: _Table, fitted: Fitted, title: str, cameras: tuple[str, ...]) -> None:
    for shot in fitted.shots(title):
        if shot.camera in cameras:
            table.shots.append(shot)
            table.bench.show(shot)


def _trials(table: _Table, alone: tuple[Alone, ...]) -> Trials:
    """On the view in the middle of those that were fitted alone."""
    middle = sorted(alone, key=lambda each: each.gained)[len(alone) // 2]
    view = next(view for view in table.views if view.name == middle.camera)
    other = WHITE if table.source.background == BLACK else BLACK
    turned = views(table.bench, (view.camera,), other)[0]
    done = iter(range(1, TRIALS + 1))
    return tried(table.desk, Trial(view, table.points, table.settings.values), middle.psnr, turned, table.steps,
                 lambda what: table.bench.progress(0.3 + 0.15 * next(done), f"the same with {what}"))


def _together(table: _Table, alone: tuple[Alone, ...], bars: Bars) -> Together:
    last = _groups(table)
    found = residuals(last)
    behind = lagging(found, LAGS_DB, MOST_LAGGING)
    known = {each.camera: each for each in alone if each.camera in last.psnr}
    for view in last.views:
        if view.name in behind and view.name not in known:
            known[view.name] = _alone(table, view, 0, 0.9)
    lost = {name: each.psnr - last.psnr[name] for name, each in known.items()}
    gained = {name: each.gained for name, each in known.items()}
    fits = tuple(name for name in behind if gained[name] >= bars.gained_db)
    worst = min(found, key=lambda each: each.psnr).camera
    _show(table, last, f"{len(last.views)} views together, {worst}", (worst,))
    blind = tuple(view.name for view in last.views if not last.visible[view.name])
    odd = at_odds(lost, gained, fits, bars.stays_db, bars.keeps)
    return Together(last, found, disagreement(found), gained, lost, blind, fits, odd)


def _groups(table: _Table) -> Fitted:
    """The largest group, after the smaller ones."""
    share = 0.3
    for count, times in TOGETHER:
        chosen = evenly(table.views, count)
        last = _fit(table, chosen, int(times * table.steps), f"{len(chosen)} views together", share)
        share += 0.15 * times
        if len(chosen) == len(table.views):
            break
    return last


def _done(table: _Table) -> dict[str, object]:
    settings = table.settings
    return {
        "views": f"{len(table.views)} of {len(table.source.train)}, evenly chosen",
        "pictures": "{} × {} px".format(*table.views[0].camera.size_px),
        "steps": f"{table.steps:,} for one view, {int(TOGETHER[-1][1] * table.steps):,} for all",
        "start points": f"{len(table.points):,} from {table.points.source}; of those in view at most {MOST_POINTS:,}, thinned",
        "background": table.source.background + (" (assumed)" if table.source.assumed_background else ""),
        "settings of the saved state": ", ".join(settings.from_state) or "none",
        "settings of the reference, where the run tells none": ", ".join(settings.usual) or "none",
        "left out": "growth, pruning, resets, higher harmonics and the decay of rates, so that the start itself is asked",
        "seed": settings.values.seed, "engine": table.engine,
    }
