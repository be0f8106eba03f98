"""LichtFeld Studio's settings: all of them, in training_config.json, in a project file, or in the checkpoint itself.

Facts from LichtFeld-Studio `src/core/parameters.cpp`, `src/core/include/core/parameters.hpp` and `src/project/project.cpp`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from runs.settings import Setting, Settings
from runs.trainer_tables import trainer_table

SECTIONS = ("optimization", "dataset")
SCALER = "steps_scaler"
# Numbers of steps that the scaler multiplies. Whether a stored file holds them before or after differs between versions.
SCALED = (
    "iterations", "start_refine", "stop_refine", "reset_every", "refine_every", "sh_degree_interval", "grow_until_iter",
    "fill_pacing_iter", "morton_reorder_interval", "eval_steps", "save_steps",
)
UNSURE = " (before or after steps_scaler)"

# INRIA's spelling -> LichtFeld Studio's, where meaning and unit agree whatever the strategy. Learning rates of positions do
# not: they are scaled by the median distance of the first points, INRIA's by the extent of the cameras.
ALIASES: Mapping[str, str] = trainer_table("lichtfeld")["names"]
# Only its plain strategy clones by this gradient and resets opacities; the others hold these settings and do neither.
PLAIN_STRATEGIES = frozenset({"default", "adc"})
PLAIN_ALIASES: Mapping[str, str] = trainer_table("lichtfeld")["strategy_names"]["plain"]


def settings_of(stored: Mapping[str, Any], source: str, *, scaled: bool) -> Settings:
    """Of {"optimization": {…}, "dataset": {…}}; `scaled`: numbers of steps are known to be those that were trained with."""
    values = dict(_flat(stored))
    factor = values.get(SCALER)
    unsure = not scaled and isinstance(factor, int | float) and factor > 0 and factor != 1
    named = {f"{name}{UNSURE}" if unsure and name in SCALED else name: value for name, value in values.items()}
    return with_aliases(Settings({name: Setting(name, value, source) for name, value in named.items()}))


def _flat(stored: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Settings of the first section win: the second repeats some."""
    for section in reversed(SECTIONS):
        part = stored.get(section)
        yield from (part if isinstance(part, Mapping) else {}).items()


def with_aliases(settings: Settings) -> Settings:
    """The settings, also found by INRIA's spellings."""
    plain = settings.value("strategy") in PLAIN_STRATEGIES
    known = {**ALIASES, **(PLAIN_ALIASES if plain else {})}
    aliases = {asked: own for asked, own in known.items() if own in settings and asked not in settings}
    return Settings(settings.by_name, aliases)
