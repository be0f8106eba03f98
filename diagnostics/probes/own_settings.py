"""The run's own settings as the compact trainer takes them: what is known is taken over, and the rest is told."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.practice.tables import practice_of
from runs.run import Run
from runs.settings import Setting

# Our name -> names of INRIA's family for the same thing, in order of preference. What is not here has the same name.
ALSO: Mapping[str, tuple[str, ...]] = {
    "sh_interval": ("sh_interval", "sh_degree_interval"), "opacity_reset_to": ("reset_opacity",),
}
# Ours alone: a run's number of the same name would mean something else, or nothing.
OURS = frozenset({"seed", "strategy", "dilation_px2", "metrics_interval", "test_iterations", "save_iterations",
                  "checkpoint_iterations", "truncgrad"})


@dataclass(frozen=True)
class OwnSettings:
    """Settings of one run, with where each came from."""

    values: OptimiserSettings
    taken: Mapping[str, Setting]  # our name -> the run's setting, stored or its trainer's default
    usual: tuple[str, ...]  # our names of those that the run does not tell: the reference's values
    refused: Mapping[str, str]  # our name -> why the run's value cannot be trained with; the reference's stands instead


def own_settings(run: Run, **changes: Any) -> OwnSettings:
    """`changes` by our names replace what the run says."""
    practice = practice_of(run)
    known: Mapping[str, Setting] = dict(run.settings) if practice is None else practice.values
    taken, refused, usual = dict[str, Setting](), dict[str, str](), []
    values: dict[str, Any] = {}
    units = _other_units(run)
    if practice is not None and practice.strategy == "mcmc" and "cap_max" in known:
        values["strategy"] = "mcmc"
    for name in _settable():
        found = next((known[alias] for alias in ALSO.get(name, (name,)) if alias in known), None)
        if name in changes:
            continue
        if found is None:
            usual.append(name)
            continue
        value, why = (None, units[name]) if name in units else fitting(name, found.value)
        if why:
            refused[name] = why
        else:
            values[name], taken[name] = value, found
    return OwnSettings(OptimiserSettings(**{**values, **changes}), taken, tuple(usual), refused)


def _settable() -> tuple[str, ...]:
    return tuple(field.name for field in fields(OptimiserSettings) if field.name not in OURS)


def our_name(run: Run, setting: str) -> str | None:
    """Our name of a setting as the run's trainer spells it; None where the compact trainer has no such setting."""
    practice = practice_of(run)
    names = {} if practice is None else practice.spelling.names
    for name in _settable():
        for asked in ALSO.get(name, (name,)):
            stored = run.settings.get(asked)
            if setting in (asked, names.get(asked), None if stored is None else stored.name):
                return name
    return None


def _other_units(run: Run) -> Mapping[str, str]:
    """Our names of settings that this trainer counts in another unit -> why its numbers cannot be taken over."""
    practice = practice_of(run)
    counted = {} if practice is None else practice.spelling.other_unit
    return {name: f"its trainer counts {run.settings[name].name if name in run.settings else name} in another unit"
            for name, switch in counted.items() if not switch or run.settings.value(switch) is True}


def fitting(name: str, value: Any) -> tuple[Any, str]:
    """The value in the type that our setting `name` has, and ""; or None, and why it cannot be one."""
    usual = getattr(OptimiserSettings(), name)
    if isinstance(usual, bool) or isinstance(value, bool):
        return (value, "") if isinstance(usual, bool) and isinstance(value, bool) else (None, f"{value!r} is of another kind")
    if not isinstance(value, int | float):
        return None, f"{value!r} is no number"
    whole: Any = int(value) if isinstance(usual, int) and value == value and abs(value) < float("inf") else value
    try:
        replace(OptimiserSettings(), **{name: whole})
    except ValueError as error:
        return None, str(error)
    return whole, ""
