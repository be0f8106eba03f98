"""Settings of the compact trainer, under INRIA's names; defaults are INRIA's for 30,000 iterations."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from diagnostics.optimiser.truncgrad import TruncGrad
from render.projection import DILATION_PX2

Strategy = Literal["default", "mcmc"]


@dataclass(frozen=True)
class OptimiserSettings:
    """One training's settings. Raises ValueError, with one sentence, for a value that cannot be trained with."""

    iterations: int = 30_000
    seed: int = 0  # of every random choice; the same seed gives the same training

    # Learning rates of Adam. xyz's is × extent and falls exponentially over position_lr_max_steps.
    position_lr_init: float = 1.6e-4
    position_lr_final: float = 1.6e-6
    position_lr_max_steps: int = 30_000
    feature_lr: float = 2.5e-3  # of SH degree 0; the higher degrees get 1/20 of it
    opacity_lr: float = 0.05
    scaling_lr: float = 5e-3
    rotation_lr: float = 1e-3
    adam_eps: float = 1e-15

    lambda_dssim: float = 0.2  # loss = (1 - λ)·L1 + λ·(1 - SSIM)
    white_background: bool = False
    random_background: bool = False
    dilation_px2: float = DILATION_PX2  # added to the diagonal of each 2D covariance

    sh_degree: int = 3
    sh_interval: int = 1_000  # iterations until one more SH degree is trained
    init_opacity: float = 0.1
    init_scale: float = 1.0  # × the distance to the neighbours

    strategy: Strategy = "default"
    densification_interval: int = 100
    densify_from_iter: int = 500
    densify_until_iter: int = 15_000
    opacity_cull: float = 0.005  # below it a Gaussian is pruned, or relocated by MCMC
    cap_max: int = 0  # most Gaussians that growth may reach; 0 for no cap (MCMC needs one)

    # Default strategy.
    densify_grad_threshold: float = 2e-4  # mean norm of dL/d(centre in NDC)
    percent_dense: float = 0.01  # × extent: larger Gaussians are split, smaller ones cloned
    split_shrink: float = 1.6  # each half is this much smaller than its parent
    prune_scale: float = 0.1  # × extent: larger Gaussians are pruned once opacity_reset_interval has passed; 0 for never
    opacity_reset_interval: int = 3_000
    opacity_reset_to: float = 0.01

    # MCMC (gsplat's defaults).
    noise_lr: float = 5e5
    opacity_reg: float = 0.0
    scale_reg: float = 0.0
    growth_factor: float = 1.05  # largest growth per densification

    truncgrad: TruncGrad | None = None  # TruncGradGS beside the default strategy; see `phases.in_truncgrad`

    # What the recorder gets, and when.
    test_iterations: tuple[int, ...] = (7_000, 30_000)
    save_iterations: tuple[int, ...] = (7_000, 30_000)
    checkpoint_iterations: tuple[int, ...] = ()
    metrics_interval: int = 10  # iterations between logged PSNR and gradient norms of the trained view

    def __post_init__(self) -> None:
        for name, (is_good, wanted) in _RULES.items():
            value = getattr(self, name)
            if not is_good(value):
                raise ValueError(f"{name} is {value!r}, it must be {wanted}")
        if self.strategy == "mcmc" and not self.cap_max:
            raise ValueError("cap_max is 0, MCMC must be told how many Gaussians it may reach")
        if self.strategy == "mcmc" and self.truncgrad is not None:
            raise ValueError("truncgrad goes with the default strategy, MCMC moves dead Gaussians itself")

    @classmethod
    def mini(cls, **changes: Any) -> "OptimiserSettings":
        """800 iterations for pictures of about 64 px: some 2,000 Gaussians in about two seconds on one core."""
        return cls(**{**_MINI, **_strategy(changes, _MINI_MCMC), **changes})

    @classmethod
    def large(cls, **changes: Any) -> "OptimiserSettings":
        """2,000 iterations for pictures of about 96 px: some 5,000 Gaussians in about ten seconds on one core."""
        return cls(**{**_LARGE, **_strategy(changes, _LARGE_MCMC), **changes})

    def as_mapping(self) -> dict[str, Any]:
        """By name, as a recorder gets them. A cap that does not bind is left out: it would read as a cap of zero."""
        told = {name: value for name, value in asdict(self).items() if name != "truncgrad" and (name != "cap_max" or value)}
        return told if self.truncgrad is None else {**told, **self.truncgrad.as_mapping()}


