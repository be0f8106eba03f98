"""The trainer's schedule as a value: when it densifies, prunes, resets opacities and adds colour degrees; None where unknown."""

from dataclasses import dataclass, replace
from itertools import pairwise

from diagnostics.practice.planned import (
    DEGREES,
    EVERY,
    FROM,
    RESET,
    UNTIL,
    EventKind,
    Planned,
    degree_steps,
    densifications,
    from_table,
    planned_events,
    resets,
    whole,
)
from diagnostics.practice.tables import planned_by_table
from runs.run import Run
from runs.series import Series
from runs.settings import NOT_STORED, Settings
from runs.strategy import moves_the_dead

# These trainers call their first iteration 0, so what they plan for 600 happens in what is iteration 601 everywhere here.
FROM_ZERO = frozenset({"gsplat", "gsplat-2dgs", "splatfacto", "3dgrut"})
# Version 1.5.3 of gsplat never resets, whatever its settings say, and no file tells the version (gsplat pull request #776).
# splatfacto densifies by gsplat, of a version that its files do not tell either.
MAY_NOT_RESET = frozenset({"gsplat", "gsplat-2dgs", "splatfacto"})
# Each stage of theirs has a schedule on iterations of its own, and the settings give one for both.
STAGED = frozenset({"4dgaussians"})
# Kinds of events in the tables of methods: large Gaussians are also split in phases of their own.
GROWS, RESETS = frozenset({"densify", "split"}), frozenset({"reset"})


@dataclass(frozen=True)
class Schedule:
    """Planned and observed events of one run, by iteration.

    Events that the log tells win over planned ones: a log cannot be a default that was never stored.
    """

    densify_from: int | None  # planned: densifies at from < iteration < until, every `densify_every`
    densify_until: int | None
    densify_every: int | None
    reset_every: int | None  # planned or observed, only before `densify_until`; None: none are planned, or it is not known
    densifications: tuple[int, ...]
    resets: tuple[int, ...]
    sh_steps: tuple[int, ...]  # observed iterations at which a colour degree was added
    resets_known: bool  # False: neither a log nor a stored setting tells when opacities are reset
    source: str  # where it comes from, for the user
    shift: int = 0  # iteration of a planned event, less the trainer's own number for it
    expected: tuple[Planned, ...] = ()  # by settings alone, whatever a log tells; by kind, those that are planned

    def planned(self, kind: EventKind) -> Planned | None:
        return next((events for events in self.expected if events.kind == kind), None)

    def is_muted(self, iteration: int) -> bool:
        """Quality is expected to be down: an opacity reset happened within the last `recovery` iterations."""
        return any(reset <= iteration <= reset + self.recovery for reset in self.resets)

    def outside_resets(self, series: Series) -> Series:
        """The values that no reset excuses."""
        calm = [i for i, iteration in enumerate(series.iterations) if not self.is_muted(int(iteration))]
        return replace(series, iterations=series.iterations[calm], values=series.values[calm])

    def since_reset(self, iteration: int) -> int | None:
        """Iterations since the last reset at or before `iteration`."""
        before = [reset for reset in self.resets if reset <= iteration]
        return iteration - before[-1] if before else None

    @property
    def recovery(self) -> int:
        """Iterations that a reset may take to be made good: 1,000 where resets are 3,000 apart (public reports:
        dips end within about 1,000 iterations), in proportion where they are closer, and never under the 92 consistent
        Adam steps from opacity 0.01 back to 0.5 at a rate of 0.05 (4.6 / 0.05)."""
        return max(92, min(1000, round((self.reset_every or 3000) / 3)))

    @property
    def planned_end(self) -> int | None:
        """Last iteration at which the count is meant to change."""
        if self.densify_until is None or not self.densify_every:
            return None
        return (self.densify_until - self.shift - 1) // self.densify_every * self.densify_every + self.shift


