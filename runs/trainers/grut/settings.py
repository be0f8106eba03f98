"""Settings of 3DGRUT: parsed.yaml, an OmegaConf file; what refers to another setting (`${…}`) stays that text."""

from collections.abc import Mapping
from pathlib import Path

from runs.advice import FOREIGN
from runs.errors import UnreadableFile
from runs.formats.yaml_file import read_yaml
from runs.notes import NoteBook
from runs.settings import Settings
from runs.trainers.shared.flat_settings import Spellings, aliased, flat_settings

CONFIG = "parsed.yaml"
METHOD = "strategy.method"  # "GSStrategy" or "MCMCStrategy"
RATES = "optimizer.params."
# INRIA's and gsplat's names for what has the same meaning and unit (configs/base_gs.yaml, strategy/gs.py, strategy/mcmc.py,
# model/model.py setup_optimizer). Its gradients are of positions in space, so its thresholds are not INRIA's.
ALIASES: Spellings = {
    "source_path": ("path",), "iterations": ("n_iterations",), "sh_degree": ("model.progressive_training.max_n_features",),
    "sh_interval": ("model.progressive_training.increase_frequency",), "lambda_dssim": ("loss.lambda_ssim",),
    "save_iterations": ("checkpoint.iterations",), "strategy": (METHOD,),
    "position_lr_init": (f"{RATES}positions.lr",), "position_lr_final": ("scheduler.positions.lr_final",),
    "position_lr_max_steps": ("scheduler.positions.max_steps",), "feature_lr": (f"{RATES}features_albedo.lr",),
    "shN_lr": (f"{RATES}features_specular.lr",), "opacity_lr": (f"{RATES}density.lr",), "scaling_lr": (f"{RATES}scale.lr",),
    "rotation_lr": (f"{RATES}rotation.lr",),
}
STRATEGIES: Mapping[str, Spellings] = {
    "GSStrategy": {
        "densify_from_iter": ("strategy.densify.start_iteration",), "densify_until_iter": ("strategy.densify.end_iteration",),
        "densification_interval": ("strategy.densify.frequency",), "percent_dense": ("strategy.densify.relative_size_threshold",),
        "opacity_reset_interval": ("strategy.reset_density.frequency",), "opacity_cull": ("strategy.prune.density_threshold",),
    },
    "MCMCStrategy": {
        "densify_from_iter": ("strategy.add.start_iteration",), "densify_until_iter": ("strategy.add.end_iteration",),
        "densification_interval": ("strategy.add.frequency",), "cap_max": ("strategy.add.max_n_gaussians",),
        "noise_lr": ("strategy.perturb.noise_lr",), "opacity_cull": ("strategy.opacity_threshold",),
    },
}


def read_settings(folder: Path, book: NoteBook) -> Settings:
    """What parsed.yaml holds, also found under INRIA's names. Trouble goes to the notebook."""
    stored = book.attempt(read_config, folder / CONFIG, Settings())
    return aliased(stored, {**ALIASES, **STRATEGIES.get(str(stored.value(METHOD)), {})})


def read_config(path: Path) -> Settings:
    """Every value by its dotted name. Raises UnreadableFile or RefusedFile."""
    stored = read_yaml(path)
    if not isinstance(stored, Mapping):
        raise UnreadableFile(f"this settings file holds no YAML mapping; {FOREIGN}", path)
    return flat_settings(stored, path.name)
