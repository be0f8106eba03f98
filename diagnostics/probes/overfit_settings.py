"""The settings that the fits of the overfit probe train with: the run's own, what its saved state says, and the reference's."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from diagnostics.optimiser.settings import OptimiserSettings
from diagnostics.probes.bench import Bench
from diagnostics.probes.own_settings import own_settings

# What one fit without growth uses, by our names.
USED = ("position_lr_init", "feature_lr", "opacity_lr", "scaling_lr", "rotation_lr", "adam_eps", "lambda_dssim", "init_opacity",
        "init_scale", "opacity_reg", "scale_reg")
# Groups of a saved state whose rate does not change over a training -> our name of it.
RATE_OF = {"f_dc": "feature_lr", "opacity": "opacity_lr", "scaling": "scaling_lr", "rotation": "rotation_lr"}
NEVER = 1_000_000_000  # iterations
FAR = 5.0  # times: rates of sound trainers differ by less
SMALLEST_SCALE = 0.05  # × the distance to the neighbours: MCMC starts at 0.1
HARMLESS_EPS = 1e-8  # the default of most Adams; gradients are larger


@dataclass(frozen=True)
class FitSettings:
    """Settings of one fit, and where they came from."""

    values: OptimiserSettings
    from_state: tuple[str, ...]  # our names of those that the saved state told otherwise than the settings
    usual: tuple[str, ...]  # our names of those that the run does not tell

    def differing(self) -> Iterator[tuple[str, float, float]]:
        """Name, value and the reference's, of what is far from the reference."""
        reference = OptimiserSettings()
        for name in USED:
            value, usual = float(getattr(self.values, name)), float(getattr(reference, name))
            if _is_far(name, value, usual):
                yield name, value, usual


def fit_settings(bench: Bench, white: bool, steps: int) -> FitSettings:
    """The run's own; Adam's epsilon and constant rates are those of the last saved state where it holds others."""
    own = own_settings(bench.evidence.run, strategy="default")
    told = dict(_by_state(bench))
    differs: dict[str, Any] = {name: value for name, value in told.items() if getattr(own.values, name) != value}
    values = for_fits(replace(own.values, **differs), white, steps, bench.wish.seed)
    return FitSettings(values, tuple(differs), tuple(name for name in own.usual if name in USED and name not in told))


def for_fits(settings: OptimiserSettings, white: bool, steps: int, seed: int) -> OptimiserSettings:
    """Without growth, resets and higher harmonics, on one background. Adam's step of the last iteration is never done, hence
    one more."""
    return replace(
        settings, iterations=steps + 1, seed=seed, sh_degree=0, white_background=white, random_background=False,
        densify_until_iter=0, densify_from_iter=NEVER, opacity_reset_interval=NEVER, metrics_interval=NEVER, test_iterations=(),
        save_iterations=(), checkpoint_iterations=(),
    )


def _by_state(bench: Bench) -> Iterator[tuple[str, float]]:
    state = bench.fact_or_none("training_state")
    if state is None:
        return
    for name, group in state.adam.items():
        if group.eps is not None and group.eps > 0:
            yield "adam_eps", float(group.eps)
        if name in RATE_OF and 0 <= group.learning_rate < float("inf"):
            yield RATE_OF[name], float(group.learning_rate)


def _is_far(name: str, value: float, usual: float) -> bool:
    if name == "adam_eps":
        return value > HARMLESS_EPS
    if name in ("lambda_dssim", "init_opacity"):
        return abs(value - usual) > 0.5
    if name in ("opacity_reg", "scale_reg"):
        return value > 0.1
    least = SMALLEST_SCALE if name == "init_scale" else usual / FAR
    return not least < value < usual * FAR
