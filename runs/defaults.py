"""Settings that a trainer uses and does not store: its defaults, told by the version that its stored keys betray.

The values stand in resources/trainers, one file per trainer, each with its source.
"""

from collections.abc import Mapping
from typing import Any

from runs.trainer_tables import trainer_table, unstored_settings, version_settings

INRIA: Mapping[str, Any] = unstored_settings("inria")
INRIA_BEFORE_EXPOSURE: Mapping[str, Any] = version_settings("inria", "before_exposure")  # up to 2024-05
INRIA_WITH_EXPOSURE: Mapping[str, Any] = version_settings("inria", "with_exposure")  # from 2024-08
GSPLAT: Mapping[str, Any] = unstored_settings("gsplat")
GSPLAT_STRATEGIES: Mapping[str, Mapping[str, Any]] = trainer_table("gsplat")["strategies"]


def defaults_for(trainer: str, stored: Mapping[str, object]) -> dict[str, Any]:
    """The defaults of `trainer` by setting name, those among `stored` included; empty for a trainer that is not known.

    Without any stored model setting the revision cannot be told, and what differs between revisions is left out.
    """
    if trainer != "inria":
        return {}
    if "train_test_exp" in stored:
        return {**INRIA, **INRIA_WITH_EXPOSURE}
    if "white_background" in stored:  # every cfg_args has it
        return {**INRIA, **INRIA_BEFORE_EXPOSURE}
    return dict(INRIA)


def gsplat_defaults(strategy: object) -> dict[str, Any]:
    """The defaults of gsplat's trainer; those of its strategy only where that is "default" or "mcmc"."""
    return {**GSPLAT, **GSPLAT_STRATEGIES.get(str(strategy), {})}
