"""From the tables of resources/trainers to the practice of one run."""

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from diagnostics.practice.practice import ByDesign, Practice
from diagnostics.practice.spelling import Spelling
from runs.run import Run
from runs.settings import NOT_STORED, Setting, Settings
from runs.strategy import moves_the_dead
from runs.trainer_tables import table_names, trainer_table, unstored_settings

FULL_SIZE = "full_size"
FIXED = "fixed in the trainer's code"
HABITS = ("rules", "fixed", "options", "names")  # parts that a fork takes over from the trainer it was made from


def practice_of(run: Run, full_size: int | None = None) -> Practice | None:
    """None for a trainer that no table describes. `full_size`: first iteration that trains on pictures of full size."""
    name = tables_by_trainer().get(run.trainer.name)
    if name is None:
        return None
    table, strategy = full_table(name), strategy_of(run)
    rules = {**table["rules"], **table.get(f"rules_{strategy}", {})}
    values = _values(name, table, run.settings)
    told = values if full_size is None else {**values, FULL_SIZE: Setting(FULL_SIZE, full_size, FIXED)}
    return Practice(
        run.trainer.name, table["title"], strategy, values, MappingProxyType(table.get("usual", {})), MappingProxyType(rules),
        tuple(_intentions(table, strategy, told)), spelling_of(name, strategy),
        tuple(source["title"] for source in table["sources"]), tuple(table.get("planned", ())),
    )


def planned_by_table(trainer: str) -> tuple[Mapping[str, Any], ...]:
    """Events that a method plans by itself, whatever settings say; none for a trainer that plans by settings."""
    name = tables_by_trainer().get(trainer)
    return () if name is None else tuple(full_table(name).get("planned", ()))


def strategy_of(run: Run) -> str:
    """"mcmc" where it is known to move the dead, else the word that the run stored, else "default"."""
    if moves_the_dead(run):
        return "mcmc"
    told = (run.settings.value(name) for name in ("strategy", "strategy.type", "strategy_type"))
    return next((str(value).lower() for value in told if value), "default")


@cache
def tables_by_trainer() -> Mapping[str, str]:
    """Name of a run's trainer -> name of the table that describes it."""
    return MappingProxyType({trainer: name for name in table_names() for trainer in trainer_table(name)["trainers"]})


@cache
def full_table(name: str) -> Mapping[str, Any]:
    """The table with what it takes over from the one it is `like`: habits are joined, all else is its own, else that one's."""
    own = trainer_table(name)
    if "like" not in own:
        return MappingProxyType({part: {} for part in HABITS} | dict(own))
    other = full_table(own["like"])
    joined = {part: {**other[part], **own.get(part, {})} for part in HABITS}
    by_design = own.get("by_design", other["by_design"])
    return MappingProxyType({**own, **joined, "by_design": by_design, "sources": [*own["sources"], *other["sources"]]})


@cache
def spelling_of(name: str, strategy: str) -> Spelling:
    """Of the table `name`; settings of another strategy count as lacking."""
    table = full_table(name)
    line = table.get("command_line")
    lacks = {*table.get("lacks", ()), *table.get("strategy_lacks", {}).get(strategy, ())}
    named = {**_named(name, table, strategy)}
    return Spelling(
        table["style"], MappingProxyType(named), frozenset(lacks), MappingProxyType(table.get("per", {})),
        MappingProxyType(table.get("other_unit", {})),
        MappingProxyType(table.get("spelled", {})), MappingProxyType(table.get("spelled_true", {})),
        None if line is None else frozenset(line["options"]), "" if line is None else line["otherwise"],
    )


def _named(name: str, table: Mapping[str, Any], strategy: str) -> dict[str, str]:
    """Every name by which a setting may be asked for -> its own name (the newest version's)."""
    by_strategy = table.get("strategy_names", {})
    of_strategy = by_strategy.get(strategy, by_strategy.get("plain", {}) if strategy in ("default", "adc") else {})
    told = {**table["names"], **of_strategy, **table["options"]}
    own = {asked: names if isinstance(names, str) else names[0] for asked, names in told.items()}
    every = {*unstored_settings(name), *table.get("strategies", {}).get(strategy, {}), *_versioned(name)}
    own = {**{setting: setting for setting in every}, **own}
    return {**{spelled: spelled for spelled in own.values()}, **own}


def _versioned(name: str) -> dict[str, str]:
    """Settings that only some versions have are options there."""
    table = trainer_table(name)
    own = {setting: setting for version in table.get("versions", {}).values() for setting in version}
    return {**(_versioned(table["like"]) if "like" in table else {}), **own}


def _values(name: str, table: Mapping[str, Any], settings: Settings) -> Mapping[str, Setting]:
    """By INRIA's name. Defaults stand only where every version has them and the trainer is usually called without options."""
    fixed = {asked: Setting(asked, value, FIXED) for asked, value in table["fixed"].items()}
    own = unstored_settings(name) if table.get("own_defaults", True) and not table["names"] else {}
    defaults = {asked: Setting(asked, value, NOT_STORED) for asked, value in own.items()}
    asked = {*table["names"], *table["options"], *defaults, *settings}
    told = {one: settings[one] for one in asked if one in settings or one in settings.aliases}
    return MappingProxyType({**fixed, **defaults, **told})


def _intentions(table: Mapping[str, Any], strategy: str, values: Mapping[str, Setting]) -> Iterator[ByDesign]:
    """Those of this strategy whose beginning is known; one whose end is not known lasts to the end."""
    for entry in table.get("by_design", ()):
        first, last = _iteration(entry.get("from", 0), values), _iteration(entry.get("until"), values)
        if entry.get("strategy", strategy) == strategy and first is not None:
            yield ByDesign(entry["what"], first, last, entry["says"])


def _iteration(told: Any, values: Mapping[str, Setting]) -> int | None:
    """A number, or that of the setting named so."""
    value = values[told].value if isinstance(told, str) and told in values else told
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
