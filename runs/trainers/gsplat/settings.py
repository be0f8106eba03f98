"""The settings of gsplat's trainer: cfg.yml (since 1.3) or cfg.json, with the strategy's fields under `strategy.`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from runs.advice import FOREIGN
from runs.defaults import gsplat_defaults
from runs.errors import UnreadableFile
from runs.formats.cfg_args import read_settings_json
from runs.formats.yaml_file import TAG, read_yaml
from runs.notes import NoteBook
from runs.settings import Setting, Settings
from runs.spellings import STRATEGY, gsplat_aliases

STRATEGIES = {"DefaultStrategy": "default", "MCMCStrategy": "mcmc"}  # class -> as the command line names it


def read_settings(folder: Path, book: NoteBook) -> Settings:
    """What the run stored, then the trainer's defaults; also found under INRIA's spellings. Trouble goes to the notebook."""
    stored = book.attempt(read_cfg_yml, folder / "cfg.yml", Settings()) or book.attempt(
        read_settings_json, folder / "cfg.json", Settings())
    complete = Settings(stored.by_name).with_defaults(gsplat_defaults(stored.value("strategy")))
    return Settings(complete.by_name, gsplat_aliases(complete))


def read_cfg_yml(path: Path) -> Settings:
    """The stored settings as this trainer spells them. Raises UnreadableFile or RefusedFile."""
    stored = read_yaml(path)
    if not isinstance(stored, Mapping):
        raise UnreadableFile(f"this settings file holds no YAML mapping; {FOREIGN}", path)
    return Settings({name: Setting(name, value, path.name) for name, value in _flat(stored)})


def _flat(stored: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in stored.items():
        if name == "strategy" and isinstance(value, Mapping):
            yield name, _strategy(value.get(TAG))
            yield from ((f"{STRATEGY}{key}", field) for key, field in value.items() if key != TAG)
        else:
            yield str(name), value


def _strategy(tag: Any) -> Any:
    """"default" or "mcmc" for gsplat's own strategies, the name of the class for another, None where none is told."""
    kind = str(tag).rpartition(".")[2] if tag else None
    return STRATEGIES.get(kind or "", kind)