def _strategy(changes: Mapping[str, Any], mcmc: Mapping[str, Any]) -> Mapping[str, Any]:
    return mcmc if changes.get("strategy") == "mcmc" else {}


_Rule = tuple[Callable[[Any], bool], str]
_COUNT: _Rule = (lambda value: isinstance(value, int) and value >= 1, "a whole number of at least 1")
_INDEX: _Rule = (lambda value: isinstance(value, int) and value >= 0, "a whole number of at least 0")
_POSITIVE: _Rule = (lambda value: 0 < value < float("inf"), "a finite number above 0")
_AMOUNT: _Rule = (lambda value: 0 <= value < float("inf"), "a finite number of at least 0")
_SHARE: _Rule = (lambda value: 0 <= value <= 1, "between 0 and 1")
_OPACITY: _Rule = (lambda value: 0 < value < 1, "above 0 and below 1")
_ITERATIONS: _Rule = (lambda value: all(isinstance(it, int) and it >= 1 for it in value), "whole numbers of at least 1")

# A learning rate of 0 freezes its group: odd, but it can be trained with.
_RULES: Mapping[str, _Rule] = {
    "strategy": (lambda value: value in get_args(Strategy), f"one of {', '.join(get_args(Strategy))}"),
    "sh_degree": (lambda value: value in range(4), "0, 1, 2 or 3"),
    "truncgrad": (lambda value: value is None or isinstance(value, TruncGrad), "None or its options"),
    **dict.fromkeys(("iterations", "position_lr_max_steps", "sh_interval", "densification_interval",
                     "opacity_reset_interval", "metrics_interval"), _COUNT),
    **dict.fromkeys(("seed", "densify_from_iter", "densify_until_iter", "cap_max"), _INDEX),
    **dict.fromkeys(("adam_eps", "init_scale", "split_shrink", "growth_factor"), _POSITIVE),
    **dict.fromkeys(("position_lr_init", "position_lr_final", "feature_lr", "opacity_lr", "scaling_lr", "rotation_lr",
                     "dilation_px2", "densify_grad_threshold", "percent_dense", "prune_scale", "noise_lr", "opacity_reg",
                     "scale_reg"), _AMOUNT),
    **dict.fromkeys(("lambda_dssim", "opacity_cull"), _SHARE),
    **dict.fromkeys(("init_opacity", "opacity_reset_to"), _OPACITY),
    **dict.fromkeys(("test_iterations", "save_iterations", "checkpoint_iterations"), _ITERATIONS),
}

# INRIA's threshold of 2e-4 would grow several times as many Gaussians: the gradient per Gaussian rises as Gaussians get
# larger in the picture, so it is scaled with the pictures.
_MINI: Mapping[str, Any] = {
    "iterations": 800, "position_lr_max_steps": 800, "sh_degree": 2, "sh_interval": 200, "densification_interval": 100,
    "densify_from_iter": 100, "densify_until_iter": 600, "densify_grad_threshold": 1.5e-3, "opacity_reset_interval": 200,
    "test_iterations": (1, 200, 400, 600, 800), "save_iterations": (100, 200, 300, 400, 500, 600, 700, 800),
    "checkpoint_iterations": (400, 800),
}
_LARGE: Mapping[str, Any] = {
    "iterations": 2_000, "position_lr_max_steps": 2_000, "sh_degree": 3, "sh_interval": 300, "densification_interval": 100,
    "densify_from_iter": 100, "densify_until_iter": 1_200, "densify_grad_threshold": 1e-3, "opacity_reset_interval": 500,
    "test_iterations": (1, 200, 400, 600, 800, 1_200, 1_600, 2_000),
    "save_iterations": (200, 400, 600, 800, 1_000, 1_200, 1_400, 1_600, 1_800, 2_000), "checkpoint_iterations": (1_000, 2_000),
}
# gsplat's start and regularisers; at 5 % each, growth needs enough occasions to reach its cap.
_MCMC: Mapping[str, Any] = {
    "init_opacity": 0.5, "init_scale": 0.1, "opacity_reg": 0.01, "scale_reg": 0.01, "densification_interval": 50,
}
_MINI_MCMC: Mapping[str, Any] = {**_MCMC, "cap_max": 2_500, "densify_until_iter": 700}
_LARGE_MCMC: Mapping[str, Any] = {**_MCMC, "cap_max": 5_000, "densify_until_iter": 1_700}
