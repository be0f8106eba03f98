"""A default that we state as the trainer's must be the one of its version: fixes quote it as the current value."""

from runs.defaults import defaults_for
from runs.settings import NOT_STORED, Setting, Settings


def test_the_opacity_rate_tells_the_versions_apart() -> None:
    """It was halved in 2024; train_test_exp is the key that betrays the newer release."""
    assert defaults_for("inria", {"white_background": 0})["opacity_lr"] == 0.05
    assert defaults_for("inria", {"white_background": 0, "train_test_exp": 0})["opacity_lr"] == 0.025


def test_what_cannot_be_told_is_left_out() -> None:
    """Never an invented number: neither for a run without cfg_args nor for another trainer."""
    assert "opacity_lr" not in defaults_for("inria", {})
    assert defaults_for("inria", {})["densify_until_iter"] == 15_000
    assert defaults_for("unknown", {"white_background": 0}) == {}


def test_stored_settings_stay_and_defaults_are_marked() -> None:
    """A run that says otherwise is right."""
    stored = Settings({"iterations": Setting("iterations", 3000, "opt_args.json")})
    settings = stored.with_defaults(defaults_for("inria", stored))
    assert (settings.value("iterations"), settings["iterations"].source) == (3000, "opt_args.json")
    assert settings["densify_from_iter"].source == NOT_STORED
