"""How gsplat's trainer spells the settings that INRIA's has too: same meaning, same unit.

Names with a dot are fields of its strategy, as on its command line (`--strategy.refine-every`). The names stand in
resources/trainers/gsplat.toml, with their sources.
"""

from collections.abc import Mapping

from runs.trainer_tables import trainer_table

STRATEGY = "strategy."

GSPLAT: Mapping[str, str] = trainer_table("gsplat")["names"]


def gsplat_aliases(stored: Mapping[str, object]) -> dict[str, str]:
    """Name asked for -> name stored, for INRIA's spellings and for strategy fields without their prefix.

    Before version 1.2 gsplat's settings held the fields of the strategy beside the others, without the prefix.
    """
    short = {name.removeprefix(STRATEGY): name for name in stored if name.startswith(STRATEGY)}
    spelled = ((asked, own) for asked, name in GSPLAT.items() for own in (name.removeprefix(STRATEGY), name))
    inria = {asked: own for asked, own in spelled if own in stored}
    return {asked: own for asked, own in (short | inria).items() if asked not in stored}
