"""A training with impossible settings must not start: it would fail late, or train something else than was asked."""

import re
from dataclasses import fields

import pytest

from diagnostics.optimiser.settings import _RULES, OptimiserSettings
from runs.defaults import INRIA, INRIA_BEFORE_EXPOSURE


def test_defaults_are_inrias() -> None:
    settings = OptimiserSettings().as_mapping()
    known = {**INRIA, **INRIA_BEFORE_EXPOSURE}
    shared = settings.keys() & known.keys()
    assert len(shared) >= 18
    assert {name: settings[name] for name in shared} == {
        name: tuple(known[name]) if isinstance(known[name], list) else known[name] for name in shared
    }


@pytest.mark.parametrize(("name", "value"), [
    ("iterations", 0), ("iterations", 1.5), ("position_lr_init", -1e-4), ("opacity_lr", float("nan")), ("adam_eps", 0.0),
    ("lambda_dssim", 1.2), ("sh_degree", 5), ("sh_degree", -1), ("opacity_cull", 2.0), ("opacity_reset_interval", 0),
    ("densification_interval", 0), ("split_shrink", 0.0), ("strategy", "adc"), ("cap_max", -1), ("save_iterations", (0,)),
    ("seed", -1), ("init_opacity", 1.0), ("feature_lr", float("inf")), ("dilation_px2", -0.3),
])
def test_refuses_nonsense_in_one_sentence(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"^{name} is {re.escape(repr(value))}, it must be [^.]+$"):
        OptimiserSettings(**{name: value})  # type: ignore[arg-type]


def test_mcmc_must_know_its_cap() -> None:
    with pytest.raises(ValueError, match="cap_max is 0, MCMC must be told"):
        OptimiserSettings(strategy="mcmc")
    assert OptimiserSettings.mini(strategy="mcmc").opacity_reg == 0.01


def test_every_numeric_setting_has_a_rule() -> None:
    """A new setting without a rule would take any value."""
    unruled = {field.name for field in fields(OptimiserSettings)} - set(_RULES)
    assert unruled == {"white_background", "random_background"}


def test_presets_take_changes_and_differ_in_size() -> None:
    mini, large = OptimiserSettings.mini(), OptimiserSettings.large(seed=3, sh_degree=1)
    assert (mini.iterations, mini.sh_degree) == (800, 2)
    assert (large.iterations, large.sh_degree, large.seed) == (2_000, 1, 3)


def test_a_cap_that_does_not_bind_is_not_recorded() -> None:
    assert "cap_max" not in OptimiserSettings().as_mapping()
    assert OptimiserSettings(cap_max=7).as_mapping()["cap_max"] == 7