def schedule_of(run: Run) -> Schedule | None:
    """From the log where it tells events, else from settings; trainer defaults that were not stored say so in `source`.

    Returns None where neither tells anything about densification or resets, and for trainers of several stages.
    """
    if run.trainer.name in STAGED:
        return None
    settings = run.settings
    start, until, every, reset = (whole(settings, name) for name in (FROM, UNTIL, EVERY, RESET))
    if moves_the_dead(run):
        reset = None  # MCMC resets no opacities, whatever its settings still hold
    logged_resets = _events(run, "opacity_reset", only_if_not_zero=True)
    logged_densifications = _events(run, "densify/cloned", "densify/split", "densify/pruned")
    if until is None and reset is None and logged_resets is None and logged_densifications is None:
        return None
    shift = int(run.trainer.name in FROM_ZERO)
    expected = _expected(run, (start, until, every, reset), shift)
    planned = {events.kind: events.iterations for events in expected}
    return Schedule(
        _later(start, shift), _later(until, shift), every,
        None if moves_the_dead(run) else _between_resets(settings, logged_resets or ()),
        densifications=logged_densifications or planned.get("densify", ()),
        resets=planned.get("reset", ()) if logged_resets is None else logged_resets,
        sh_steps=_sh_steps(run),
        resets_known=moves_the_dead(run) or logged_resets is not None or (reset is not None and _is_kept(run)),
        source=_source(settings, logged_resets is not None or logged_densifications is not None), shift=shift, expected=expected,
    )


def _expected(run: Run, told: tuple[int | None, int | None, int | None, int | None], shift: int) -> tuple[Planned, ...]:
    """What the table of a method plans, else what the settings plan (`told`: from, until, every, reset)."""
    settings, last, (start, until, every, reset) = run.settings, _last_iteration(run) - shift, told
    table = planned_by_table(run.trainer.name)
    most = max((checkpoint.sh_degree for checkpoint in run.checkpoints), default=0)
    found: tuple[tuple[EventKind, tuple[int, ...], tuple[str, ...]], ...] = (
        ("densify", from_table(table, GROWS, last) or densifications(start, until, every, last), (EVERY, FROM, UNTIL)),
        ("reset", from_table(table, RESETS, last) or resets(settings, reset, until, last), (RESET, UNTIL)),
        ("sh", degree_steps(settings, most, last), DEGREES),
    )
    events = (planned_events(kind, _shifted(iterations, shift), named, settings) for kind, iterations, named in found)
    return tuple(one for one in events if one is not None)


def _is_kept(run: Run) -> bool:
    """Whether the stored interval of resets is one that the trainer is known to keep."""
    return run.settings[RESET].stored and run.trainer.name not in MAY_NOT_RESET


def _later(iteration: int | None, shift: int) -> int | None:
    return None if iteration is None else iteration + shift


def _shifted(iterations: tuple[int, ...], shift: int) -> tuple[int, ...]:
    return tuple(iteration + shift for iteration in iterations)


def _events(run: Run, *names: str, only_if_not_zero: bool = False) -> tuple[int, ...] | None:
    """Iterations at which any of the series was logged; None where none of them is. A densification may change nothing."""
    series = [run.series[name] for name in names if name in run.series]
    if not series:
        return None
    pairs = ((i, value) for one in series for i, value in zip(one.iterations, one.values, strict=True))
    return tuple(sorted({int(i) for i, value in pairs if value != 0 or not only_if_not_zero}))


def _between_resets(settings: Settings, logged: tuple[int, ...]) -> int | None:
    """A stored interval, else the longest of the logged ones, else the trainer's default: this run may have been given another.

    The longest, because a white background adds a reset where densification begins.
    """
    gaps = [later - earlier for earlier, later in pairwise(logged)]
    if gaps and not (RESET in settings and settings[RESET].stored):
        return max(gaps)
    return whole(settings, RESET)


def _sh_steps(run: Run) -> tuple[int, ...]:
    degrees = run.series.get("sh_degree")
    if degrees is None:
        return ()
    pairs = zip(degrees.iterations[1:], degrees.values[1:], degrees.values, strict=False)
    return tuple(int(iteration) for iteration, now, before in pairs if now > before)


def _last_iteration(run: Run) -> int:
    ends = [int(series.iterations[-1]) for series in run.series.values() if len(series)]
    return max((*run.iterations, *ends), default=0)


def _source(settings: Settings, logged: bool) -> str:
    named = {settings[name].source for name in (FROM, UNTIL, EVERY, RESET) if name in settings}
    files = sorted(named - {NOT_STORED})
    parts = ["log"] * logged + files + [NOT_STORED] * (NOT_STORED in named)
    return ", ".join(parts)
