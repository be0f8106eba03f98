"""Brush's settings: `args.txt`, a command line that holds only what was changed from the defaults of its version."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from runs.formats.ply.render_mode import antialiased
from runs.formats.small_files import MIB, read_small
from runs.settings import Setting, Settings
from runs.trainer_tables import trainer_table, unstored_settings

FILE = "args.txt"
MIP_FILTER = "antialiasing"

# Names of INRIA's settings in each version of Brush, and the defaults that all versions share.
ALIASES: Mapping[str, Sequence[str]] = trainer_table("brush")["names"]
DEFAULTS: Mapping[str, Any] = unstored_settings("brush")
TOTAL = 30_000


def read_settings(path: Path) -> Settings:
    """`--name value …` pairs by name; an argument without a value is a switch. Raises UnreadableFile or RefusedFile."""
    words = read_small(path, MIB).decode("utf-8", "replace").split()
    return Settings({name: Setting(name, value, path.name) for name, value in _pairs(words)})


def _pairs(words: list[str]) -> Iterator[tuple[str, Any]]:
    for index, word in enumerate(words):
        if _is_name(word):
            name, equals, value = word[2:].partition("=")
            rest = [value] if equals else list(takewhile(lambda text: not _is_name(text), words[index + 1:]))
            yield name, _value(rest)


def _is_name(word: str) -> bool:
    return re.match(r"--[a-z]", word) is not None


def _value(words: list[str]) -> Any:
    values = [_plain(word) for word in words]
    return values[0] if len(values) == 1 else values or True


def _plain(word: str) -> Any:
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(word, word)


def completed(stored: Settings, comments: Iterable[str], source: str) -> Settings:
    """The stored settings, what the comments of a PLY say of its filter, and defaults; also found by INRIA's spellings."""
    filtered = antialiased(comments)
    told = {} if filtered is None else {MIP_FILTER: Setting(MIP_FILTER, filtered, source)}
    total = {} if any(name in stored for name in ALIASES["iterations"]) else {"total-train-iters": TOTAL}
    full = Settings({**stored.by_name, **told}).with_defaults({**DEFAULTS, **total})
    aliases = {asked: own for asked, names in ALIASES.items() for own in names if own in full and asked not in full}
    return Settings(full.by_name, aliases)
