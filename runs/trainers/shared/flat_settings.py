"""Nested settings of a trainer as flat ones, under the dotted names that its command line has."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runs.formats.yaml_file import TAG
from runs.settings import Setting, Settings

Spellings = Mapping[str, Sequence[str]]  # name asked for -> names that versions of the trainer gave it


def flat_settings(stored: Mapping[Any, Any], source: str) -> Settings:
    """Every value that is no mapping, by its dotted name; `source` is the file's name."""
    return Settings({name: Setting(name, value, source) for name, value in flat(stored)})


def flat(stored: Mapping[Any, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Pairs of dotted name and value; the classes of mappings are left out."""
    for key, value in stored.items():
        if key == TAG:
            continue
        if isinstance(value, Mapping) and value:
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def aliased(settings: Settings, spellings: Spellings) -> Settings:
    """The settings, also found under the names asked for: the first spelling that holds a value."""
    told = {asked: [own for own in names if settings.value(own) is not None] for asked, names in spellings.items()}
    return Settings(settings.by_name, {asked: own[0] for asked, own in told.items() if own and asked not in settings.by_name})
