"""What each trainer does when nobody tells it otherwise: the tables of resources/trainers, one TOML file per trainer."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any


@cache
def trainer_table(name: str) -> Mapping[str, Any]:
    """The table in NAME.toml as it stands there, without what it takes over from another (`like`). Raises FileNotFoundError."""
    text = (files("resources") / "trainers" / f"{name}.toml").read_text("utf-8")
    return MappingProxyType(tomllib.loads(text))


@cache
def table_names() -> tuple[str, ...]:
    """The names of all tables, in order."""
    folder = files("resources") / "trainers"
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


@cache
def unstored_settings(name: str) -> Mapping[str, Any]:
    """Settings that the trainer uses and need not store, under its own names: those of the trainer it was made from (`like`,
    in the version named there), less `without`, and its own."""
    table = trainer_table(name)
    taken: dict[str, Any] = {}
    if "like" in table:
        taken = {**unstored_settings(table["like"]), **version_settings(table["like"], table.get("version", ""))}
    left = {setting: value for setting, value in taken.items() if setting not in table.get("without", ())}
    return MappingProxyType({**left, **table.get("settings", {})})


def version_settings(name: str, version: str) -> Mapping[str, Any]:
    """What only one version of the trainer uses; nothing for a version that its table does not tell apart."""
    found: Mapping[str, Any] = trainer_table(name).get("versions", {}).get(version, {})
    return found
