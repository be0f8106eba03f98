"""Settings of INRIA's forks: where they store them beyond cfg_args, and the defaults that they do not store.

Defaults stand here only for forks whose source was read and that are usually called with them (`arguments/__init__.py`
and `train.py` of each): 3dgs-mcmc is called with a config file per scene, and Grendel-GS and AbsGS store everything.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from runs.formats.cfg_args import read_cfg_args, read_settings_json
from runs.notes import NoteBook
from runs.settings import Settings
from runs.trainer_tables import unstored_settings

# Preferred first: what was really used, then what the model was told. AbsGS writes its optimisation and pipeline
# parameters to files of their own, Grendel-GS all of them to args.json.
FILES: Sequence[tuple[Callable[[Path], Settings], str]] = (
    (read_settings_json, "opt_args.json"), (read_settings_json, "args.json"), (read_cfg_args, "cfg_args_opt"),
    (read_cfg_args, "cfg_args_pipe"), (read_cfg_args, "cfg_args"),
)
DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    name: unstored_settings(name) for name in ("mip-splatting", "taming", "truncgradgs")
}


def read_stored(folder: Path, book: NoteBook) -> Settings:
    """The settings that some file holds. Trouble goes to the notebook."""
    found = Settings()
    for read, name in FILES:
        found = Settings({**book.attempt(read, folder / name, Settings()), **found})
    return found
