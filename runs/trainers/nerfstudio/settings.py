"""Settings of a nerfstudio run: config.yml, flattened to the names that its command line has (`pipeline.model.sh-degree`)."""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from runs.advice import FOREIGN
from runs.errors import UnreadableFile
from runs.formats.yaml_file import read_yaml
from runs.notes import NoteBook
from runs.settings import Setting, Settings
from runs.trainer_tables import trainer_table
from runs.trainers.shared.flat_settings import Spellings, aliased, flat

CONFIG = "config.yml"
MODEL, DATA = "pipeline.model.", "pipeline.datamanager."
PARSER = f"{DATA}dataparser."
TARGET = "_target"  # the class that a part of the settings belongs to
RESET = f"{MODEL}reset_alpha_every x refine_every"  # refinements between resets x iterations between refinements
PATHS = frozenset({
    "data", "output_dir", "relative_model_dir", "relative_log_dir", "load_dir", "load_config", "load_checkpoint", "images_path",
    "masks_path", "depths_path", "colmap_path",
})
# INRIA's and gsplat's names for what has the same meaning and unit here: where data lies, and what the trainer's table names.
TABLE = trainer_table("splatfacto")
ALIASES: Spellings = {
    "source_path": (f"{DATA}data", f"{PARSER}data", "data"), "images": (f"{PARSER}images_path",),
    "opacity_reset_interval": (RESET,), **TABLE["names"],
}
MCMC_ALIASES: Spellings = TABLE["strategy_names"]["mcmc"]
THRESHOLD = f"{MODEL}densify_grad_thresh"  # of absolute gradients unless use_absgrad is off: then it is INRIA's


def read_settings(folder: Path, book: NoteBook) -> Settings:
    """What config.yml holds, also found under INRIA's names. Trouble goes to the notebook."""
    stored = book.attempt(read_config, folder / CONFIG, Settings())
    return aliased(stored, _spellings(stored))


def read_config(path: Path) -> Settings:
    """Every value by its dotted name. Raises UnreadableFile or RefusedFile."""
    stored = read_yaml(path)
    if not isinstance(stored, Mapping):
        raise UnreadableFile(f"this settings file holds no YAML mapping; {FOREIGN}", path)
    values = ((name, _path(value) if name.rpartition(".")[2] in PATHS else value) for name, value in flat(stored))
    found = {name: Setting(name, value, path.name) for name, value in values}
    resets, every = (found.get(f"{MODEL}{name}") for name in ("reset_alpha_every", "refine_every"))
    if resets is not None and every is not None and isinstance(resets.value, int) and isinstance(every.value, int):
        found[RESET] = Setting(RESET, resets.value * every.value, path.name)
    return Settings(found)


def _path(value: Any) -> Any:
    """A Python path is stored as the list of its parts."""
    if not isinstance(value, list) or not value or not all(isinstance(part, str) for part in value):
        return value
    kind = PureWindowsPath if re.match(r"[A-Za-z]:", value[0]) else PurePosixPath
    return str(kind(*value))


def _spellings(stored: Settings) -> Spellings:
    known = dict(ALIASES)
    if stored.value(f"{MODEL}use_absgrad") is False:
        known["densify_grad_threshold"] = (THRESHOLD,)
    return {**known, **MCMC_ALIASES} if stored.value(f"{MODEL}strategy") == "mcmc" else known


def method_of(settings: Settings) -> str | None:
    """What the run trained: the name of its method, or of its model's class; None where no settings are stored."""
    target = settings.value(f"{MODEL}{TARGET}")
    named = settings.value("method_name")
    return next((str(value) for value in (named, target) if isinstance(value, str) and value), None)


def trains_splats(settings: Settings) -> bool | None:
    """Whether the model is splatfacto or one made of it; None where no settings tell."""
    target = settings.value(f"{MODEL}{TARGET}")
    if not isinstance(target, str):
        return None
    return any(sign in target.lower() for sign in ("splat", "gauss"))
